"""Sums per channel of images, in float64 and block by block, and over neighbouring channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.gemm import multiply
from ..conv.pooling_rules import WHOLE, pooled

_BLOCK = 1 << 15  # elements: a few arrays of so many float64 fit in the cache
_FEW = 64  # channels
_WIDTH = 1 << 9  # elements: NumPy's loops over shorter rows cost more than what they compute


def as_rows(x: Array, channels: int) -> Array:
    """`x` as a float32 matrix, of one column for each channel."""
    rows = np.moveaxis(x, channels, -1).reshape(-1, x.shape[channels])
    return rows.astype(np.float32, copy=False)


def channel_sums(
    function: Callable[..., Any], matrices: Sequence[Array], channels: Sequence[Array] = ()
) -> Array:
    """The sum over the rows of `function(*matrices, *channels)`, in float64.

    Args:
        function: computes each element from those in its place; it may overwrite the matrices, of
            which it gets float64 copies.
        matrices: matrices of one shape, one column for each channel.
        channels: float64 vectors with a number for each channel.
    """
    depth = matrices[0].shape[1]
    repeats = max(1, _WIDTH // depth)
    width = repeats * depth
    flat = [matrix.reshape(-1) for matrix in matrices]
    vectors = [np.tile(vector, repeats) for vector in channels]
    total = np.zeros(width)
    step = max(1, _BLOCK // width) * width
    for start in range(0, flat[0].size, step):
        parts = [array[start : start + step].astype(np.float64) for array in flat]
        rest = len(parts[0]) % width
        whole = len(parts[0]) - rest
        if whole:
            rows = function(*[part[:whole].reshape(-1, width) for part in parts], *vectors)
            total += np.add.reduce(rows, 0)
        if rest:
            last = [part[whole:] for part in parts]
            total[:rest] += function(*last, *[vector[:rest] for vector in vectors])
    return np.asarray(total.reshape(repeats, depth).sum(0))


def moments(x: Array) -> tuple[Array, Array]:
    """Mean and variance of each column of a matrix, in float64."""
    mean = channel_sums(lambda x: x, [x]) / len(x)
    return mean, channel_sums(_squared_distance, [x], [mean]) / len(x)


def _squared_distance(x: Array, mean: Array) -> Array:
    x -= mean
    x *= x
    return x


def _band_sums(x: Array, radius: int) -> Array:
    """For each channel, the last dimension, the sum of those up to `radius` to either side.

    It is a product with a matrix of zeros and ones, so that all must be finite; for few channels
    that is many times as fast as sums of slices as short as these.
    """
    depth = x.shape[-1]
    places = np.arange(depth)
    near = np.abs(places - places[:, np.newaxis]) <= radius
    rows: Array = multiply(x.reshape(-1, depth), near.astype(x.dtype))
    return rows.reshape(x.shape)


def lrn_sums(c: KernelContext) -> Callable[[Array], Array]:
    """A function that sums the neighbours of each channel.

    Raises:
        ValueError: `depth_radius` is negative.
    """
    radius = c.attr("depth_radius")
    if radius < 0:
        raise ValueError(f"depth_radius must be at least 0, got {radius}")
    around = Window(2 * radius + 1, 1, before=radius, after=radius, slack=1)
    windows = (WHOLE, WHOLE, WHOLE, around)

    def summed(x: Array) -> Array:
        if 0 < x.shape[-1] <= _FEW:
            total = _band_sums(x, radius)
            if np.isfinite(total).all():  # else infinity would reach channels out of the window
                return total
        return pooled(x, windows, np.add, 0)

    return summed
