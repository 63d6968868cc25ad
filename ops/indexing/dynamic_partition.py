"""Partitioning of tensors, and stitching: dynamic_partition, dynamic_stitch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.symbolic.symbolic import Dim, dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size, new_array, new_zeros
from .gather import in_range, out_of_range

public = {"td": "dynamic_partition dynamic_stitch"}

_BLOCK = 1 << 16
_FEW = 16  # partitions that are counted faster one by one

DYNAMIC_PARTITION: OpDef[list[Tensor]] = OpDef(
    "DynamicPartition",
    "data: T, partitions: int32 -> outputs: num_partitions * T",
    "num_partitions: int >= 1, T: type",
    traits=Move(),
)
_STITCH = ("indices: N * int32, data: N * T -> merged: T", "N: int >= 1, T: type")
DYNAMIC_STITCH = OpDef("DynamicStitch", *_STITCH, traits=Move())
PARALLEL_DYNAMIC_STITCH = OpDef("ParallelDynamicStitch", *_STITCH, traits=Move())


def _rest(
    c: ShapeContext, name: str, data: TensorShape, prefix_name: str, prefix: TensorShape
) -> TensorShape:
    """Sizes of `data` after `prefix`, with which it must start."""
    if prefix.sizes is None:
        return UNKNOWN_SHAPE
    if data.sizes is not None and not data[: len(prefix.sizes)].is_compatible_with(prefix):
        raise ValueError(
            f"the shape of {name} must start with that of {prefix_name}, got {data} and {prefix}"
        )
    c.merged(f"the start of {name} and {prefix_name}", [data[: len(prefix.sizes)], prefix])
    return data[len(prefix.sizes) :]


@DYNAMIC_PARTITION.shape
def _dynamic_partition_shape(c: ShapeContext) -> list[TensorShape]:
    partitions = c.shape("partitions")
    rest = _rest(c, "data", c.shape("data"), "partitions", partitions)
    number = c.attr("num_partitions")
    constant = c.const("partitions")
    if constant is None or not in_range(constant, number):
        return [TensorShape.of((_part_of(partitions),)) + rest for _ in range(number)]
    return [TensorShape.of((n,)) + rest for n in _counts(constant, number)]


def _part_of(partitions: TensorShape) -> Dim:
    return dim_symbol(upper=partitions.num_elements())


def _counts(partitions: Array, number: int) -> list[int]:
    if number <= _FEW:
        return [int(np.count_nonzero(partitions == i)) for i in range(number)]
    return list(map(int, np.bincount(partitions.reshape(-1), minlength=number)))


@DYNAMIC_PARTITION.fresh_kernel
def _dynamic_partition_kernel(c: KernelContext) -> Kernel:
    number = c.attr("num_partitions")
    constant = c.const("partitions")
    plan = None if constant is None else _order_and_cuts(constant, number)

    def partition(data: Array, partitions: Array) -> Array | tuple[Array, ...]:
        rank = partitions.ndim
        if data.shape[:rank] != partitions.shape:
            raise ValueError(
                "the shape of data must start with that of partitions, got "
                f"{list(data.shape)} and {list(partitions.shape)}"
            )
        rows = data.reshape(partitions.size, *data.shape[rank:])
        if plan is None and 1 < number <= 256 and len(rows) > _BLOCK:
            return tuple(_by_blocks(rows, partitions, number))
        order, cuts = _order_and_cuts(partitions, number) if plan is None else plan
        rows = rows.take(order, axis=0)
        return rows if number == 1 else tuple([rows[start:end] for start, end in cuts])

    return partition


def _by_blocks(rows: Array, partitions: Array, number: int) -> list[Array]:
    """The partitions of many rows, ordered block by block, while a block is in the cache."""
    _check_range(partitions, number)
    flat = partitions.reshape(-1)
    ordered = np.empty_like(rows)
    parts: list[list[Array]] = [[] for _ in range(number)]
    for start in range(0, len(flat), _BLOCK):
        block = slice(start, start + _BLOCK)
        small = flat[block].astype(np.uint8)
        rows[block].take(small.argsort(kind="stable"), 0, out=ordered[block], mode="clip")
        counts = _counts(small, number)
        end = start
        for part, count in zip(parts, counts, strict=True):
            start, end = end, end + count
            part.append(ordered[start:end])
    return [np.concatenate(part) for part in parts]


def _check_range(partitions: Array, number: int) -> None:
    if not in_range(partitions, number):
        raise out_of_range("partitions", partitions, number)


def _order_and_cuts(partitions: Array, number: int) -> tuple[Array, list[tuple[int, int]]]:
    """The elements ordered by partition, and where each partition starts and ends among them."""
    _check_range(partitions, number)
    flat = partitions.reshape(-1)
    # NumPy's stable sort of small integers is a radix sort, in one pass.
    small = flat.astype(np.uint8 if number <= 256 else np.uint16) if number <= 65536 else flat
    cuts = []
    end = 0
    for count in _counts(flat, number):
        cuts.append((end, end + count))
        end += count
    return small.argsort(kind="stable"), cuts


@DYNAMIC_STITCH.shape
@PARALLEL_DYNAMIC_STITCH.shape
def _dynamic_stitch_shape(c: ShapeContext) -> TensorShape:
    rests = [
        _rest(c, f"data[{i}]", data, f"indices[{i}]", indices)
        for i, (indices, data) in enumerate(zip(c.shapes("indices"), c.shapes("data"), strict=True))
    ]
    rest = c.merged("what follows in the shapes of data", rests)
    edges = c.inputs("indices")
    values = c.values("indices")
    known = [value for value in values if value is not None and value.dtype != object]
    size = _stitched_size(known) if len(known) == len(edges) else dim_symbol()
    return TensorShape.of((size,)) + rest


def _stitched_size(indices: Sequence[Array]) -> int:
    return 1 + max([int(some.max()) for some in indices if some.size], default=-1)


@DYNAMIC_STITCH.fresh_kernel
@PARALLEL_DYNAMIC_STITCH.fresh_kernel
def _dynamic_stitch_kernel(c: KernelContext) -> Kernel:
    indices = c.consts("indices")
    number = c.attr("N")
    constants = [some for some in indices if some is not None]
    plan = _places(constants) if len(constants) == number else None

    def stitch(*inputs: Array) -> Array:
        size, places = _places(inputs[:number]) if plan is None else plan
        data = inputs[number:]
        rest = _common_rest(inputs[:number], data)
        shape = (size, *rest)
        if c.symbolic:
            result = np.zeros(shape, object)
        else:
            check_size(shape, data[0].dtype)
            make = new_array if _are_all_rows(places, size) else new_zeros
            result = make(shape, data[0].dtype)
        for flat, some in zip(places, data, strict=True):
            result[flat] = some.reshape(len(flat), *rest)
        return result

    return stitch


def _places(indices: Sequence[Array]) -> tuple[int, list[Array]]:
    """The size of the result, and where the rows of each data tensor go in it."""
    size = _stitched_size(indices)
    for i, some in enumerate(indices):
        if not in_range(some, size):
            raise out_of_range(f"indices[{i}]", some, size)
    return size, [some.reshape(-1) for some in indices]


def _are_all_rows(places: Sequence[Array], size: int) -> bool:
    """True if every row of the result is written, so that none needs to be cleared first."""
    missing = np.ones(size, np.bool_)
    for flat in places:
        missing[flat] = False
    return not missing.any()


def _common_rest(indices: Sequence[Array], data: Sequence[Array]) -> tuple[int, ...]:
    """Shape of each data tensor after the dimensions of its indices."""
    rest: tuple[int, ...] = data[0].shape[indices[0].ndim :]
    for i, (places, some) in enumerate(zip(indices, data, strict=True)):
        if some.shape != (*places.shape, *rest):
            raise ValueError(
                f"data[{i}] must have the shape of indices[{i}], {list(places.shape)}, followed by "
                f"{list(rest)} as in data[0], got {list(some.shape)}"
            )
    return rest


def dynamic_partition(
    data: TensorLike, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The elements or slices of `data` sorted into `num_partitions` tensors.

    Args:
        data: a tensor of any dtype whose shape starts with that of `partitions`.
        partitions: the number of the tensor that each slice goes to: int32 of any shape, each in
            `[0, num_partitions)`.
        num_partitions: how many tensors there are: at least 1.
        name: a name for the op.

    Returns:
        A list of Tensors of shape `[count] + data.shape[rank(partitions):]`. Each keeps the order
        that the slices had in `data`.

    Raises:
        ValueError: the shapes do not fit; at the run, a partition is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     even, odd = session.run(td.dynamic_partition([10, 21, 31, 40], [0, 1, 1, 0], 2))
        >>> print(even, odd)
        [10 40] [21 31]
    """
    return DYNAMIC_PARTITION(data, partitions, num_partitions=num_partitions, name=name)


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any], name: str | None = None) -> Tensor:
    """One tensor whose slice `indices[m][i, ...]` is `data[m][i, ...]`.

    Where an index comes more than once, the last one wins. Where an index between others does not
    come at all, the slice is zero.

    Args:
        indices: a list of at least one int32 tensor of non-negative indices, of any shape.
        data: as many tensors of one dtype; each has the shape of its indices, followed by sizes
            that all have in common.
        name: a name for the op.

    Returns:
        A Tensor of shape `[max(indices) + 1] + data[0].shape[rank(indices[0]):]`. (The documents
        say `max(indices)`.)

    Raises:
        ValueError: the shapes do not fit; at the run, an index is negative.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     merged = td.dynamic_stitch([0, [3, 1, 2]], [10, [13, 11, 12]])
        ...     print(session.run(merged))
        [10 11 12 13]
    """
    return DYNAMIC_STITCH(indices, data, name=name)
