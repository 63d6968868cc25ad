"""Counts of integers per row, as sparse tensors, for dense, sparse and ragged rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..strings.unicode import check_splits

if TYPE_CHECKING:
    from ...graph.op_def import Results

_GIVEN = "weights: output_type"
_RESULTS = "output_indices: int64, output_values: output_type, output_dense_shape: int64"
_ATTRS = (
    "T: {int32, int64}, minlength: int >= -1 = -1, maxlength: int >= -1 = -1, "
    "binary_output: bool, output_type: {int32, int64, float32, float64}"
)
DENSE_COUNT: OpDef[Results] = OpDef(
    "DenseCountSparseOutput", f"values: T, {_GIVEN} -> {_RESULTS}", _ATTRS
)
SPARSE_COUNT: OpDef[Results] = OpDef(
    "SparseCountSparseOutput",
    f"indices: int64, values: T, dense_shape: int64, {_GIVEN} -> {_RESULTS}",
    _ATTRS,
)
RAGGED_COUNT: OpDef[Results] = OpDef(
    "RaggedCountSparseOutput", f"splits: int64, values: T, {_GIVEN} -> {_RESULTS}", _ATTRS
)


def _shapes(rank: int | None) -> list[TensorShape]:
    count = dim_symbol()
    return [TensorShape.of((count, rank)), TensorShape.of((count,)), TensorShape.of((rank,))]


@DENSE_COUNT.shape
def _dense_shape(c: ShapeContext) -> list[TensorShape]:
    return _shapes(c.shape("values", min_rank=1, max_rank=2).rank)


@SPARSE_COUNT.shape
def _sparse_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("indices", rank=2)
    c.shape("values", rank=1)
    size: Any = c.shape("dense_shape", rank=1).sizes
    return _shapes(size[0] if isinstance(size[0], int) else None)


@RAGGED_COUNT.shape
def _ragged_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("splits", rank=1)
    c.shape("values", rank=1)
    return _shapes(2)


class _Count:
    """Counting options from the attributes of an op."""

    def __init__(self, c: KernelContext) -> None:
        self._least, self._most = c.attr("minlength"), c.attr("maxlength")
        self._binary = c.attr("binary_output")
        self._dtype = c.attr("output_type").numpy_dtype

    def __call__(
        self, rows: Array | None, number: int, values: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """The counts.

        Args:
            rows: the row of each value; None where there is but one, without a dimension.
            number: how many rows.
            values: a vector of what is counted.
            weights: what each counts for; may be empty.

        Raises:
            ValueError: a value is negative, or there are weights for others.
        """
        if weights.size and weights.size != values.size:
            raise ValueError(
                f"weights must be empty or as many as the values, got {weights.size} and "
                f"{values.size}"
            )
        if values.size and values.min() < 0:
            raise ValueError(f"values must not be negative, got {values.min()}")
        width = max(int(values.max(initial=-1)) + 1, self._least)
        width = width if self._most < 0 else self._most
        check_size((number,), np.dtype(np.int64))
        inside = values < width
        kept = values[inside].astype(np.int64)
        lines = np.zeros_like(kept) if rows is None else rows[inside]
        order = np.lexsort((kept, lines))
        pairs = np.stack([lines[order], kept[order]], axis=1)
        first = np.ones(len(pairs), bool)
        first[1:] = (pairs[1:] != pairs[:-1]).any(1)
        indices = pairs[first]
        counts = np.zeros(len(indices), self._dtype)
        if self._binary:
            counts[:] = 1
        else:
            parts = weights.ravel()[inside][order] if weights.size else self._dtype.type(1)
            np.add.at(counts, np.cumsum(first) - 1, parts)
        shape = np.array([number, width], np.int64)
        if rows is None:
            return np.ascontiguousarray(indices[:, 1:]), counts, shape[1:]
        return indices, counts, shape


@DENSE_COUNT.fresh_kernel
def _dense_kernel(c: KernelContext) -> Kernel:
    count = _Count(c)

    def dense_count(values: Array, weights: Array) -> Any:
        if values.ndim not in (1, 2):
            raise ValueError(f"values must have rank 1 or 2, got shape {list(values.shape)}")
        rows = np.repeat(np.arange(len(values)), values.shape[1]) if values.ndim == 2 else None
        return count(rows, len(values), values.ravel(), weights)

    return dense_count


@SPARSE_COUNT.fresh_kernel
def _sparse_kernel(c: KernelContext) -> Kernel:
    count = _Count(c)

    def sparse_count(indices: Array, values: Array, dense_shape: Array, weights: Array) -> Any:
        rank = dense_shape.size
        if dense_shape.ndim != 1 or rank not in (1, 2):
            raise ValueError(f"dense_shape must have 1 or 2 dimensions, got {dense_shape}")
        if values.ndim != 1 or indices.shape != (values.size, rank):
            raise ValueError(
                f"indices must have shape {[values.size, rank]}, got {list(indices.shape)}"
            )
        outside = (indices < 0) | (indices >= dense_shape)
        if outside.any():
            i, j = (int(part[0]) for part in np.nonzero(outside))
            raise ValueError(f"indices[{i},{j}] = {indices[i, j]} is not in [0, {dense_shape[j]})")
        rows = indices[:, 0] if rank == 2 else None
        return count(rows, int(dense_shape[0]), values, weights)

    return sparse_count


@RAGGED_COUNT.fresh_kernel
def _ragged_kernel(c: KernelContext) -> Kernel:
    count = _Count(c)

    def ragged_count(splits: Array, values: Array, weights: Array) -> Any:
        if values.ndim != 1:
            raise ValueError(f"values must have rank 1, got shape {list(values.shape)}")
        check_splits(splits, values.size, "splits")
        rows = np.repeat(np.arange(splits.size - 1), np.diff(splits))
        return count(rows, splits.size - 1, values, weights)

    return ragged_count
