"""Convolutions in which each channel has filters of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import Rows
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
                    seen = _rows_seen(seen, down, across, place.shape)
                    np.einsum("nrijl,ijl->nrl", seen, weights, out=place)
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


def _rows_seen(x: Array, down: Window, across: Window, shape: Sequence[int]) -> Array:
    """What each element of the window sees, in rows [images, rows, *window sizes, length].

    Args:
        x: images that begin with the first row that is seen.
        down: the window along rows.
        across: the window along columns.
        shape: [images, rows, length] of the result.
    """
    channels = x.shape[3]
    if across.stride > 1:
        # Columns that are a stride apart are laid side by side, for each column of the window.
        number = shape[2] // channels
        planes = np.empty((x.shape[0], x.shape[1], int(across.size), number, channels), x.dtype)
        for j in range(int(across.size)):
            start = j * across.rate
            stop = start + (number - 1) * across.stride + 1
            planes[:, :, j] = x[:, :, start : stop : across.stride]
        images, row, element = planes.strides[:3]
    else:
        planes = x if x.flags.c_contiguous else np.ascontiguousarray(x)
        images, row, column = planes.strides[:3]
        element = column * across.rate
    return strided(
        planes,
        (*shape[:2], int(down.size), int(across.size), shape[2]),
        (images, row * down.stride, row * down.rate, element, x.itemsize),
    )
