"""Fake quantization by machine code in one pass over memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ...runtime.kernel_spec import FEWEST_IN_BLOCKS, Loop
from ...shape_inference.protocols import Array
from ..common.parallel_blocks import share
from .fake_quant_grid import Grid

# Below it, adding and subtracting 1.5 * 2**23 rounds a float32 to an integer.
_MOST_STEPS = 1 << 21
_LANES = 8
_PART_ELEMENTS = 1 << 16  # that a thread takes at a time

_NEAREST = """\
y = high{c} if x[k] > high{c} else x[k]
y = low{c} if y < low{c} else y
y = (y - low{c}) {by} - offset{c} + float32(0.5)
f = y + float32(12582912) - float32(12582912)
f = f - float32(1) if f > y else f
out[k] = f * step{c}
"""
_WITHIN = "out[k{i}] = g[k{i}] * (float32(1) if x[k{i}] >= low{c} and x[k{i}] <= high{c} else zero)"
_BELOW = "{sum} += float64(g[k{i}] * (float32(1) if x[k{i}] < low{c} else zero))"
_ABOVE = "{sum} += float64(g[k{i}] * (float32(1) if x[k{i}] > high{c} else zero))"


def _over_rows(body: str) -> str:
    lines = "".join(f"   {line}\n" for line in body.splitlines())
    return (
        " for row in range(begin, end):\n  for c in range(channels):\n"
        f"   k = row * channels + c\n{lines}"
    )


@cache
def grid_loop(of_channels: bool, divide: bool) -> Loop:
    """The loop `nearest(x, out, low, high, step, units, offset, begin, end, channels)`.

    Args:
        of_channels: whether the ends and steps are vectors, one for each channel; then elements
            go by rows of them, from the row `begin` to the row `end`.
        divide: as for `on_grid`.
    """
    c = "[c]" if of_channels else ""
    body = _NEAREST.format(c=c, by=f"/ step{c}" if divide else f"* units{c}")
    names = "x, out, low, high, step, units, offset, begin, end, channels"
    if of_channels:
        inner = _over_rows(body)
    else:
        lines = "".join(f"  {line}\n" for line in body.splitlines())
        inner = f" for k in range(begin, end):\n{lines}"
    kinds = ("float32*" if of_channels else "float32",) * 5
    parameters = ("float32*", "float32*", *kinds, "int64", "int64", "int64")
    return Loop("nearest", parameters, f"def nearest({names}):\n{inner}")


@cache
def gradient_loop(of_channels: bool) -> Loop:
    """The loop `gradient(g, x, out, below, above, low, high, begin, end, channels)`.

    It adds the gradients of what is outside to the float64 numbers in `below` and `above`.

    Args:
        of_channels: as for `grid_loop`.
    """
    names = "g, x, out, below, above, low, high, begin, end, channels"
    if of_channels:
        steps = [
            _WITHIN.format(i="", c="[c]"),
            _BELOW.format(sum="below[c]", i="", c="[c]"),
            _ABOVE.format(sum="above[c]", i="", c="[c]"),
        ]
        inner = _over_rows("\n".join(steps))
    else:
        inner = _in_lanes()
    kind = "float32*" if of_channels else "float32"
    arrays = ("float32*", "float32*", "float32*", "float64*", "float64*")
    parameters = (*arrays, kind, kind, "int64", "int64", "int64")
    source = f"def gradient({names}):\n zero = float32(0)\n{inner}"
    return Loop("gradient", parameters, source)


def _in_lanes() -> str:
    """The sums side by side: the order of a single one would be binding."""
    lanes = range(_LANES)
    starts = [f"{sum_}{i} = float64(0)" for i in lanes for sum_ in "ab"]
    steps = [_WITHIN.format(i=f" + {i}", c="") for i in lanes]
    steps += [_BELOW.format(sum=f"a{i}", i=f" + {i}", c="") for i in lanes]
    steps += [_ABOVE.format(sum=f"b{i}", i=f" + {i}", c="") for i in lanes]
    one = [_WITHIN.format(i="", c=""), _BELOW.format(sum="a0", i="", c="")]
    one.append(_ABOVE.format(sum="b0", i="", c=""))
    ends = [line for i in lanes for line in (f"below[0] += a{i}", f"above[0] += b{i}")]
    rest = f"end - (end - begin) % {_LANES}"
    return "".join(
        [
            *(f" {line}\n" for line in (*starts, f"rest = {rest}")),
            f" for k in range(begin, rest, {_LANES}):\n",
            *(f"  {line}\n" for line in steps),
            " for k in range(rest, end):\n",
            *(f"  {line}\n" for line in one),
            *(f" {line}\n" for line in ends),
        ]
    )


def may_loop(x: Array, grid: Grid) -> bool:
    """Returns whether an array is large enough for the loop, and its grid is supported."""
    if x.size < FEWEST_IN_BLOCKS or grid.empty.any():
        return False
    with np.errstate(all="ignore"):
        steps = np.abs(grid.low * grid.steps_in_unit) + np.abs(grid.high * grid.steps_in_unit)
    return bool((steps < _MOST_STEPS).all())


def nearest_by(loop: Callable[..., None], x: Array, grid: Grid, offset: Any) -> Array:
    """Like `on_grid`, by the loop of `grid_loop`."""
    given, result = np.ascontiguousarray(x), np.empty(x.shape, np.float32)
    ends = *grid[:4], offset
    channels = np.size(grid.low)

    def write(parts: Iterator[tuple[int, int]]) -> None:
        for begin, end in parts:
            loop(given, result, *ends, begin, end, channels)

    share(write, _parts(x.size, channels))
    return result


def gradient_by(
    loop: Callable[..., None], g: Array, x: Array, grid: Grid
) -> tuple[Array, Array, Array]:
    """The gradients of the inputs and of both ends, by the loop of `gradient_loop`.

    The parts have their own sums, which are added in their order, whichever thread made them.
    """
    arrays = [np.ascontiguousarray(array) for array in (g, x)]
    result = np.empty(x.shape, np.float32)
    channels = np.size(grid.low)
    parts = _parts(x.size, channels)
    sums = np.zeros((len(parts), 2, channels))

    def write(numbers: Iterator[int]) -> None:
        for i in numbers:
            loop(*arrays, result, *sums[i], grid.low, grid.high, *parts[i], channels)

    share(write, range(len(parts)))
    below, above = sums.sum(axis=0).astype(np.float32).reshape(2, *np.shape(grid.low))
    return result, below, above


def _parts(size: int, channels: int) -> list[tuple[int, int]]:
    """Bounds of the parts, in rows of channels."""
    rows, step = size // channels, max(1, _PART_ELEMENTS // channels)
    return [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]
