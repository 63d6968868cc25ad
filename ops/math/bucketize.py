"""Bucketize: the index of the bucket that each element falls in."""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

BUCKETIZE = OpDef(
    "Bucketize",
    "input: T -> output: int32",
    "T: {int32, int64, float32, float64}, boundaries: list(float)",
    traits=Traits(splits="...->..."),
)


@BUCKETIZE.shape
def _bucketize_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input")


@BUCKETIZE.fresh_kernel
def _bucketize_kernel(c: KernelContext) -> Kernel:
    boundaries = np.array(c.attr("boundaries"), np.float32)
    if (boundaries[1:] < boundaries[:-1]).any():
        raise ValueError(f"boundaries must be in ascending order, got {boundaries.tolist()}")

    def bucketize(x: Array) -> Array:
        return np.asarray(np.searchsorted(boundaries, x, "right"), np.int32)

    return bucketize
