"""Ops of ONNX that choose or place elements by indices or conditions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import selected
from .nodes import (
    apply,
    as_size,
    axis_of,
    cast,
    concat,
    constant,
    expand,
    ints,
    joined,
    part_of,
    rank_of,
    reshape,
    shape_of,
    size_of,
    static_shape,
    transpose,
    wide,
)
from .reductions import smallest
from .tensors import MalformedError, UnsupportedError

_SCATTERS = {
    "none": "TensorScatterUpdate",
    "add": "TensorScatterAdd",
    "max": "TensorScatterMax",
    "min": "TensorScatterMin",
}


def counted(indices: Tensor, size: Any) -> Any:
    """Indices, of which negative ones are counted from the end."""
    known = constant(indices)
    if known is not None and (known >= 0).all():
        return indices
    if known is not None and isinstance(size, int):
        return np.where(known < 0, known + size, known)
    wider = cast(indices, dtypes.int64)
    size = np.asarray(size) if not isinstance(size, Tensor) else size
    return selected(apply("Less", wider, np.int64(0)), apply("AddV2", wider, size), wider)


def _gather(c: Call) -> Tensor:
    axis = axis_of(c.int("axis", 0), rank_of(c[0]))
    return apply("GatherV2", c[0], counted(c[1], size_of(c[0], axis)), np.int32(axis))


def _gather_elements(c: Call) -> Tensor:
    x, indices = c[0], c[1]
    rank = rank_of(x)
    axis = axis_of(c.int("axis", 0), rank)
    indices = counted(indices, size_of(x, axis))
    if rank == 1:
        return apply("GatherV2", x, indices, np.int32(0))
    x = _like_others(x, c[1], axis)
    order = [i for i in range(rank) if i != axis] + [axis]
    back = [order.index(i) for i in range(rank)]
    if not isinstance(indices, Tensor):
        indices = indices.transpose(order)
    else:
        indices = transpose(indices, order)
    chosen = apply(
        "GatherV2", transpose(x, order), indices, np.int32(rank - 1), batch_dims=rank - 1
    )
    return transpose(chosen, back)


def _like_others(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """The part of a tensor that has the shape of indices, but along an axis."""
    mine, theirs = static_shape(x), static_shape(indices)
    if mine is not None and theirs is not None:
        mine[axis] = theirs[axis]
        if mine == theirs:
            return x
    rank = rank_of(x)
    shape = shape_of(indices)
    if isinstance(shape, Tensor):
        sizes = apply("TensorScatterUpdate", shape, [[axis]], np.array([-1], np.int64))
    else:
        sizes = np.where(np.arange(rank) == axis, -1, shape)
    return apply("Slice", x, np.zeros(rank, np.int64), sizes)


def _gather_nd(c: Call) -> Tensor:
    x, batch = c[0], c.int("batch_dims", 0)
    indices = _counted_places(c[1], x, batch)
    return apply("GatherNd", x, indices)


def _counted_places(indices: Tensor, x: Tensor, batch: int = 0) -> Tensor:
    """Indices of elements or slices: counted from the front, and with those of batches before."""
    depth = size_of(indices, -1)
    if not isinstance(depth, int):
        raise UnsupportedError("the last size of its indices is not known: not supported")
    known = constant(indices)
    if known is None or (known < 0).any():
        part = part_of(shape_of(x), batch, batch + depth)
        indices = cast(indices, dtypes.int64)
        indices = selected(
            apply("Less", indices, np.int64(0)), apply("AddV2", indices, part), indices
        )
    if not batch:
        return indices
    indices = cast(indices, dtypes.int64)
    front = joined(part_of(shape_of(indices), 0, rank_of(indices) - 1), ints([1]))
    parts = [_numbered(indices, axis, front) for axis in range(batch)]
    return concat([*parts, indices], -1)


def _numbered(x: Tensor, axis: int, shape: Any) -> Tensor:
    """The place of each element along an axis of a tensor, in a shape of the same rank."""
    numbers = apply("Range", np.int64(0), as_size(size_of(x, axis)), np.int64(1))
    numbers = reshape(numbers, [1] * axis + [-1] + [1] * (rank_of(x) - 1 - axis))
    result: Tensor = apply("BroadcastTo", numbers, shape)
    return result


def _scatter_elements(c: Call) -> Tensor:
    x, indices, updates = c[0], c[1], c[2]
    rank = rank_of(x)
    axis = axis_of(c.int("axis", 0), rank)
    shape = shape_of(indices)
    wider = counted(indices, size_of(x, axis))
    wider = cast(wider, dtypes.int64) if isinstance(wider, Tensor) else wider.astype(np.int64)
    parts = [wider if place == axis else _numbered(indices, place, shape) for place in range(rank)]
    return _scattered(x, apply("Pack", parts, axis=rank), updates, c.text("reduction", "none"))


def _scatter_nd(c: Call) -> Tensor:
    return _scattered(c[0], _counted_places(c[1], c[0]), c[2], c.text("reduction", "none"))


def _scattered(x: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Tensor:
    if reduction in _SCATTERS:
        if x.dtype is dtypes.bool and reduction != "none":
            raise MalformedError(f"reduction {reduction} of bools")
        return wide(_SCATTERS[reduction], x, places, updates)
    if reduction != "mul":
        raise MalformedError(f"reduction must be none, add, mul, max or min, got {reduction!r}")
    # Each place is multiplied by the product of its updates, which is 1 where there are none.
    depth = size_of(places, -1)
    sizes = shape_of(x)
    outer = part_of(sizes, 0, depth)
    strides = apply("Cumprod", outer, np.int32(0), exclusive=True, reverse=True)
    numbers = reshape(
        apply("Sum", apply("Mul", cast(places, dtypes.int64), strides), np.int32(-1)), [-1]
    )
    count = apply("Prod", outer, np.int32(0))
    rows = apply(
        "Reshape",
        updates,
        joined(reshape(apply("Size", numbers, out_type=dtypes.int64), [1]), part_of(sizes, depth)),
    )
    factors = wide("UnsortedSegmentProd", rows, numbers, count)
    return wide("Mul", x, apply("Reshape", factors, sizes))


def _non_zero(c: Call) -> Tensor:
    x = c[0]
    if x.shape.ndims == 0:
        x = expand(x, [0])
        return apply("Slice", apply("Transpose", apply("Where", x), [1, 0]), [0, 0], [0, -1])
    return apply("Transpose", apply("Where", x), np.array([1, 0], np.int32))


def _compress(c: Call) -> Tensor:
    x = c[0]
    chosen = reshape(apply("Where", c[1]), [-1])
    if "axis" not in c.attrs:
        return apply("GatherV2", reshape(x, [-1]), chosen, np.int32(0))
    return apply("GatherV2", x, chosen, np.int32(axis_of(c.int("axis"), rank_of(x))))


def _unique(c: Call) -> Any:
    x = c[0]
    if "axis" in c.attrs:
        axis = axis_of(c.int("axis"), rank_of(x))
    else:
        x, axis = reshape(x, [-1]), 0
    places = np.array([axis], np.int64)
    values, inverse, counts = apply("UniqueWithCountsV2", x, places, out_idx=dtypes.int64)
    total = apply("Size", counts, out_type=dtypes.int64)
    numbers = apply(
        "Range", np.int64(0), apply("Size", inverse, out_type=dtypes.int64), np.int64(1)
    )
    first = apply("UnsortedSegmentMin", numbers, inverse, total)
    if c.int("sorted", 1):
        order = _order(values, axis, total)
        values = apply("GatherV2", values, order, np.int32(axis))
        first, counts = (apply("GatherV2", part, order, np.int32(0)) for part in (first, counts))
        inverse = apply("GatherV2", apply("InvertPermutation", order), inverse, np.int32(0))
    return [values, first, inverse, counts]


def _order(values: Tensor, axis: int, total: Tensor) -> Tensor:
    """The order that sorts slices along an axis: by their first elements, then the next."""
    rank = rank_of(values)
    if rank == 1:
        return smallest(values, total)[1]
    sizes: list[Any] = [size for i, size in enumerate(values.shape.as_list()) if i != axis]
    if None in sizes or np.prod(sizes) > 1024:
        raise UnsupportedError("the slices that it compares are too large: not supported")
    order = [i for i in range(rank) if i != axis] + [axis]
    rows = reshape(transpose(values, order), [int(np.prod(sizes)), -1])
    result = apply("Range", np.int64(0), total, np.int64(1))
    for row in reversed(apply("Unpack", rows, num=int(np.prod(sizes)))):
        moved = apply("GatherV2", row, result, np.int32(0))
        result = apply("GatherV2", result, smallest(moved, total)[1], np.int32(0))
    return result


def _tensor_scatter(c: Call) -> Tensor:
    x, updates = c[0], c[1]
    rank = rank_of(x)
    axis = axis_of(c.int("axis", -2), rank)
    mode = c.text("mode", "linear")
    order = [0, axis, *(i for i in range(1, rank) if i != axis)]
    back = [order.index(i) for i in range(rank)]
    moved, new = transpose(x, order), transpose(updates, order)
    steps = apply("Range", np.int64(0), as_size(size_of(new, 1)), np.int64(1))
    batch = apply("Range", np.int64(0), as_size(size_of(x, 0)), np.int64(1))
    starts: Any = cast(c[2], dtypes.int64) if c.has(2) else apply("ZerosLike", batch)
    places = apply("AddV2", apply("ExpandDims", starts, np.int32(1)), steps)
    if mode == "circular":
        places = apply("FloorMod", places, as_size(size_of(x, axis)))
    rows = apply("BroadcastTo", apply("ExpandDims", batch, np.int32(1)), apply("Shape", places))
    indices = apply("Pack", [rows, places], axis=2)
    return transpose(apply("TensorScatterUpdate", moved, indices, new), back)


RULES: dict[str, Rule] = {
    "Compress": _compress,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "NonZero": _non_zero,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
    "Unique": _unique,
}
