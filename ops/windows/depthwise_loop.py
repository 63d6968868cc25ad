"""Depthwise convolution, written for machine code."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

# So many pieces are added up side by side, in registers, and of each so many elements; what is left
# goes in smaller numbers. LLVM makes vectors of them. Of a loop over elements it would not: the
# arrays might overlap.
_PIECES = 6
_LANES = {_PIECES: (16, 8, 4, 1), 1: (32, 16, 8, 4, 1)}
_ARRAYS = 3
_NUMBERS = (
    "begin", "end", "rows", "columns", "height", "width", "channels", "together", "inner",
    "high", "wide", "down", "across", "lower", "further", "above", "left",
)  # fmt: skip
# A piece of several positions is a whole number of vectors, unless it became longer than this.
_VECTOR = 16
_LONGEST_PIECE = 1024
# Of lines that see alike, each is first gone through for what is done side by side along it; then,
# once for all of them, for the rest.
_HEAD = """
def depthwise(x, w, out, zero, {parameters}):
    length = together * channels
    reach = (high - 1) * lower
    line = begin
    while line < end:
        row = line % rows
        top = row * down - above
        i0 = (lower - 1 - top) // lower if top < 0 else 0
        i1 = high if top + reach < height else (height - top + lower - 1) // lower
        alike = top >= 0 and top + {further} * down + reach < height
        lines = {many} if alike and row + {further} < rows and line + {further} < end else 1
        for under in range(lines + 1):
            column = 0
            while column < columns:
                side = column * across - left
                j0 = (further - 1 - side) // further if side < 0 else 0
                j1 = wide if column < inner else (width - side + further - 1) // further
                room = (inner - column) // together if side >= 0 and column < inner else 0
                along = room >= {many}
                pieces = {many} if along else lines
                number = together if room else 1
                step = number * across * channels if along else down * width * channels
                gap = number * channels if along else columns * channels
                below = under if along else 0
                here = ((line // rows * height + top + below * down) * width + side) * channels
                there = ((line + below) * columns + column) * channels
                column += number * {many} if along else number
                size = number * channels if along == (under < lines) else 0
                done = 0
"""
_SIDE_BY_SIDE = """
                if pieces == {pieces}:
                    for block in range((size - done) // {lanes}):
                        {clear}
                        for i in range(i0, i1):
                            a = here + done + (i * lower * width + j0 * further) * channels
                            b = (i * wide + j0) * length + done
                            for j in range(j0, j1):
                                {add}
                                a += further * channels
                                b += length
                        {store}
                        done += {lanes}
"""
_END = """
        line += lines
"""


def depthwise_loop(dtype: np.dtype[Any]) -> Loop | None:
    """The loop that makes lines `begin` to `end` of a convolution of this dtype.

    It takes images `x` of `height` and `width`, whose lines, and those of the results, are counted
    through. Elements of the window are `lower` and `further` apart, and those in a margin are left
    out. From position `inner` on, windows reach into the margin behind a line. Those that reach
    into none are added up in pieces of so many positions `together`: several side by side along a
    line, or, where there are not as many, one below the other. The weights `w` of each element of
    the window are those of a piece.
    """
    if dtype not in (np.float32, np.float64):
        return None
    numbers = {"many": _PIECES, "further": _PIECES - 1}
    parts = [_HEAD.format(parameters=", ".join(_NUMBERS), **numbers)]
    parts += [_side_by_side(pieces, lanes) for pieces in _LANES for lanes in _LANES[pieces]]
    types = [f"{dtype.name}*"] * _ARRAYS + [dtype.name] + ["int64"] * len(_NUMBERS)
    return Loop("depthwise", tuple(types), "".join([*parts, _END]))


def _side_by_side(pieces: int, lanes: int) -> str:
    """The loops that add up so many elements of so many pieces at a time."""

    def each(text: str, indent: int) -> str:
        pairs = product(range(pieces), range(lanes))
        return f"\n{' ' * indent}".join([text.format(p=p, k=k) for p, k in pairs])

    return _SIDE_BY_SIDE.format(
        pieces=pieces,
        lanes=lanes,
        clear=each("t{p}_{k} = zero", 24),
        add=each("t{p}_{k} += x[a + {p} * step + {k}] * w[b + {k}]", 32),
        store=each("out[there + {p} * gap + done + {k}] = t{p}_{k}", 24),
    )


def positions_of_piece(channels: int, positions: int, across: Window) -> int:
    """How many positions along a line make a piece.

    Where the window moves by 1, the elements of a line see what lies side by side, so that a piece
    may hold several positions. Then few, or an odd number of channels fill whole vectors, too.
    """
    several = _VECTOR // math.gcd(channels, _VECTOR)
    if across.stride > 1 or several * channels > _LONGEST_PIECE:
        return 1
    return min(several, positions)


def add_up_by_machine(
    loop: Callable[..., None],
    x: Array,
    weights: Array,
    windows: Sequence[Window],
    out: Array,
    lines: tuple[int, int],
) -> None:
    """Writes what the windows see, weighted and added up.

    Args:
        loop: the loop as machine code.
        x: images [images, rows, columns, channels].
        weights: for each element of the window, those of a piece.
        windows: the windows along rows and columns.
        out: the result [images, rows, columns, channels].
        lines: the first line of it that is written, and the first that is not.
    """
    down, across = windows
    _, rows, columns, channels = out.shape
    height, width = x.shape[1:3]
    above, _ = down.padding(height, rows)
    left, _ = across.padding(width, columns)
    inner = (width - int(across.extent) + left) // across.stride + 1
    sizes = rows, columns, height, width, channels, weights.shape[2] // channels, inner
    moves = down.stride, across.stride, down.rate, across.rate, above, left
    loop(x, weights, out, 0, *lines, *sizes, int(down.size), int(across.size), *moves)
