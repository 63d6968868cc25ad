"""Ragged tensors as dense and as sparse ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size, new_array
from ..strings.unicode import check_splits
from .ragged_rows import check_nested

if TYPE_CHECKING:
    from ...graph.op_def import Results

RAGGED_TENSOR_TO_SPARSE: OpDef[Results] = OpDef(
    "RaggedTensorToSparse",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T "
    "-> sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    "RAGGED_RANK: int >= 1, T: type, Tsplits: {int32, int64} = int64",
)
RAGGED_TENSOR_TO_TENSOR = OpDef(
    "RaggedTensorToTensor",
    "shape: Tshape, values: T, default_value: T, row_partition_tensors: "
    "num_row_partition_tensors * Tindex -> result: T",
    "T: type, Tindex: {int64, int32}, Tshape: {int64, int32}, "
    "num_row_partition_tensors: int >= 1, row_partition_types: list(string)",
)
_KINDS = (b"FIRST_DIM_SIZE", b"VALUE_ROWIDS", b"ROW_SPLITS")


@RAGGED_TENSOR_TO_SPARSE.shape
def _to_sparse_shape(c: ShapeContext) -> list[TensorShape]:
    for splits in c.shapes("rt_nested_splits"):
        splits.with_rank(1)
    values = c.shape("rt_dense_values", min_rank=1)
    number: Any = 1
    for size in (None,) if values.sizes is None else values.sizes:
        number = None if number is None or size is None else number * size
    rank = None if values.rank is None else values.rank + c.attr("RAGGED_RANK")
    return [TensorShape.of((number, rank)), TensorShape.of((number,)), TensorShape.of((rank,))]


@RAGGED_TENSOR_TO_SPARSE.fresh_kernel
def _to_sparse_kernel(c: KernelContext) -> Kernel:
    depth = c.attr("RAGGED_RANK")

    def to_sparse(*parts: Array) -> tuple[Array, Array, Array]:
        splits, values = parts[:depth], parts[depth]
        check_nested(splits, values, "rt_nested_splits")
        places = _places([_row_ids(ends) for ends in splits], len(values))
        inner = values.shape[1:]
        check_size([values.size, depth + values.ndim], np.dtype(np.int64))
        within = np.indices(inner, np.int64).reshape(len(inner), math.prod(inner)).T
        columns = np.concatenate(
            [np.repeat(np.stack(places, 1), len(within), 0), np.tile(within, (len(values), 1))], 1
        )
        longest = [int(np.diff(ends).max(initial=0)) for ends in splits]
        shape = np.array([len(splits[0]) - 1, *longest, *inner], np.int64)
        return columns.astype(np.int64), values.reshape(-1).copy(), shape

    return to_sparse


def _row_ids(ends: Array) -> Array:
    """The row of each value."""
    return np.repeat(np.arange(len(ends) - 1), np.diff(ends))


def _places(row_ids: Sequence[Array], number: int) -> list[Array]:
    """For each value its place along each ragged dimension, the outermost first.

    Args:
        row_ids: the row of each value of a level, by level.
        number: how many values the innermost level has.
    """
    items, places = np.arange(number), []
    for ids in reversed(row_ids):
        rows = ids[items]
        # Where in its row each item of the level stands.
        starts = np.searchsorted(ids, ids)
        places.append((np.arange(len(ids)) - starts)[items])
        items = rows
    return [items, *reversed(places)]


@RAGGED_TENSOR_TO_TENSOR.shape
def _to_tensor_shape(c: ShapeContext) -> TensorShape:
    kinds = _kinds(c)
    values = c.shape("values", min_rank=1)
    if values.sizes is None:
        return UNKNOWN_SHAPE
    rank = len(kinds) - (kinds[0] == _KINDS[0]) + len(values.sizes)
    if c.shape("shape", max_rank=1).rank == 1:
        asked = shape_from_value(c, "shape", minus_one_is_unknown=True)
    else:
        asked = UNKNOWN_SHAPE
    if asked.sizes is None:
        asked = TensorShape.of((None,) * rank)
    inner = TensorShape.of((None,) * (rank - len(values.sizes) + 1)) + values[1:]
    return c.merged("shape and the dimensions of values", [asked, inner])


def _kinds(c: OpContext) -> list[bytes]:
    """Kinds of row-partition tensors.

    Raises:
        ValueError: the partition type is unknown.
    """
    kinds: list[bytes] = list(c.attr("row_partition_types"))
    if len(kinds) != c.attr("num_row_partition_tensors"):
        raise ValueError(
            f"row_partition_types must be as many as row_partition_tensors, "
            f"{c.attr('num_row_partition_tensors')}, got {len(kinds)}"
        )
    for i, kind in enumerate(kinds):
        if kind not in _KINDS or (kind == _KINDS[0]) != (i == 0 and kinds[0] == _KINDS[0]):
            raise ValueError(
                "row_partition_types must be ROW_SPLITS or VALUE_ROWIDS, the first also "
                f"FIRST_DIM_SIZE, got {kind.decode(errors='replace')!r} at {i}"
            )
    if kinds[0] == _KINDS[1]:
        raise ValueError("row_partition_types must not begin with VALUE_ROWIDS")
    return kinds


@RAGGED_TENSOR_TO_TENSOR.fresh_kernel
def _to_tensor_kernel(c: KernelContext) -> Kernel:
    kinds = _kinds(c)

    def to_tensor(shape: Array, values: Array, default: Array, *partitions: Array) -> Array:
        if not values.ndim:
            raise ValueError("values must have rank at least 1, got a scalar")
        row_ids, lengths, number = _partitioned(kinds, partitions)
        if number != len(values):
            raise ValueError(f"the rows hold {number} values, got {len(values)}")
        sizes = _sizes(shape, [*lengths, *values.shape[1:]])
        inner = tuple(sizes[len(lengths) :])
        if inner != values.shape[1:]:
            raise ValueError(f"shape ends in {list(inner)}, values in {list(values.shape[1:])}")
        result = new_array(sizes, values.dtype)
        try:
            result[...] = default
        except ValueError:
            raise ValueError(
                f"default_value of shape {list(default.shape)} must broadcast to {list(inner)}"
            ) from None
        places = _places(row_ids, len(values))
        kept = np.ones(len(values), np.bool_)
        for place, size in zip(places, sizes, strict=False):
            kept &= place < size
        result[tuple(place[kept] for place in places)] = values[kept]
        return result

    return to_tensor


def _partitioned(
    kinds: Sequence[bytes], partitions: Sequence[Array]
) -> tuple[list[Array], list[int], int]:
    """The row of each value of each level, the size of each dimension, the number of values.

    Raises:
        ValueError: the levels do not fit each other.
    """
    rows, first = partitions[0], kinds[0] == _KINDS[0]
    if first and rows.ndim:
        raise ValueError(f"row_partition_tensors[0] must be a scalar, got shape {list(rows.shape)}")
    number = int(rows) if first else len(rows) - 1 if rows.ndim == 1 else -1
    if number < 0:
        raise ValueError(f"row_partition_tensors[0] must say how many rows there are, got {rows}")
    lengths, row_ids = [number], []
    for i, (kind, partition) in enumerate(zip(kinds, partitions, strict=True)):
        name = f"row_partition_tensors[{i}]"
        if kind == _KINDS[0]:
            continue
        if partition.ndim != 1:
            raise ValueError(f"{name} must be a vector, got shape {list(partition.shape)}")
        if kind == _KINDS[2]:
            check_splits(partition, int(partition[-1]) if len(partition) else 0, name)
            if len(partition) != number + 1:
                raise ValueError(f"{name} must have {number + 1} elements, got {len(partition)}")
            check_size([int(partition[-1])], np.dtype(np.int64))
            ids = _row_ids(partition)
        else:
            ids = partition.astype(np.int64)
            falls = (np.diff(ids) < 0).any()
            if len(ids) and (falls or ids[0] < 0 or ids[-1] >= number):
                raise ValueError(f"{name} must rise within [0, {number}), got {ids[:5].tolist()} …")
        row_ids.append(ids)
        lengths.append(int(np.unique(ids, return_counts=True)[1].max(initial=0)))
        number = len(ids)
    return row_ids, lengths, number


def _sizes(shape: Array, found: Sequence[int]) -> tuple[Any, ...]:
    """The sizes of the result: those asked for, and what is found where -1 is.

    Raises:
        ValueError: `shape` is of another rank, or holds a number below -1.
    """
    if not shape.ndim and shape == -1:
        return tuple(found)
    if shape.shape != (len(found),) or shape.min(initial=0) < -1:
        raise ValueError(f"shape must be -1 or hold {len(found)} sizes, got {shape.tolist()}")
    return tuple(n if n >= 0 else m for n, m in zip(shape.tolist(), found, strict=True))
