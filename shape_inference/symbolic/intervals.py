"""Interval arithmetic on integers: the bounds that a symbolic size keeps at every run.

An interval is a pair `(lower, upper)`, both inclusive; an unbounded side is an infinity. Divisors
are taken to be non-zero, since a division by zero fails and so decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isinf
from typing import TypeAlias

Interval: TypeAlias = tuple[float, float]
"""Inclusive `(lower, upper)`; every finite bound is an `int`, so it stays exact."""

ANY: Interval = (-inf, inf)
_LARGEST_BOUND = 2**63


def widened(interval: Interval) -> Interval:
    """Returns the interval with bounds past 64 bits let go: repeated products stay cheap."""
    lower, upper = interval
    return (
        -inf if lower < -_LARGEST_BOUND else min(lower, _LARGEST_BOUND),
        inf if upper > _LARGEST_BOUND else max(upper, -_LARGEST_BOUND),
    )


def negated(interval: Interval) -> Interval:
    """Returns the interval of `-x`."""
    return -interval[1], -interval[0]


def product(x: Interval, y: Interval) -> Interval:
    """Returns the interval of `x * y` for independent `x` and `y`."""
    corners = [0 if a == 0 or b == 0 else a * b for a in x for b in y]
    return min(corners), max(corners)


def power(x: Interval, exponent: int) -> Interval:
    """Returns the interval of `x ** exponent` for an exponent of at least 1."""
    lower, upper = x
    low, high = lower**exponent, upper**exponent
    if exponent % 2 or lower >= 0:
        return low, high
    return (high, low) if upper <= 0 else (0, max(low, high))


def quotient(x: Interval, y: Interval) -> Interval:
    """Returns the interval of `x // y`, rounded down, for independent `x` and non-zero `y`."""
    if y[1] <= 0:
        x, y = negated(x), negated(y)
    if y[0] < 0:
        largest = max(abs(x[0]), abs(x[1]))
        return -largest, largest
    nearest, farthest = max(y[0], 1), max(y[1], 1)
    return (
        floor_of(x[0], farthest if x[0] >= 0 else nearest),
        floor_of(x[1], nearest if x[1] >= 0 else farthest),
    )


def remainder(x: Interval, y: Interval) -> Interval:
    """Returns the interval of `x % y`, which takes the sign of `y`, for non-zero `y`."""
    if y[0] < 0 and y[1] <= 0:
        return negated(remainder(negated(x), negated(y)))
    if y[0] < 0:
        return y[0] + 1, y[1] - 1
    largest = max(y[1], 1) - 1
    return 0, min(largest, x[1]) if x[0] >= 0 else largest


def extremum(function: str, arguments: Iterable[Interval]) -> Interval:
    """Returns the interval of the `"min"` or the `"max"` of independent values."""
    pick = min if function == "min" else max
    lowers, uppers = zip(*arguments, strict=True)
    return pick(lowers), pick(uppers)


def floor_of(x: float, y: float) -> float:
    """Returns `x // y` for bounds of which `y` is at least 1; either may be infinite."""
    if isinf(x):
        return x
    if isinf(y):
        return 0 if x >= 0 else -1
    return x // y
