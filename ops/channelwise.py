"""Convolutions in which each channel has filters of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .allocation import new_array, new_zeros
from .windowing import blocks, with_margins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shape_inference.protocols import Array
    from ..shape_inference.windows import Window

# The part of the result that all elements of the window are added to, one after the other.
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
        x = with_margins(x, windows, positions)
        # Columns that are a stride apart lie side by side in a phase, so that rows can be sliced.
        phases = [
            np.ascontiguousarray(x[:, :, phase :: across.stride]).reshape(*x.shape[:2], -1)
            for phase in range(min(across.stride, x.shape[2]))
        ]
        weights = self._weights(positions[1])
        length = weights.shape[-1]
        result = new_array((*shape[:2], length), x.dtype)
        for images, rows in blocks(result.shape, x.itemsize, _BLOCK_BYTES):
            part = result[images, rows]
            product = np.empty(part.shape, x.dtype)
            for i, j in np.ndindex(weights.shape[:2]):
                first = rows.start * down.stride + i * down.rate
                last = first + (part.shape[1] - 1) * down.stride
                column, phase = divmod(j * across.rate, across.stride)
                start = column * x.shape[3]
                seen = phases[phase][images, first : last + 1 : down.stride, start : start + length]
                if i == j == 0:
                    np.multiply(seen, weights[0, 0], out=part)
                else:
                    np.multiply(seen, weights[i, j], out=product)
                    part += product
        return result.reshape(shape)
