"""Convolution windows computed position by position: the definition that kernels must meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def image(*shape: int, dtype: str = "float32") -> Array:
    """An array of small whole numbers without a pattern: sums of them are exact."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 7919 % 23) - 11).astype(dtype).reshape(shape)


def margins_of(size: int, window: int, stride: int, rate: int, padding: Any) -> tuple[int, int]:
    """The margins before and after a dimension."""
    if padding == "VALID":
        return 0, 0
    if padding == "SAME":
        positions = -(-size // stride)
        missing = max((positions - 1) * stride + (window - 1) * rate + 1 - size, 0)
        return missing // 2, missing - missing // 2
    before, after = padding
    return before, after


def over_windows(
    x: Array,
    window: Sequence[int],
    strides: Sequence[int],
    padding: Any,
    function: Callable[[Array], Array],
    rates: Sequence[int] | None = None,
    fill: float = 0,
) -> Array:
    """`function` of what the window sees at each position of [batch, *space, channels].

    It receives [batch, *window, channels] and returns [batch, channels].
    """
    rates = rates or [1] * len(window)
    pads = [
        margins_of(n, k, s, r, padding if isinstance(padding, str) else padding[i])
        for i, (n, k, s, r) in enumerate(zip(x.shape[1:-1], window, strides, rates, strict=True))
    ]
    padded = np.pad(x.astype(np.float64), [(0, 0), *pads, (0, 0)], constant_values=fill)
    counts = [
        (n - (k - 1) * r - 1) // s + 1
        for n, k, s, r in zip(padded.shape[1:-1], window, strides, rates, strict=True)
    ]
    results = []
    for position in np.ndindex(*counts):
        seen = [
            slice(p * s, p * s + (k - 1) * r + 1, r)
            for p, s, k, r in zip(position, strides, window, rates, strict=True)
        ]
        results.append(function(padded[(slice(None), *seen)]))
    return np.stack(results, 1).reshape(x.shape[0], *counts, -1).astype(x.dtype)


def convolved(
    x: Array,
    filters: Array,
    strides: Sequence[int],
    padding: Any,
    rates: Sequence[int] | None = None,
) -> Array:
    """A convolution of [batch, *space, channels]."""

    def products(seen: Array) -> Array:
        return np.asarray(np.tensordot(seen, filters.astype(np.float64), seen.ndim - 1))

    return over_windows(x, filters.shape[:-2], strides, padding, products, rates)


def channels_first(x: Array) -> Array:
    """From [batch, *space, channels] to [batch, channels, *space]."""
    return np.moveaxis(x, -1, 1)
