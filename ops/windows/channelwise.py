"""Convolutions in which each channel has filters of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import Rows
from ..kit.scratch import scratch
from ..kit.sharing import share
from .windowing import Frame, blocks, strided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

# The part of the result that a thread makes at a time.
_BLOCK_BYTES = 1 << 19


class ChannelFilters:
    """Filters [rows, columns, channels, multiplier] that are slid over images.

    Each element of the window has its weights repeated for a row of positions, so that whole rows
    are multiplied at once, and not the few channels of a position.

    Args:
        filters: the filters.
        machine: the loop of `depthwise_loop` as machine code, to be used in place of NumPy.
    """

    def __init__(self, filters: Array, machine: Callable[..., None] | None = None) -> None:
        self._machine = machine
        self._filters = np.ascontiguousarray(filters)
        self._finite = machine is not None and bool(np.isfinite(filters).all())
        self._multiplier = filters.shape[3]
        self._taps = filters.reshape(*filters.shape[:2], -1)
        self._rows: dict[int, Array] = {}

    def _weights(self, positions: int) -> Array:
        rows = self._rows.get(positions)
        if rows is None:
            rows = self._rows[positions] = np.tile(self._taps, (1, 1, positions))
        return rows

    def rows(self, x: Array, windows: Sequence[Window]) -> Rows:
        """The convolution [batch, rows, columns, channels * multiplier] of images, to be made."""
        down, across = windows
        positions = int(down.positions(x.shape[1])), int(across.positions(x.shape[2]))
        shape = (x.shape[0], *positions, x.shape[3] * self._multiplier)

        def fill(result: Array, finish: Callable[[int, int], Any] | None) -> None:
            if 0 in (*shape, *x.shape):
                result[...] = 0
                return
            if self._machine is not None:
                self._fill(x, windows, result, finish)
                return
            frame = Frame(x, windows, positions)
            weights = self._weights(positions[1])
            lines = result.reshape(*shape[:2], -1)

            def multiply(parts: Iterator[tuple[slice, slice]]) -> None:
                for part in parts:
                    place = lines[part]
                    seen = frame.seen_by(*part)[0]
                    if self._multiplier > 1:
                        seen = seen.repeat(self._multiplier, -1)
                    _add_up(seen, weights, down, across, place)
                    if finish is not None:
                        start = (part[0].start * shape[1] + part[1].start) * shape[2]
                        finish(start, start + place.shape[0] * place.shape[1] * shape[2])

            share(multiply, blocks(lines.shape, x.itemsize, _BLOCK_BYTES))

        return Rows(shape, fill)

    def _fill(
        self,
        x: Array,
        windows: Sequence[Window],
        result: Array,
        finish: Callable[[int, int], Any] | None,
    ) -> None:
        """Makes the whole result, which is contiguous, by machine code."""
        loop: Any = self._machine
        x = np.ascontiguousarray(x)
        down, across = windows
        images, rows, columns, _ = result.shape
        (above, _), (left, _) = (
            window.padding(size, number)
            for window, size, number in zip(windows, x.shape[1:], (rows, columns), strict=False)
        )
        arrays = x, self._filters, result, 0
        numbers = (
            *(*x.shape[1:], self._multiplier, rows, columns, int(down.size), int(across.size)),
            *(down.stride, across.stride, down.rate, across.rate, above, left, self._finite),
        )
        line = columns * result.shape[3] * result.itemsize
        step = max(1, _BLOCK_BYTES // line)

        def multiply(starts: Iterator[int]) -> None:
            for start in starts:
                stop = min(start + step, images * rows)
                loop(*arrays, start, stop, *numbers)
                if finish is not None:
                    finish(start * columns, stop * columns)

        share(multiply, range(0, images * rows, step))


def _add_up(x: Array, weights: Array, down: Window, across: Window, out: Array) -> None:
    """Writes what the window sees, weighted and added up.

    Columns that are a stride apart are laid side by side, in as many planes as the stride: in a
    plane, the next position sees the next column. An element of the window sees one plane.

    Args:
        x: images that begin with the first row that is seen.
        weights: for each element of the window, those of a row of the result.
        down: the window along rows.
        across: the window along columns.
        out: rows [images, rows, length] of the result.
    """
    wide, stride = int(across.size), across.stride
    if stride == 1:
        plane = x if x.flags.c_contiguous else np.ascontiguousarray(x)
        seen = _rows_seen(plane, across.rate, wide, down, out.shape)
        np.einsum("nrijl,ijl->nrl", seen, weights, out=out)
        return
    number = out.shape[2] // x.shape[3]
    common = math.gcd(stride, across.rate)
    place = out
    for first in range(min(wide, stride // common)):
        elements = slice(first, wide, stride // common)
        taps = weights[:, elements]
        columns = (taps.shape[1] - 1) * across.rate // common + number
        start = first * across.rate
        plane = scratch("plane", (*x.shape[:2], columns, x.shape[3]), x.dtype)
        np.copyto(plane, x[:, :, start : start + (columns - 1) * stride + 1 : stride])
        seen = _rows_seen(plane, across.rate // common, taps.shape[1], down, out.shape)
        np.einsum("nrijl,ijl->nrl", seen, taps, out=place)
        if place is not out:
            np.add(out, place, out=out)
        place = scratch("terms", out.shape, out.dtype)


def _rows_seen(x: Array, apart: int, wide: int, down: Window, shape: Sequence[int]) -> Array:
    """What elements of the window see, in rows [images, rows, *window sizes, length].

    Args:
        x: images that begin with the first row that is seen, of which each position along a row
            sees the next column.
        apart: how many columns apart the elements are.
        wide: how many there are along a row.
        down: the window along rows.
        shape: [images, rows, length] of the result.
    """
    images, row, column = x.strides[:3]
    return strided(
        x,
        (*shape[:2], int(down.size), wide, shape[2]),
        (images, row * down.stride, row * down.rate, column * apart, x.itemsize),
    )
