"""Gradients of convolutions with respect to their inputs and filters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.allocation import new_array, new_zeros
from ..common.gemm import multiply_into
from ..common.parallel_blocks import share
from .convolution import convolved
from .im2col import block_bytes
from .window_views import blocks, seen_through, with_margins

if TYPE_CHECKING:
    Convolve = Callable[[Array, Array, Sequence[Window]], Array]
    SumUp = Callable[[Array, Array, Sequence[Window], Array], None]

# So many parts of a batch are summed apart, and then together: always in the same order, whatever
# the number of threads.
_MOST_PARTS = 8


def margins_of(
    windows: Sequence[Window], sizes: Sequence[int], positions: Sequence[int]
) -> list[tuple[int, int]]:
    """Padding before and after each spatial dimension."""
    return [
        window.padding(size, number)
        for window, size, number in zip(windows, sizes, positions, strict=True)
    ]


def tap(windows: Sequence[Window], element: Sequence[int], positions: Sequence[int]) -> list[slice]:
    """Slices of one window element at every position, in an array with padding."""
    starts = [index * window.rate for index, window in zip(element, windows, strict=True)]
    return [
        slice(start, start + (number - 1) * window.stride + 1, window.stride)
        for start, window, number in zip(starts, windows, positions, strict=True)
    ]


def inside(x: Array, margins: Sequence[tuple[int, int]]) -> Array:
    """The part of an array [batch, *space, ...] inside the padding."""
    ends = zip(x.shape[1:], margins, strict=False)
    return x[:, *[slice(before, size - after) for size, (before, after) in ends]]


def spread(
    gradient: Array,
    filters: Array,
    windows: Sequence[Window],
    sizes: Sequence[int],
    convolve: Convolve = convolved,
) -> Array:
    """Adds each pixel, times the filters, to the window at its position.

    Args:
        gradient: [batch, *positions, out].
        filters: [*window sizes, channels of a group, out].
        windows: one for each spatial dimension.
        sizes: the shape [batch, *space, channels] of the result.
        convolve: convolves images with filters, where the window moves by one.
    """
    *taps, depth, out = filters.shape
    groups = sizes[-1] // depth
    if groups > 1:
        parts = zip(np.split(gradient, groups, -1), np.split(filters, groups, -1), strict=True)
        inner = (*sizes[:-1], depth)
        return np.concatenate([spread(*part, windows, inner, convolve) for part in parts], -1)
    positions = gradient.shape[1:-1]
    margins = margins_of(windows, sizes[1:-1], positions)
    if not (gradient.size and math.prod(sizes)):
        return new_zeros(sizes, gradient.dtype)
    if all(window.stride == 1 for window in windows):
        return _turned(gradient, filters, windows, margins, convolve)
    whole = [
        size + before + after for size, (before, after) in zip(sizes[1:-1], margins, strict=True)
    ]
    result = new_zeros((sizes[0], *whole, sizes[-1]), gradient.dtype)
    pixels = gradient.reshape(-1, out)
    products = new_array((len(pixels), depth), gradient.dtype)
    for element in product(*map(range, taps)):
        multiply_into(products, pixels, filters[element].T)
        seen = result[:, *tap(windows, element, positions)]
        seen += products.reshape(seen.shape)
    return inside(result, margins)


def _turned(
    gradient: Array,
    filters: Array,
    windows: Sequence[Window],
    margins: Sequence[tuple[int, int]],
    convolve: Convolve,
) -> Array:
    """`spread` for stride 1: a convolution with flipped filters.

    Each pixel gets something from the positions up to the extent of a window before it.
    """
    steps = tuple([slice(None, None, -1)] * len(windows))
    turned = np.ascontiguousarray(filters[steps].swapaxes(-1, -2))
    back = []
    for window, (before, after) in zip(windows, margins, strict=True):
        reach = int(window.extent) - 1
        back.append(
            window._replace(same=False, before=reach - before, after=reach - after, slack=0)
        )
    cut = [slice(max(-w.before, 0), -max(-w.after, 0) or None) for w in back]
    back = [w._replace(before=max(w.before, 0), after=max(w.after, 0)) for w in back]
    return convolve(gradient[:, *cut], turned, back)


def filter_gradient(
    x: Array,
    gradient: Array,
    windows: Sequence[Window],
    sizes: Sequence[int],
    sum_up: SumUp | None = None,
) -> Array:
    """Sums the inputs under each window element, times the gradients of the outputs.

    Args:
        x: [batch, *space, channels].
        gradient: [batch, *positions, out].
        windows: one for each spatial dimension.
        sizes: the shape [*window sizes, channels of a group, out] of the result.
        sum_up: writes the sums of parts of the batch [parts, elements of a window, out] to its last
            argument.
    """
    *taps, depth, out = sizes
    groups = x.shape[-1] // depth if depth else 1
    if groups > 1:
        parts = zip(np.split(x, groups, -1), np.split(gradient, groups, -1), strict=True)
        inner = (*taps, depth, out // groups)
        return np.concatenate(
            [filter_gradient(*part, windows, inner, sum_up) for part in parts], -1
        )
    if 0 in (*x.shape, *gradient.shape, *sizes):
        return new_zeros(sizes, x.dtype)
    positions = gradient.shape[1:-1]
    number = math.prod(taps) * depth
    result = new_array((number, out), x.dtype)
    if math.prod(taps) == 1 and positions == x.shape[1:-1] and not _any_margin(windows):
        multiply_into(result, x.reshape(-1, depth).T, gradient.reshape(-1, out))
        return result.reshape(sizes)
    images = -(-len(x) // _MOST_PARTS)
    partial = np.zeros((-(-len(x) // images), number, out), x.dtype)
    (sum_up or _sum_up)(x, gradient, windows, partial)
    np.add.reduce(partial, 0, out=result)
    return result.reshape(sizes)


def _sum_up(x: Array, gradient: Array, windows: Sequence[Window], partial: Array) -> None:
    """Adds the gradients of parts of the batch to zeros [parts, elements of a window, out]."""
    _, number, out = partial.shape
    positions = gradient.shape[1:-1]
    views = seen_through(with_margins(x, windows, positions), windows, positions)
    item = number * x.itemsize
    block = block_bytes(item)
    images = -(-len(x) // len(partial))

    def add_up(numbers: Iterator[int]) -> None:
        for i in numbers:
            some = slice(i * images, (i + 1) * images)
            mine, theirs = views[some], gradient[some]
            for part in blocks((len(theirs), *positions), item, block):
                unfolded = mine[part].reshape(-1, number)
                partial[i] += unfolded.T @ theirs[part].reshape(-1, out)

    share(add_up, range(len(partial)))


def _any_margin(windows: Sequence[Window]) -> bool:
    return any(window.before or window.after for window in windows)
