"""Counts of numbers, also row by row, as TensorFlow 2 writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import new_zeros

if TYPE_CHECKING:
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel

DENSE_BINCOUNT = OpDef(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T -> output: T",
    "Tidx: {int32, int64}, T: {int32, int64, float32, float64}, binary_output: bool = false",
)


@DENSE_BINCOUNT.shape
def _dense_bincount_shape(c: ShapeContext) -> TensorShape:
    c.shape("size", rank=0)
    x, size = c.shape("input", max_rank=2), c.scalar("size")
    if isinstance(size, int) and size < 0:
        raise ValueError(f"size = {size} is negative")
    if x.rank is None:
        return TensorShape.of(None)
    bins = TensorShape.of((size,))
    return x[:1] + bins if x.rank == 2 else bins


@DENSE_BINCOUNT.fresh_kernel
def _dense_bincount_kernel(c: KernelContext) -> Kernel:
    dtype, binary = c.output_dtype.numpy_dtype, c.attr("binary_output")

    def bincount(x: Array, size: Array, weights: Array) -> Array:
        if size.ndim:
            raise ValueError(f"size must have rank 0, got shape {list(size.shape)}")
        if size < 0:
            raise ValueError(f"size = {size} is negative")
        if x.ndim > 2:
            raise ValueError(f"input must have rank at most 2, got shape {list(x.shape)}")
        if weights.size and weights.shape != x.shape:
            raise ValueError(
                "weights must be empty or have the shape of input, got "
                f"{list(weights.shape)} and {list(x.shape)}"
            )
        if (x < 0).any():
            raise ValueError(f"input must not be negative, got {x.min()}")
        bins = new_zeros((*x.shape[: x.ndim - 1], int(size)), dtype)
        inside = x < size
        places: tuple[Any, ...] = (x[inside],)
        if x.ndim == 2:
            places = (np.nonzero(inside)[0], x[inside])
        if binary:
            bins[places] = 1
        else:
            np.add.at(bins, places, weights[inside] if weights.size else dtype.type(1))
        return bins

    return bincount
