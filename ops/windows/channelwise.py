"""Convolutions in which each channel has filters of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kit.allocation import new_array, new_zeros
from ..kit.sharing import share
from .windowing import blocks, strided, with_margins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

# The part of the result that a thread makes at a time.
_BLOCK_BYTES = 1 << 18


class ChannelFilters:
    """Filters [rows, columns, channels, multiplier] that are slid over images.

    Each element of the window has its weights repeated for a row of positions, so that whole rows
    are multiplied at once, and not the few channels of a position.
    """

    def __init__(self, filters: Array) -> None:
        self._multiplier = filters.shape[3]
        self._taps = filters.reshape(*filters.shape[:2], -1)
        self._rows: dict[int, Array] = {}

    def _weights(self, positions: int) -> Array:
        rows = self._rows.get(positions)
        if rows is None:
            rows = self._rows[positions] = np.tile(self._taps, (1, 1, positions))
        return rows

    def convolve(self, x: Array, windows: Sequence[Window]) -> Array:
        """The convolution [batch, rows, columns, channels * multiplier] of images of its dtype."""
        down, across = windows
        positions = int(down.positions(x.shape[1])), int(across.positions(x.shape[2]))
        shape = (x.shape[0], *positions, x.shape[3] * self._multiplier)
        if 0 in (*shape, *x.shape):
            return new_zeros(shape, x.dtype)
        if self._multiplier > 1:
            x = x.repeat(self._multiplier, -1)
        x = np.ascontiguousarray(with_margins(x, windows, positions))
        weights = self._weights(positions[1])
        result = new_array((*shape[:2], weights.shape[-1]), x.dtype)

        def multiply(parts: Iterator[tuple[slice, slice]]) -> None:
            for images, rows in parts:
                part = result[images, rows]
                first = rows.start * down.stride
                last = first + (part.shape[1] - 1) * down.stride + (len(weights) - 1) * down.rate
                seen = _rows_seen(x[images, first : last + 1], down, across, part.shape)
                np.einsum("nrijl,ijl->nrl", seen, weights, out=part)

        share(multiply, blocks(result.shape, x.itemsize, _BLOCK_BYTES))
        return result.reshape(shape)


def _rows_seen(x: Array, down: Window, across: Window, shape: Sequence[int]) -> Array:
    """What each element of the window sees, in rows [images, rows, *window sizes, length].

    Args:
        x: contiguous images that begin with the first row that is seen.
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
        planes = x
        images, row, column = x.strides[:3]
        element = column * across.rate
    return strided(
        planes,
        (*shape[:2], int(down.size), int(across.size), shape[2]),
        (images, row * down.stride, row * down.rate, element, x.itemsize),
    )
