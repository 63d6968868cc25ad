"""Arithmetic of an array with a vector along its last dimension, in loops over long rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...shape_inference.protocols import Array

_BLOCK_ELEMENTS = 1 << 17


def along_channels(
    function: Callable[..., Array],
    arrays: Sequence[Array],
    channels: Sequence[Any],
    dtype: Any = np.float32,
) -> Array:
    """`function(*arrays, *channels)`, for few channels many times as fast.

    NumPy runs a loop for each row of channels. Here the vectors are repeated, so that it runs one
    for many rows.

    Args:
        function: computes each element from those in its place.
        arrays: arrays of one shape.
        channels: scalars, or vectors along the last dimension of that shape.
        dtype: that of the result.
    """
    period = max(np.size(channel) for channel in channels)
    if period <= 1:
        return np.asarray(function(*arrays, *channels))
    result = np.empty(arrays[0].shape, dtype)
    repeats = max(1, min(_BLOCK_ELEMENTS, result.size) // period)
    rows = [np.tile(channel, repeats) for channel in channels]
    flat, target = [array.reshape(-1) for array in arrays], result.reshape(-1)
    for start in range(0, result.size, repeats * period):
        part = target[start : start + repeats * period]
        given = [array[start : start + len(part)] for array in flat]
        part[...] = function(*given, *[row[: len(part)] for row in rows])
    return result
