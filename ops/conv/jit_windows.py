"""Depthwise convolution and pooling of images, written for machine code."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...runtime.kernel_spec import Loop
from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.parallel_blocks import share

# So many pieces are added up side by side, in registers, and of each so many elements; what is left
# goes in smaller numbers. LLVM makes vectors of them. Of a loop over elements it would not: the
# arrays might overlap.
_LANES = {6: (16, 8, 4, 1), 1: (32, 16, 8, 4, 1)}
_LANES_OF_POOLS = {6: (16, 4, 1), 1: (16, 4, 1)}  # nearly as quick, and sooner compiled
# The part of the result that a thread makes at a time.
_BLOCK_BYTES = 1 << 18
_NUMBERS = (
    "begin",
    "end",
    "rows",
    "columns",
    "height",
    "width",
    "channels",
    "together",
    "inner",
    "high",
    "wide",
    "down",
    "across",
    "lower",
    "further",
    "above",
    "left",
)
# A piece of several positions is a whole number of vectors, unless it became longer than this.
_VECTOR = 16
_LONGEST_PIECE = 1024
# Of lines that see alike, each is first gone through for what is done side by side along it; then,
# once for all of them, for the rest.
_HEAD = """
def {name}({parameters}):
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
                                {combine}
                                a += further * channels
                                b += length
                        {store}
                        done += {lanes}
"""
_END = """
        line += lines
"""


def depthwise_loop(dtype: np.dtype[Any]) -> Loop | None:
    """The loop that adds up what windows see, times the weights `w` of each element of the window.

    Those are the weights of a piece, for each element.
    """
    return _loop("depthwise", ("x", "w", "out"), dtype, "{0} + {1} * w[b + {k}]", "{0}")


def pooling_loop(dtype: np.dtype[Any], mean: bool) -> Loop | None:
    """The loop that makes the mean or the maximum of what windows see."""
    if mean:
        seen = f"{{0}} / {dtype.name}((i1 - i0) * (j1 - j0))"
        return _loop("mean", ("x", "out"), dtype, "{0} + {1}", seen)
    return _loop("maximum", ("x", "out"), dtype, "{1} if {1} > {0} else {0}", "{0}")


def _loop(
    name: str, arrays: Sequence[str], dtype: np.dtype[Any], combined: str, stored: str
) -> Loop | None:
    """The loop that makes lines `begin` to `end` of what windows see.

    It takes images `x` of `height` and `width`, whose lines, and those of the results, are counted
    through. Elements of the window are `lower` and `further` apart, and those in a margin are left
    out. From position `inner` on, windows reach into the margin behind a line. Those that reach
    into none are combined in pieces of so many positions `together`: several side by side along a
    line, or, where there are not as many, one below the other.

    Args:
        name: of the function.
        arrays: what it takes before `start`, with which it starts combining, and the numbers.
        dtype: of the elements.
        combined: what becomes of what is there, {0}, and what is seen, {1}.
        stored: what becomes of that in the end.
    """
    if dtype not in (np.float32, np.float64):
        return None
    lanes = _LANES if "w" in arrays else _LANES_OF_POOLS
    numbers = {"many": max(lanes), "further": max(lanes) - 1}
    parameters = ", ".join([*arrays, "start", *_NUMBERS])
    parts = [_HEAD.format(name=name, parameters=parameters, **numbers)]
    for pieces, each in lanes.items():
        parts += [_side_by_side(pieces, some, combined, stored) for some in each]
    types = [f"{dtype.name}*"] * len(arrays) + [dtype.name] + ["int64"] * len(_NUMBERS)
    return Loop(name, tuple(types), "".join([*parts, _END]))


def _side_by_side(pieces: int, lanes: int, combined: str, stored: str) -> str:
    """The loops that combine so many elements of so many pieces at a time."""

    def each(text: str, indent: int) -> str:
        pairs = [(f"t{p}_{k}", p, k) for p, k in product(range(pieces), range(lanes))]
        lines = [text.format(t, f"x[a + {p} * step + {k}]", p=p, k=k) for t, p, k in pairs]
        return f"\n{' ' * indent}".join(lines)

    return _SIDE_BY_SIDE.format(
        pieces=pieces,
        lanes=lanes,
        clear=each("{0} = start", 24),
        combine=each(f"{{0}} = {combined}", 32),
        store=each(f"out[there + {{p}} * gap + done + {{k}}] = {stored}", 24),
    )


def positions_of_piece(shape: Sequence[int], across: Window) -> int:
    """Number of positions per piece along a line of a result [images, rows, columns, channels].

    Where the window moves by 1, the elements of a line see what lies side by side, so that a piece
    may hold several positions. Then few, or an odd number of channels fill whole vectors, too.
    """
    *_, positions, channels = shape
    several = _VECTOR // math.gcd(channels, _VECTOR)
    if across.stride > 1 or several * channels > _LONGEST_PIECE:
        return 1
    return min(several, positions)


def run_loop(
    loop: Callable[..., None],
    arrays: Sequence[Array],
    start: float,
    windows: Sequence[Window],
    out: Array,
    together: int,
    finish: Callable[[int, int], Any] | None = None,
) -> None:
    """Has a loop write what it makes of what windows see.

    Args:
        loop: the loop as machine code.
        arrays: what it takes, of which the first are images [images, rows, columns, channels].
        start: what combining starts with.
        windows: the windows along rows and columns.
        out: the result [images, rows, columns, channels], which is not empty.
        together: how many positions make a piece.
        finish: as for `Rows.fill`.
    """
    down, across = windows
    images, rows, columns, channels = out.shape
    height, width = arrays[0].shape[1:3]
    above, _ = down.padding(height, rows)
    left, _ = across.padding(width, columns)
    inner = (width - int(across.extent) + left) // across.stride + 1
    sizes = rows, columns, height, width, channels, together, inner
    moves = down.stride, across.stride, down.rate, across.rate, above, left
    numbers = *sizes, int(down.size), int(across.size), *moves
    step = max(1, _BLOCK_BYTES // (columns * channels * out.itemsize))

    def write(lines: Iterator[int]) -> None:
        for line in lines:
            stop = min(line + step, images * rows)
            loop(*arrays, out, start, line, stop, *numbers)
            if finish is not None:
                finish(line * columns, stop * columns)

    share(write, range(0, images * rows, step))
