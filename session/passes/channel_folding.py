"""Constant factors and offsets behind a product go into its filters and one vector.

The rest of a frozen batch normalization is multiplied with each channel of a convolution and
added to it. A factor of a channel is one of the filter that makes the channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.node import Operation, Tensor
from ...runtime.kernel_spec import Filters, Fusion, KernelSpec, Memory
from ...shape_inference.protocols import Array
from .draft import Constant, Draft, Source, Work

_DTYPES = (np.float32, np.float64)
# Products of numbers up to here, or down to one over it, neither overflow nor lose digits.
_LARGE = 1e15
_ADDITION = KernelSpec(np.add, Memory.FRESH, fusion=Fusion(takes_out=True, elementwise=True))


class _Follower(NamedTuple):
    """An op behind a product, by its place in the work: `x * factor + offset` for each channel."""

    place: int
    factor: Array
    offset: Array


def fold_channels(draft: Draft) -> None:
    """The pass that folds lines behind products with constant filters.

    Of a chain of lines, its last op stays, as the addition of a vector, if there is anything to
    add; its result has the place it had. A tensor that has other readers, or is fetched or fed,
    ends the chain. Factors are multiplied in float64, and the filters rounded once.
    """
    if draft.options.exact or all(item.kernel.folding.filters is None for item in draft.work):
        return
    readers, awaited = draft.readers, draft.awaited
    with np.errstate(all="ignore"):
        for place, item in enumerate(draft.work):
            filters = item.kernel.folding.filters if item is not _GONE else None
            if filters is not None and item.outputs[0].dtype.numpy_dtype in _DTYPES:
                followers = _followers(draft, readers, awaited, item, filters)
                if any((follower.factor != 1).any() for follower in followers):
                    _fold(draft, place, filters, followers)
    draft.work = [item for item in draft.work if item is not _GONE]


_GONE: Any = Work(None, None, (), ())  # type: ignore[arg-type]
"""Marks removed work, so that places do not change."""


def _followers(
    draft: Draft,
    readers: dict[Source, list[int]],
    awaited: set[Operation],
    item: Work,
    filters: Filters,
) -> list[_Follower]:
    """Chain of affine ops behind a product, each the only reader of the one before it."""
    tensor = item.outputs[0]
    sizes = draft.inference.shape(tensor).sizes
    channels = sizes[filters.axis] if sizes is not None else None
    found: list[_Follower] = []
    while isinstance(channels, int) and channels:
        places = readers.get(tensor, ())
        if len(places) != 1 or places[0] < 0:
            break
        work = draft.work[places[0]]
        vectors = _vectors(work, tensor, filters, channels)
        side_results = [other for other in work.outputs[1:] if other in readers]
        if vectors is None or side_results or not work.op.definition.pure or work.op in awaited:
            break
        found.append(_Follower(places[0], *vectors))
        tensor = work.outputs[0]
    return found


def _vectors(
    work: Work, tensor: Tensor, filters: Filters, channels: int
) -> tuple[Array, Array] | None:
    """Factor and offset of each channel, if an op is a line of `tensor` that keeps its shape."""
    line_of = work.kernel.folding.line
    if line_of is None:
        return None
    constants = [item.array if isinstance(item, Constant) else None for item in work.inputs]
    line = line_of(constants)
    if line is None or work.inputs[line.input] is not tensor:
        return None
    factor, offset = (_vector(part, filters, channels) for part in line[1:])
    return None if factor is None or offset is None else (factor, offset)


def _vector(array: Any, filters: Filters, channels: int) -> Array | None:
    """An array as a float64 vector of the channels, if it differs along no other dimension."""
    array = np.asarray(array, np.float64)
    if array.ndim > filters.rank:
        return None
    sizes = [*(1,) * (filters.rank - array.ndim), *array.shape]
    length = sizes.pop(filters.axis)
    if any(size != 1 for size in sizes) or length not in (1, channels):
        return None
    return np.broadcast_to(array.reshape(-1), (channels,))


def _fold(draft: Draft, place: int, filters: Filters, followers: Sequence[_Follower]) -> None:
    """Folds the followers into the product at `place`, if that does not change its result.

    With numbers that are not finite, or very large or small, it might.
    """
    work = draft.work
    item, last = work[place], work[followers[-1].place]
    source = item.inputs[filters.input]
    dtype = item.outputs[0].dtype.numpy_dtype
    if not isinstance(source, Constant):
        return
    factor, offset = followers[0].factor, followers[0].offset
    for follower in followers[1:]:
        factor, offset = factor * follower.factor, offset * follower.factor + follower.offset
    sizes = np.absolute(factor[factor != 0])
    bounds = (source.array.max(), -source.array.min(), *offset, *sizes, *(1 / sizes))
    if not np.absolute(bounds).max() < _LARGE:  # NaN is not
        return
    folded, kernel = filters.times(factor)
    folded.flags.writeable = False
    inputs = list(item.inputs)
    inputs[filters.input] = Constant(folded)
    made: Sequence[Tensor] = last.outputs[:1]
    ops = [work[follower.place].op for follower in followers]
    notes = tuple([f"times {op.name} ({op.type})" for op in ops])
    for follower in followers:
        work[follower.place] = _GONE
    if offset.any():
        vector = offset.astype(dtype).reshape(-1, *(1,) * (-1 - filters.axis))
        work[followers[-1].place] = Work(
            last.op, _ADDITION, (item.outputs[0], Constant(vector)), made
        )
        made = item.outputs
    work[place] = Work(item.op, kernel, tuple(inputs), made, (*item.folded, *notes))
