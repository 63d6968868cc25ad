"""Counts of integers, also row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, int32
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size, new_zeros
from ..math.arithmetic import add, maximum, minimum
from ..math.reductions import reduce_max

public = {
    "td, td.math": "bincount",
}

BINCOUNT = OpDef(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    "T: {int32, int64, float32, float64}",
)


@BINCOUNT.shape
def _bincount_shape(c: ShapeContext) -> TensorShape:
    c.shape("size", rank=0)
    size = c.scalar("size")
    if isinstance(size, int) and size < 0:
        raise ValueError(f"size = {size} is negative")
    return TensorShape.of((size,))


@BINCOUNT.fresh_kernel
def _bincount_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def bincount(arr: Array, size: Array, weights: Array) -> Array:
        if size.ndim:
            raise ValueError(f"size must have rank 0, got shape {list(size.shape)}")
        number = int(size)
        if number < 0:
            raise ValueError(f"size = {number} is negative")
        if weights.size and weights.shape != arr.shape:
            raise ValueError(
                "weights must be empty or have the shape of arr, got "
                f"{list(weights.shape)} and {list(arr.shape)}"
            )
        if (arr < 0).any():
            raise ValueError(f"arr must not be negative, got {arr.min()}")
        check_size((number,), dtype)
        inside = arr < number
        bins = new_zeros((number,), dtype)
        np.add.at(bins, arr[inside], weights[inside] if weights.size else dtype.type(1))
        return bins

    return bincount


def bincount(
    arr: Any,
    weights: TensorLike | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Counts of each number from 0 to the greatest.

    Args:
        arr: an int32 tensor of numbers that are at least 0.
        weights: what each occurrence counts, of the shape of `arr`; by default 1.
        minlength: how many counts there are at least.
        maxlength: how many counts there are at most; greater numbers are left out.
        dtype: of the counts, where there are no weights: int32, int64, float32 or float64.
        name: a name for the ops.

    Returns:
        A vector of counts, of `dtype` or that of `weights`. A negative number is an
        InvalidArgumentError at the run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.bincount([1, 1, 3], minlength=6)))
        [0 2 0 1 0 0]
    """
    with name_scope(name, "bincount"):
        arr = convert_to_tensor(arr, int32)
        size = maximum(add(maximum(reduce_max(arr), -1), 1), 0 if minlength is None else minlength)
        if maxlength is not None:
            size = minimum(size, maxlength)
        if weights is None:
            weights = convert_to_tensor(np.zeros(0, as_dtype(dtype).numpy_dtype))
        return BINCOUNT(arr, size, weights)


_COUNTED = "Tidx: {int32, int64}, T: {int32, int64, float32, float64}, binary_output: bool = false"
DENSE_BINCOUNT = OpDef(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T -> output: T",
    _COUNTED,
)
RAGGED_BINCOUNT = OpDef(
    "RaggedBincount",
    "splits: int64, values: Tidx, size: Tidx, weights: T -> output: T",
    _COUNTED,
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
        if x.ndim > 2:
            raise ValueError(f"input must have rank at most 2, got shape {list(x.shape)}")
        number = _checked_size(x, "input", size, weights)
        bins = new_zeros((*x.shape[: x.ndim - 1], number), dtype)
        inside = x < size
        places: tuple[Any, ...] = (x[inside],)
        if x.ndim == 2:
            places = (np.nonzero(inside)[0], x[inside])
        _count(bins, places, weights[inside] if weights.size else None, binary)
        return bins

    return bincount


@RAGGED_BINCOUNT.shape
def _ragged_bincount_shape(c: ShapeContext) -> TensorShape:
    splits, size = c.shape("splits", rank=1), c.scalar("size")
    if isinstance(size, int) and size < 0:
        raise ValueError(f"size = {size} is negative")
    ends = None if splits.sizes is None else splits.sizes[0]
    return TensorShape.of((None if ends is None else ends - 1, size))


@RAGGED_BINCOUNT.fresh_kernel
def _ragged_bincount_kernel(c: KernelContext) -> Kernel:
    dtype, binary = c.output_dtype.numpy_dtype, c.attr("binary_output")

    def ragged_bincount(splits: Array, values: Array, size: Array, weights: Array) -> Array:
        if values.ndim != 1:
            raise ValueError(f"values must have rank 1, got shape {list(values.shape)}")
        lengths = _row_lengths(splits, len(values))
        number = _checked_size(values, "values", size, weights)
        bins = new_zeros((len(lengths), number), dtype)
        inside = values < size
        row = np.repeat(np.arange(len(lengths)), lengths)
        places = (row[inside], values[inside])
        _count(bins, places, weights[inside] if weights.size else None, binary)
        return bins

    return ragged_bincount


def _row_lengths(splits: Array, number: int) -> Array:
    """The lengths of the rows between `splits`.

    Raises:
        ValueError: these do not part so many values.
    """
    if splits.ndim != 1 or not splits.size:
        raise ValueError(
            f"splits must be a vector that is not empty, got shape {list(splits.shape)}"
        )
    lengths: Array = np.diff(splits)
    if splits[0] != 0 or (lengths < 0).any() or splits[-1] != number:
        raise ValueError(
            f"splits must grow from 0 to {number}, the number of values, got {splits.tolist()[:9]}"
        )
    return lengths


def _checked_size(x: Array, name: str, size: Array, weights: Array) -> int:
    """The number of bins.

    Raises:
        ValueError: it, what is counted or its weights cannot be.
    """
    if size.ndim:
        raise ValueError(f"size must have rank 0, got shape {list(size.shape)}")
    if size < 0:
        raise ValueError(f"size = {size} is negative")
    if weights.size and weights.shape != x.shape:
        raise ValueError(
            f"weights must be empty or have the shape of {name}, got "
            f"{list(weights.shape)} and {list(x.shape)}"
        )
    if (x < 0).any():
        raise ValueError(f"{name} must not be negative, got {x.min()}")
    return int(size)


def _count(bins: Array, places: tuple[Any, ...], weights: Array | None, binary: bool) -> None:
    """Counts one, or a weight, at each place; or notes that there is something."""
    if binary:
        bins[places] = 1
    else:
        np.add.at(bins, places, bins.dtype.type(1) if weights is None else weights)
