"""Gradient op of the Cholesky decomposition, as in older TensorFlow.

There are no public functions; graphs that TensorFlow differentiated hold these ops.
"""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.parallel_blocks import LARGE_MATRIX, on_one_thread
from .square_matrices import checked_square, or_refused, square_shape

CHOLESKY_GRAD = OpDef(
    "CholeskyGrad",
    "l: T, grad: T -> output: T",
    "T: {half, float32, float64}",
    traits=Traits(splits="...__,...__->...__"),
)
BATCH_CHOLESKY_GRAD = OpDef(
    "BatchCholeskyGrad",
    "l: T, grad: T -> output: T",
    "T: {float32, float64}",
    traits=Traits(splits="...__,...__->...__"),
)


@CHOLESKY_GRAD.shape
@BATCH_CHOLESKY_GRAD.shape
def _cholesky_grad_shape(c: ShapeContext) -> TensorShape:
    return c.merged("l and grad", [square_shape(c, "l"), square_shape(c, "grad")])


@CHOLESKY_GRAD.fresh_kernel
@BATCH_CHOLESKY_GRAD.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _cholesky_grad_kernel(c: KernelContext) -> Kernel:
    inverse = or_refused(np.linalg.inv, "l must have no zero on its diagonal")

    def cholesky_grad(lower: Array, gradient: Array) -> Array:
        dtype = lower.dtype
        lower = np.tril(checked_square(c, lower, "l"))
        gradient = np.tril(checked_square(c, gradient, "grad"))
        if lower.shape != gradient.shape:
            raise ValueError(
                f"grad must have shape {list(lower.shape)}, got {list(gradient.shape)}"
            )
        # Murray, "Differentiation of the Cholesky decomposition" (2016), equation (10).
        inner = np.tril(lower.swapaxes(-1, -2) @ gradient)
        inner -= np.eye(inner.shape[-1], dtype=inner.dtype) * inner / 2
        turned = inverse(lower)
        result = turned.swapaxes(-1, -2) @ inner @ turned
        return np.asarray((result + result.swapaxes(-1, -2)) / 2, dtype)

    return cholesky_grad
