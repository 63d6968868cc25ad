"""Convolutions by machine code: filters are multiplied with what windows see where it lies."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import Rows
from ..kit.machine_products import Panels, multiply_panels
from ..kit.sharing import share
from .windowing import Frame, even_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window
    from ..kit.machine_products import Tile

    Finish = Callable[[int, int], Any] | None

# What a block of positions sees and makes, which stays in the cache; but where there are few of
# them, all filters come from memory for each block.
_BLOCK_BYTES = 1 << 21
_FEWEST_POSITIONS = 128


class MachineFilters:
    """Filters [*sizes, channels, out] of a convolution by machine code.

    Args:
        filters: the filters.
        loop: that of `product_loop` as machine code.
        tile: that of the loop.
    """

    def __init__(self, filters: Array, loop: Callable[..., None], tile: Tile) -> None:
        *self._sizes, self._channels, self._out = filters.shape
        self._panels = Panels(filters.reshape(-1, self._out), tile)
        self._loop = loop

    def rows(self, x: Array, windows: Sequence[Window]) -> Rows:
        """The convolution of [batch, *space, channels], to be made."""
        sizes = zip(windows, x.shape[1:-1], strict=True)
        positions = [int(window.positions(size)) for window, size in sizes]
        shape = (x.shape[0], *positions, self._out)

        def fill(result: Array, finish: Finish) -> None:
            if 0 in (*shape, *x.shape):
                result[...] = 0
                if finish is not None:
                    finish(0, math.prod(shape[:-1]))
                return
            self._fill(Frame(np.ascontiguousarray(x), windows, positions), result, finish)

        return Rows(shape, fill)

    def _fill(self, frame: Frame, result: Array, finish: Finish) -> None:
        out = result.reshape(-1, self._out)
        moves = math.prod(window.stride for window in frame.windows)
        position = (self._channels * moves + self._out) * out.itemsize
        most = max(_BLOCK_BYTES, _FEWEST_POSITIONS * position)
        parts = list(even_blocks(frame.shape, position, most))
        across = math.prod(frame.shape[2:])

        def multiply(parts: Iterator[tuple[slice, slice]], panels: bool = False) -> None:
            for part in parts:
                seen, positions = frame.seen_by(*part)
                positions = (len(seen), *positions)
                places, steps, length = _reading(seen.strides, positions, *frame.windows)
                start = (part[0].start * frame.shape[1] + part[1].start) * across
                stop = start + len(places)
                multiply_panels(
                    self._loop, seen, places, steps, length, self._panels, out[start:stop], panels
                )
                if finish is not None:
                    finish(start, stop)

        if len(parts) > 1:
            share(multiply, parts)
        else:
            multiply(iter(parts), panels=True)


@lru_cache(64)
def _reading(
    strides: tuple[int, ...], positions: tuple[int, ...], *windows: Window
) -> tuple[Array, Array, int]:
    """How a part of an image is read: as `product_loop` takes it.

    Args:
        strides: those of the part [images, *space, channels].
        positions: how many there are of each window, after the number of images.
        windows: the windows.

    Returns:
        Where each position begins, how far from there pieces lie that a window sees, and how many
        numbers a piece has.
    """
    item, length = strides[-1], strides[-2] // strides[-1]
    moves = [strides[0], *[s * w.stride for s, w in zip(strides[1:], windows, strict=False)]]
    steps = [s * w.rate for s, w in zip(strides[1:], windows, strict=False)]
    sizes = [int(window.size) for window in windows]
    if windows[-1].rate == 1:  # what lies side by side is one piece
        length, sizes[-1] = length * sizes[-1], 1
    return _sums(positions, moves) // item, _sums(sizes, steps) // item, length


def _sums(numbers: Sequence[int], moves: Sequence[int]) -> Array:
    """Where elements of an array of so many in each dimension lie, which are so far apart."""
    total = np.zeros(1, np.int64)
    for number, move in zip(numbers, moves, strict=True):
        total = (total[:, None] + np.arange(number) * move).reshape(-1)
    return total
