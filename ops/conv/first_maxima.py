"""Max-pooling gradients, routed to the first maximum of each window one dimension at a time.

The first maximum, row by row, is in the first row that has it, and there in the first column. So a
window of k × k takes 2k steps over whole arrays, and not k², and most of them over few elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.allocation import new_array, new_zeros
from .pooling_rules import Tap, pooled_sizes, taps_along


class _Along(NamedTuple):
    """Windows along one dimension of an array, and the maximum of each."""

    axis: int
    x: Array
    taps: list[Tap]
    best: Array
    apart: bool  # whether each element is seen from at most one position

    @classmethod
    def of(cls, axis: int, x: Array, window: Window, number: int) -> _Along:
        lead = (slice(None),) * axis
        best = new_array((*x.shape[:axis], number, *x.shape[axis + 1 :]), x.dtype)
        taps = taps_along(window, x.shape[axis], number)
        begun = bool(taps) and taps[0].positions == slice(0, number)
        if begun:
            best[...] = x[(*lead, taps[0].elements)]
        else:
            best[...] = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        for positions, elements in taps[begun:]:
            part = best[(*lead, positions)]
            np.maximum(part, x[(*lead, elements)], out=part)
        return cls(axis, x, taps, best, window.stride >= window.size)

    def to_first(self, gradient: Array) -> Array:
        """Adds the gradient of each position to the first element that is its maximum."""
        lead = (slice(None),) * self.axis
        result = new_zeros(self.x.shape, gradient.dtype)
        waiting = np.ones(self.best.shape, np.bool_)
        for positions, elements in self.taps:
            here: Any = (*lead, positions)
            chosen = self.x[(*lead, elements)] == self.best[here]
            chosen &= waiting[here]
            waiting[here] ^= chosen
            part = result[(*lead, elements)]
            if self.apart:
                part[...] = gradient[here] * chosen
            else:
                part += gradient[here] * chosen
        return result


def to_first_maxima(x: Array, gradient: Array, windows: Sequence[Window]) -> Array | None:
    """Adds the gradient of each position to the first element that is its maximum.

    Args:
        x: an array.
        gradient: one for each position of the windows.
        windows: one for each dimension of `x`.

    Returns:
        An array of the shape of `x`; None where there is NaN, or an infinite gradient:
        what is multiplied by 0 here then would not be 0.
    """
    if gradient.dtype.kind not in "iu" and not np.isfinite(gradient).all():
        return None
    numbers = pooled_sizes(windows, x.shape)
    stages = []
    for axis in reversed(range(x.ndim)):
        window = windows[axis]
        if window.size != 1 or window.stride != 1 or window.before or window.after:
            stages.append(_Along.of(axis, x, window, int(numbers[axis])))
            x = stages[-1].best
    if x.dtype.kind not in "iu" and np.isnan(x).any():
        return None
    for stage in reversed(stages):
        gradient = stage.to_first(gradient)
    return gradient if stages else gradient.copy()
