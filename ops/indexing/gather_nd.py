"""Elements and slices by their position in several dimensions: GatherNd and ScatterNd."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.config import config
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, shape_from_value
from ...shape_inference.symbolic.symbolic import Dim
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move, Traits
from ..array.broadcast import broadcast_to
from ..array.concat import concat
from ..array.ranges import range as arange
from ..array.reshape import reshape
from ..array.shapes import shape as array_shape
from ..common.allocation import check_size, new_zeros
from .gather import in_range

public = {"td, td.manip": "gather_nd scatter_nd"}

GATHER_ND = OpDef(
    "GatherNd",
    "params: Tparams, indices: Tindices -> output: Tparams",
    "Tparams: type, Tindices: {int16, int32, int64}, bad_indices_policy: string = ''",
    traits=Move(splits="*,n*->n*"),
)
SCATTER_ND = OpDef(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    "T: type, Tindices: {int16, int32, int64}, bad_indices_policy: string = ''",
    traits=Traits(symbolic=True, splits="n*,n*,*->*:sum"),
)


@GATHER_ND.shape
def _gather_nd_shape(c: ShapeContext) -> TensorShape:
    params, indices = c.shape("params"), c.shape("indices", min_rank=1)
    if indices.sizes is None:
        return UNKNOWN_SHAPE
    depth = indices.sizes[-1]
    if not isinstance(depth, int) or params.sizes is None:
        return UNKNOWN_SHAPE
    _check_depth(depth, params.sizes)
    return indices[:-1] + params[depth:]


def _check_depth(depth: int, sizes: Sequence[Dim | None]) -> None:
    if depth > len(sizes):
        raise ValueError(
            f"indices must have a last dimension of at most {len(sizes)} for a tensor of shape "
            f"{TensorShape.of(tuple(sizes))}, got {depth}"
        )


@GATHER_ND.view_kernel
def _gather_nd_kernel(c: KernelContext) -> Kernel:
    indices = c.const("indices")
    skip = skips_bad_indices(c)
    places_in = None if indices is None else _places_in(indices, skip)

    def gather(params: Array, indices: Array) -> Array:
        _check_params(params, indices)
        sizes = params.shape
        places = Places(indices, sizes, skip) if places_in is None else places_in(sizes)
        return _gather_nd(params, indices, places)

    return gather


def _check_params(params: Array, indices: Array) -> None:
    if not params.ndim:
        raise ValueError("params must have rank at least 1, got a scalar")
    count = math.prod(indices.shape[:-1])
    if count and not params.size:
        raise ValueError(f"params of shape {list(params.shape)} is empty, but {count} are taken")


def skips_bad_indices(c: OpContext) -> bool:
    """True if the op ignores indices that are out of range.

    Raises:
        ValueError: the attr `bad_indices_policy` is none that there is.
    """
    policy = c.attr("bad_indices_policy")
    if policy not in (b"", b"DEFAULT", b"ERROR", b"IGNORE"):
        raise ValueError(
            f"bad_indices_policy must be empty, DEFAULT, ERROR or IGNORE, got {policy!r}"
        )
    return bool(policy == b"IGNORE")


class Places:
    """Positions that indices of shape `[..., depth]` select in a tensor of shape `sizes`.

    Args:
        indices: the indices; their last dimension runs over dimensions of the tensor.
        sizes: the shape of the tensor.
        skip: whether indices that are out of range are left out, and not an error.

    Attributes:
        outer: the shape of `indices` without its last dimension.
        rest: the shape of the slice that each index names.
        number: how many such slices the tensor has.
        good: which indices are in range, as a vector; None where all are.

    Raises:
        ValueError: an index is out of range, or there are more dimensions than the tensor has.
    """

    __slots__ = ("_columns", "_sizes", "_whole", "good", "number", "outer", "rest")

    def __init__(self, indices: Array, sizes: tuple[int, ...], skip: bool) -> None:
        if not indices.ndim:
            raise ValueError("indices must have rank at least 1, got a scalar")
        self.outer, depth = indices.shape[:-1], indices.shape[-1]
        _check_depth(depth, sizes)
        self.rest, self.number = sizes[depth:], math.prod(sizes[:depth])
        self._sizes = sizes[:depth]
        self._whole: Array | None = None
        rows = indices.reshape(math.prod(self.outer), depth)
        self._columns: list[Array] = list(rows.T)
        self.good: Array | None = None
        if not all(map(in_range, self._columns, sizes)):
            good = np.logical_and.reduce((rows >= 0) & (rows < self._sizes), axis=1)
            if not skip:
                raise self._misplaced(rows, int(good.argmin()), sizes)
            self._columns = [column[good] for column in self._columns]
            self.good = good

    def _misplaced(self, rows: Array, number: int, sizes: tuple[int, ...]) -> ValueError:
        row = rows[number].tolist()
        at = ",".join(map(str, np.unravel_index(number, self.outer))) if self.outer else ""
        return ValueError(
            f"indices{at and f'[{at}]'} = {row} is not in a tensor of shape {list(sizes)}"
        )

    def flat(self, start: int = 0, end: int | None = None) -> Array:
        """The numbers of the slices that indices `start` to `end` name, as a vector."""
        first, *others = [column[start:end] for column in self._columns]
        if not others:
            return first
        flat = first.astype(np.intp)
        for column, size in zip(others, self._sizes[1:], strict=True):
            flat *= size
            flat += column
        return flat

    def whole(self) -> Array:
        """The numbers of all slices that are named, kept for the next time."""
        if self._whole is None:
            self._whole = self.flat()
        return self._whole


def _places_in(indices: Array, skip: bool) -> Callable[[tuple[int, ...]], Places]:
    """`Places` of constant indices, worked out once for each shape of the tensor."""

    @functools.lru_cache(maxsize=4)
    def places_in(sizes: tuple[int, ...]) -> Places:
        return Places(indices, sizes, skip)

    return places_in


def _gather_nd(params: Array, indices: Array, places: Places) -> Array:
    sizes, count = (*places.outer, *places.rest), math.prod(places.outer)
    if not count:
        return new_zeros(sizes, params.dtype)
    if count * params.nbytes > config.max_tensor_bytes:
        check_size(sizes, params.dtype)
    if not indices.shape[-1]:
        return np.broadcast_to(params, sizes)
    if places.good is None and not params.flags.c_contiguous:
        # Avoids copying all of params where only some of it is taken.
        return params[(*np.moveaxis(indices, -1, 0), ...)]
    taken = params.reshape(places.number, *places.rest).take(places.whole(), axis=0)
    if places.good is not None:
        some, taken = taken, new_zeros((count, *places.rest), params.dtype)
        taken[places.good] = some
    return taken.reshape(sizes)


@SCATTER_ND.shape
def _scatter_nd_shape(c: ShapeContext) -> TensorShape:
    indices, updates = c.shape("indices", min_rank=1), c.shape("updates", min_rank=1)
    result = shape_from_value(c, "shape", minus_one_is_unknown=True)
    empty = result.sizes is not None and 0 in result.sizes
    if empty and (indices.num_elements() or updates.num_elements()):
        raise _nowhere_to_go(indices, updates, result)
    if indices.sizes is None or updates.sizes is None or not isinstance(indices.sizes[-1], int):
        return result
    depth, outer = indices.sizes[-1], len(indices.sizes) - 1
    if not updates[:outer].is_compatible_with(indices[:-1]):
        raise _updates_differ(updates, indices, result)
    if result.sizes is not None and not updates[outer:].is_compatible_with(result[depth:]):
        raise _updates_differ(updates, indices, result)
    return result


def _nowhere_to_go(indices: Any, updates: Any, sizes: Any) -> ValueError:
    return ValueError(
        f"shape = {sizes} has no elements, where indices has shape {indices} and updates {updates}"
    )


def _updates_differ(updates: Any, indices: Any, sizes: Any) -> ValueError:
    return ValueError(
        "updates must have the shape of indices without its last dimension, followed by the rest "
        f"of shape, got {updates}, where indices has shape {indices} and shape is {sizes}"
    )


@SCATTER_ND.fresh_kernel
def _scatter_nd_kernel(c: KernelContext) -> Kernel:
    indices = c.const("indices")
    skip = skips_bad_indices(c)
    zeros = _symbolic_zeros if c.symbolic else new_zeros
    places_in = None if indices is None else _places_in(indices, skip)

    def scatter(indices: Array, updates: Array, shape: Array) -> Array:
        sizes = _checked_sizes(indices, updates, shape)
        places = Places(indices, sizes, skip) if places_in is None else places_in(sizes)
        return _scatter_nd(places, updates, zeros(sizes, updates.dtype))

    return scatter


def _symbolic_zeros(sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.zeros(sizes, dtype)


def _checked_sizes(indices: Array, updates: Array, shape: Array) -> tuple[int, ...]:
    """The shape of the result of ScatterNd."""
    if shape.ndim != 1:
        raise ValueError(f"shape must be a vector, got shape {list(shape.shape)}")
    sizes = check_size(shape.tolist(), updates.dtype)
    size = math.prod(sizes)
    if not size and (indices.size or updates.size):
        raise _nowhere_to_go(list(indices.shape), list(updates.shape), list(sizes))
    # TensorFlow's document allows indices of rank 1, its kernel only where there is nothing to do.
    if not indices.ndim or (size and (indices.ndim < 2 or not indices.shape[-1])):
        raise ValueError(
            "indices must have rank at least 2 and a last dimension of at least 1, got shape "
            f"{list(indices.shape)}"
        )
    *outer, depth = indices.shape
    if depth > len(sizes) or updates.shape != (*outer, *sizes[depth:]):
        raise _updates_differ(list(updates.shape), list(indices.shape), list(sizes))
    return sizes


_NARROW = 32  # bytes
_WIDE = 1 << 10  # bytes
_ADDED_AT_ONCE = 1 << 16


def _scatter_nd(places: Places, updates: Array, result: Array) -> Array:
    """Adds `updates` to `result`, which is all zeros."""
    if not result.size:
        return result
    width = math.prod(places.rest)
    rows = updates.reshape(math.prod(places.outer), width)
    if places.good is not None:
        rows = rows[places.good]
    into = result.reshape(places.number, width)
    # Strings are joined, and so added in order.
    if width * rows.itemsize < _NARROW or rows.dtype == object:
        step = max(_ADDED_AT_ONCE // width, 1)
        for start in range(0, len(rows), step):
            end = start + step
            add_rows(into, places.flat(start, end), rows[start:end])
        return result
    flat = places.whole()
    into[flat] = rows
    again = _repeated(flat, places.number)
    step = max(_ADDED_AT_ONCE // width, 1)
    for start in range(0, len(again), step):
        some = again[start : start + step]
        add_rows(into, flat[some], rows[some])
    return result


def _repeated(flat: Array, number: int) -> Array:
    """Positions in `flat` of numbers, all less than `number`, that occur again later."""
    order = np.arange(len(flat), dtype=np.int32 if len(flat) < 2**31 else np.int64)
    last = np.empty(number, order.dtype)
    last[flat] = order
    return np.flatnonzero(last[flat] != order)


def add_rows(into: Array, flat: Array, rows: Array, add: np.ufunc = np.add) -> None:
    """Adds each of `rows` to the row of `into` with the number in `flat`, both matrices.

    With another `add` it does that in place of adding.
    """
    width = into.shape[1]
    if width * into.itemsize >= _WIDE:
        for place, row in zip(flat.tolist(), rows, strict=True):
            part = into[place]
            add(part, row, out=part)
        return
    if width > 1:
        # `add.at` has a fast path for vectors only.
        flat = (flat[:, None] * np.intp(width) + np.arange(width)).reshape(-1)
    add.at(into.reshape(-1), flat, rows.reshape(-1))


def gather_nd(
    params: TensorLike, indices: TensorLike, name: str | None = None, batch_dims: int = 0
) -> Tensor:
    """The elements or slices of `params` at positions in its first dimensions.

    Each row of `indices` is a position in the first `indices.shape[-1]` dimensions. Unlike with
    NumPy's `params[tuple(index)]`, a negative index is an error.

    Args:
        params: a tensor of any dtype and rank at least 1.
        indices: the positions: int32 or int64 of shape `[..., K]`, where K is at most the rank of
            `params`. Where K is 0, each row selects all of `params`.
        name: a name for the op.
        batch_dims: the number of first dimensions that both have, each element of which selects
            from its own part of `params`.

    Returns:
        A Tensor of shape `indices.shape[:-1] + params.shape[batch_dims + K:]`.

    Raises:
        ValueError: `indices` is a scalar or K too large; at the run, a position is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     params = td.constant([["a", "b"], ["c", "d"]])
        ...     print(session.run(td.gather_nd(params, [[0, 0], [1, 1]])))
        ...     print(session.run(td.gather_nd(params, [[1]])))
        [b'a' b'd']
        [[b'c' b'd']]
    """
    if batch_dims:
        params, indices = convert_to_tensor(params), convert_to_tensor(indices)
        return GATHER_ND(params, _in_batches(params, indices, batch_dims), name=name)
    if hasattr(params, "gather_nd"):  # a variable, which can read only these parts
        return params.gather_nd(indices, name)
    return GATHER_ND(params, indices, name=name)


def _in_batches(params: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """Positions in all of `params`, of those in each of its parts along the first dimensions."""
    rank = indices.shape.rank
    if rank is None:
        raise ValueError("gather_nd: with batch_dims, the rank of indices must be known statically")
    if not 0 <= batch_dims < rank:
        raise ValueError(f"gather_nd: batch_dims = {batch_dims} is not in [0, {rank})")
    sizes = array_shape(indices, out_type=indices.dtype)
    single = concat([sizes[:-1], [1]], 0)
    before = []
    for axis in range(batch_dims):
        form = [1] * rank
        form[axis] = -1
        numbers = arange(array_shape(params, out_type=indices.dtype)[axis])
        before.append(broadcast_to(reshape(numbers, form), single))
    return concat([*before, indices], -1)


def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: Any, name: str | None = None
) -> Tensor:
    """A tensor of zeros with `updates` added at positions in its first dimensions.

    What goes to the same position is added up, where NumPy's `result[index] = updates` keeps the
    last. Strings are joined.

    Args:
        indices: the positions: int32 or int64 of shape `[..., K]`, at least of rank 2.
        updates: the values, of shape `indices.shape[:-1] + shape[K:]` and any dtype.
        shape: the shape of the result: a vector of the dtype of `indices`, with at least K
            elements.
        name: a name for the op.

    Returns:
        A Tensor of shape `shape` and the dtype of `updates`.

    Raises:
        ValueError: the shapes do not fit together; at the run, a position is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.scatter_nd([[4], [3], [1], [4]], [9, 10, 11, 12], [6])))
        [ 0 11  0 10 21  0]
    """
    return SCATTER_ND(indices, updates, shape, name=name)
