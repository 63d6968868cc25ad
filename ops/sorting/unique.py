"""Unique elements: unique, unique_with_counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import normal_axis
from ...shape_inference.symbolic.symbolic import Dim, dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits

public = {"td": "unique unique_with_counts"}

_ATTRS = "T: type, out_idx: {int32, int64} = int32"
_ATTRS_V2 = "T: type, Taxis: {int32, int64} = int64, out_idx: {int32, int64} = int32"

_GROWS = Traits(grows=True)  # where numbers of the places are wider than the elements

UNIQUE = OpDef("Unique", "x: T -> y: T, idx: out_idx", _ATTRS, traits=_GROWS)
UNIQUE_V2 = OpDef("UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx", _ATTRS_V2, traits=_GROWS)
UNIQUE_WITH_COUNTS = OpDef(
    "UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx", _ATTRS, traits=_GROWS
)
UNIQUE_WITH_COUNTS_V2 = OpDef(
    "UniqueWithCountsV2",
    "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
    _ATTRS_V2,
    traits=_GROWS,
)


@UNIQUE.shape
def _unique_shape(c: ShapeContext) -> list[TensorShape]:
    x = c.shape("x", rank=1)
    return [_some_of(x), x]


@UNIQUE_WITH_COUNTS.shape
def _unique_with_counts_shape(c: ShapeContext) -> list[TensorShape]:
    x = c.shape("x")  # TensorFlow checks its rank at the run only
    unique = _some_of(x)
    return [unique, x, unique]


@UNIQUE_V2.shape
def _unique_v2_shape(c: ShapeContext) -> list[TensorShape]:
    y, index, _ = _of_slices(c)
    return [y, index]


@UNIQUE_WITH_COUNTS_V2.shape
def _unique_with_counts_v2_shape(c: ShapeContext) -> list[TensorShape]:
    return _of_slices(c)


def _of_slices(c: ShapeContext) -> list[TensorShape]:
    x, axis = c.shape("x"), c.const("axis")
    c.shape("axis", rank=1)
    if axis is None or x.sizes is None:
        sizes = None if x.sizes is None else (None,) * len(x.sizes)
        return [TensorShape.of(sizes), TensorShape.of((None,)), TensorShape.of((None,))]
    along = _checked_axis(axis, len(x.sizes))
    unique = _some_of(x[along : along + 1])
    return [x[:along] + unique + x[along + 1 :], x[along : along + 1], unique]


def _checked_axis(axis: Array, rank: int) -> int:
    """The axis that a vector of at most one element names: by default that of a vector."""
    if axis.ndim != 1 or axis.size > 1:
        raise ValueError(f"axis must have shape [0] or [1], got {list(axis.shape)}")
    if axis.size:
        return normal_axis(int(axis[0]), rank, "axis[0]")
    if rank != 1:
        raise ValueError(f"x must have rank 1 where axis is empty, got rank {rank}")
    return 0


def _some_of(x: TensorShape) -> TensorShape:
    """The shape of at least one element of the vector `x`, or of none if there is none."""
    length = x.sizes[0] if x.sizes else None
    if isinstance(length, int):
        some: Dim = length if length < 2 else dim_symbol(lower=1, upper=length)
        return TensorShape.of((some,))
    return TensorShape.of((None,))


@UNIQUE.view_kernel
@UNIQUE_WITH_COUNTS.view_kernel
def _unique_kernel(c: KernelContext) -> Kernel:
    dtype, counted = _index_dtype(c), len(c.node.outputs) == 3

    def unique(x: Array) -> tuple[Array, ...]:
        if x.ndim != 1:
            raise ValueError(f"x must have rank 1, got shape {list(x.shape)}")
        first, number = in_order_of_appearance(x)
        index = number.astype(dtype, copy=False)
        return (x[first], index, _counts(number, first, dtype)) if counted else (x[first], index)

    return unique


@UNIQUE_V2.view_kernel
@UNIQUE_WITH_COUNTS_V2.view_kernel
def _unique_v2_kernel(c: KernelContext) -> Kernel:
    dtype, counted = _index_dtype(c), len(c.node.outputs) == 3

    def unique_slices(x: Array, axis: Array) -> tuple[Array, ...]:
        along = _checked_axis(axis, x.ndim)
        first, number = _slices_in_order(x, along)
        index = number.astype(dtype, copy=False)
        y = x.take(first, along)
        return (y, index, _counts(number, first, dtype)) if counted else (y, index)

    return unique_slices


def _index_dtype(c: KernelContext) -> np.dtype[Any]:
    return c.attr("out_idx").numpy_dtype


def _counts(number: Array, first: Array, dtype: np.dtype[Any]) -> Array:
    return np.bincount(number, minlength=len(first)).astype(dtype, copy=False)


def _slices_in_order(x: Array, axis: int) -> tuple[Array, Array]:
    """`in_order_of_appearance` of the slices along `axis`, one column after the other."""
    length = x.shape[axis]
    columns = np.moveaxis(x, axis, 0).reshape(length, math.prod(x.shape) // max(length, 1)).T
    first, number = np.arange(min(length, 1)), np.zeros(length, np.intp)
    for column in columns:
        _, of_column = in_order_of_appearance(column)
        first, number = in_order_of_appearance(number * length + of_column)
    return first, number


_FEW = 64


def in_order_of_appearance(x: Array) -> tuple[Array, Array]:
    """The unique elements of a vector, numbered in the order in which they appear.

    Every NaN is an element of its own, as in TensorFlow; NumPy counts them as one.

    Returns:
        Where each unique element stands first, and for each element of `x` its number.
    """
    if x.dtype == object or len(x) <= _FEW:
        return _by_dictionary(x.tolist())
    table = _table([x])
    if table is not None:
        return _by_table(*table)
    return _by_sorting(x)


def _by_dictionary(items: list[Any]) -> tuple[Array, Array]:
    seen: dict[Any, int] = {}
    number = np.array([seen.setdefault(item, len(seen)) for item in items], np.intp)
    first = np.empty(len(seen), np.intp)
    first[number[::-1]] = np.arange(len(items) - 1, -1, -1)
    return first, number


class Table(NamedTuple):
    """Integers counted from the least of them, few enough to look them up in a table."""

    offsets: list[Array]
    size: int


def _table(vectors: Sequence[Array]) -> Table | None:
    """The vectors as offsets into a table, unless it would be large beside them."""
    kind = vectors[0].dtype.kind
    if kind == "b":
        return Table([x.view(np.uint8) for x in vectors], 2)
    if kind not in "iu":
        return None
    filled = [x for x in vectors if x.size]
    if not filled:
        return Table([x.astype(np.intp) for x in vectors], 1)
    lowest, highest = min(int(x.min()) for x in filled), max(int(x.max()) for x in filled)
    size = highest - lowest + 1
    if size > 4 * sum(x.size for x in vectors) + 1024:
        return None
    if kind == "u":
        return Table([(x - x.dtype.type(lowest)).astype(np.intp) for x in vectors], size)
    return Table([x.astype(np.intp) - lowest for x in vectors], size)


def _by_table(offsets: list[Array], size: int) -> tuple[Array, Array]:
    (offset,) = offsets
    count = len(offset)
    table = np.empty(size, np.intp)
    table[offset[::-1]] = np.arange(count - 1, -1, -1)  # the first place is written last
    first = np.flatnonzero(table[offset] == np.arange(count))
    table[offset[first]] = np.arange(len(first))
    return first, table[offset]


def _by_sorting(x: Array) -> tuple[Array, Array]:
    order, starts = _groups(x)
    first = np.minimum.reduceat(order, starts) if x.size else starts
    is_first = np.zeros(len(x), bool)
    is_first[first] = True
    numbers = is_first.cumsum() - 1
    number = np.empty(len(x), np.intp)
    number[order] = np.repeat(numbers[first], np.diff(starts, append=len(x)))
    return np.flatnonzero(is_first), number


def _groups(x: Array) -> tuple[Array, Array]:
    """The order that brings equal elements together, and where each group starts in it."""
    order = x.argsort()
    ordered = x[order]
    starts = np.ones(len(x), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return order, np.flatnonzero(starts)


def unique(x: TensorLike, out_idx: Any = None, name: str | None = None) -> Any:
    """The unique elements of a vector, in the order in which they appear.

    NumPy's `unique` sorts them. Every NaN is an element of its own.

    Args:
        x: a vector of any dtype.
        out_idx: the dtype of the indices: int32, the default, or int64.
        name: a name for the op.

    Returns:
        A namedtuple `(y, idx)` of Tensors: the unique elements, and for each element of `x` its
        position in `y`.

    Raises:
        ValueError: `x` is not a vector.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y, idx = session.run(td.unique([7, 1, 7, 2]))
        >>> print(y, idx)
        [7 1 2] [0 1 0 2]
    """
    return UNIQUE(x, out_idx=out_idx, name=name)


def unique_with_counts(x: TensorLike, out_idx: Any = None, name: str | None = None) -> Any:
    """The unique elements of a vector, in the order in which they appear, and how many there are.

    Args:
        x: a vector of any dtype. Its rank is checked at the run.
        out_idx: the dtype of indices and counts: int32, the default, or int64.
        name: a name for the op.

    Returns:
        A namedtuple `(y, idx, count)` of Tensors: the unique elements, for each element of `x` its
        position in `y`, and how often each element of `y` comes in `x`.

    Raises:
        InvalidArgumentError: at the run, `x` is not a vector.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y, idx, count = session.run(td.unique_with_counts([1, 1, 2, 4, 4, 4, 7, 8, 8]))
        >>> print(y, idx, count)
        [1 2 4 7 8] [0 0 1 2 2 2 3 4 4] [2 1 3 1 2]
    """
    return UNIQUE_WITH_COUNTS(x, out_idx=out_idx, name=name)
