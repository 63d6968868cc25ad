"""The gradients of sums and means of rows that indices choose.

There are no public functions; graphs that TensorFlow differentiated hold these ops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import check_size
from ..kit.elementwise import FLOATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel


def _define(op: str, weight: Callable[[Array], Array] | None) -> OpDef:
    """An op that gives row number `indices[i]` the gradient of segment `segment_ids[i]`.

    `weight` is what a row counts in a segment of so many rows.
    """
    definition = OpDef(
        op,
        "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> output: T",
        f"T: {{{FLOATS}}}, Tidx: {{int32, int64}} = int32, Tsegmentids: {{int32, int64}} = int32",
    )

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        c.merged("indices and segment_ids", [c.shape("indices", rank=1), c.shape("segment_ids")])
        c.shape("output_dim0", rank=0)
        sizes = c.shape("grad", min_rank=1).sizes
        if sizes is None:
            return UNKNOWN_SHAPE
        number = c.scalar("output_dim0")
        if isinstance(number, int) and number < 0:
            raise ValueError(f"output_dim0 = {number} must not be negative")
        return TensorShape.of((TensorShape([number]).sizes or ())[:1] + sizes[1:])

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        dtype = c.output_dtype.numpy_dtype
        inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

        def gradient(grad: Array, indices: Array, ids: Array, number: Array) -> Array:
            if grad.ndim < 1 or indices.ndim != 1 or indices.shape != ids.shape:
                raise ValueError(
                    "indices and segment_ids must be vectors of one length, got shapes "
                    f"{list(indices.shape)} and {list(ids.shape)}"
                )
            total = np.zeros(check_size((int(number), *grad.shape[1:]), dtype), inner)
            _check("segment_ids", ids, len(grad))
            _check("indices", indices, len(total))
            rows = grad[ids].astype(inner)
            if weight is not None:
                counts = np.bincount(ids, minlength=len(grad)).astype(inner)
                weights = weight(np.maximum(counts, 1))[ids]
                rows = rows * weights.reshape(-1, *[1] * (grad.ndim - 1)).astype(inner)
            np.add.at(total, indices, rows)
            return total.astype(dtype, copy=False)

        return gradient

    return definition


def _check(name: str, numbers: Array, end: int) -> None:
    wrong = (numbers < 0) | (numbers >= end)
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"{name}[{place}] = {numbers[place]} is not in [0, {end})")


SPARSE_SEGMENT_SUM_GRAD = _define("SparseSegmentSumGrad", None)
SPARSE_SEGMENT_MEAN_GRAD = _define("SparseSegmentMeanGrad", lambda counts: 1 / counts)
SPARSE_SEGMENT_SQRT_N_GRAD = _define("SparseSegmentSqrtNGrad", lambda counts: 1 / np.sqrt(counts))
