"""Depthwise convolution, written for machine code."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...graph.kernel_spec import Loop

# So many positions and channels are added up side by side, in registers; what is left of the
# channels then goes in smaller numbers. LLVM makes vectors of them. Of a loop over channels it
# would not: the arrays might overlap.
_POSITIONS = 4
_LANES = (16, 4, 1)
_ARRAYS = 3
_NUMBERS = (
    "start", "stop", "height", "width", "channels", "multiplier", "rows", "columns", "high", "wide",
    "down", "across", "rate_down", "rate_across", "above", "left", "finite",
)  # fmt: skip
_HEAD = """
def depthwise(x, w, out, zero, {parameters}):
    length = channels * multiplier
    for line in range(start, stop):
        y = line % rows * down - above
        image = line // rows * height
        first_i = 0
        last_i = high
        if finite:
            first_i = -(y // rate_down) if y < 0 else 0
            seen = -((y - height) // rate_down)
            last_i = seen if seen < high else high
        column = 0
        while column < columns:
            to = (line * columns + column) * length
            left_x = column * across - left
            first_j = 0
            last_j = wide
            if finite:
                first_j = -(left_x // rate_across) if left_x < 0 else 0
                seen = -((left_x - width) // rate_across)
                last_j = seen if seen < wide else wide
            done = 0
            right_x = left_x + {further} * across + (wide - 1) * rate_across
            plain = finite and multiplier == 1
            several = plain and left_x >= 0 and right_x < width and column + {further} < columns
            column += {positions} if several else 1
"""
_SIDE_BY_SIDE = """
            if {when}:
                for block in range((channels - done) // {lanes}):
                    {clear}
                    for i in range(first_i, last_i):
                        row = ((image + y + i * rate_down) * width + left_x) * channels + done
                        weights = i * wide * channels + done
                        for j in range(first_j, last_j):
                            a = row + j * rate_across * channels
                            b = weights + j * channels
                            {add}
                    {store}
                    done += {lanes}
"""
_ONE_BY_ONE = """
            for k in range(done, length):
                total = zero
                for i in range(first_i, last_i):
                    for j in range(first_j, last_j):
                        seen_y = y + i * rate_down
                        seen_x = left_x + j * rate_across
                        weight = w[(i * wide + j) * length + k]
                        if seen_y >= 0 and seen_y < height and seen_x >= 0 and seen_x < width:
                            a = ((image + seen_y) * width + seen_x) * channels + k // multiplier
                            total += x[a] * weight
                        else:
                            total += zero * weight
                out[to + k] = total
"""


def depthwise_loop(dtype: np.dtype[Any]) -> Loop | None:
    """The loop that makes the lines from `start` to `stop` of a convolution of this dtype.

    The result is [batch * rows, columns, channels * multiplier]. Windows that reach into the margin
    see zeros there: unless all weights are `finite`, those are multiplied, too.
    """
    if dtype not in (np.float32, np.float64):
        return None
    head = _HEAD.format(
        parameters=", ".join(_NUMBERS), positions=_POSITIONS, further=_POSITIONS - 1
    )
    parts = [
        _side_by_side(*part) for part in product((("several", _POSITIONS), ("plain", 1)), _LANES)
    ]
    types = [f"{dtype.name}*"] * _ARRAYS + [dtype.name] + ["int64"] * len(_NUMBERS)
    return Loop("depthwise", tuple(types), "".join([head, *parts, _ONE_BY_ONE]))


def _side_by_side(case: tuple[str, int], lanes: int) -> str:
    """The loops that add up so many channels of so many positions at a time."""
    when, positions = case

    def each(text: str, indent: int) -> str:
        pairs = product(range(positions), range(lanes))
        return f"\n{' ' * indent}".join([text.format(p=p, k=k) for p, k in pairs])

    return _SIDE_BY_SIDE.format(
        when=when,
        lanes=lanes,
        clear=each("t{p}_{k} = zero", 20),
        add=each("t{p}_{k} += x[a + {p} * across * channels + {k}] * w[b + {k}]", 28),
        store=each("out[to + {p} * channels + done + {k}] = t{p}_{k}", 20),
    )
