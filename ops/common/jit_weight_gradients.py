"""Products of a transposed matrix, `x.T @ y`, by machine code: rows are read in place."""

from __future__ import annotations

from functools import cache

from ...runtime.kernel_spec import Loop
from .jit_gemm import NARROW, WIDE, Tile, TileLines, lines_of

_HEAD = """
def slopes(x, places, steps, y, out, rows, pieces, length, columns):
    column = 0
    while column < columns:
        wide = columns - column > {lanes} and columns >= {pair}
        width = {pair} if wide else {lanes}
        c = column if column < columns - width else columns - width
        column = c + width
        for t in range(pieces):
            done = 0
"""
_TILE = """
            while {test} and done + {rows} <= length:
                {begin}
                for m in range(rows):
                    a = places[m] + steps[t] + done
                    b = m * columns + c
                    {load}
                    {add}
                b = (t * length + done) * columns + c
                {store}
                done += {rows}
"""


@cache
def slopes_loop(tile: Tile) -> Loop:
    """Loop that writes `x.T @ y` to `out`, where rows of `x` lie in pieces.

    Row `m` of `rows` has so many `pieces` of a `length`, which lie at `places[m] + steps[t]`. `y`
    and `out` have so many `columns`, as many at least as a vector has lanes.
    """
    lanes, sizes = tile
    parts = [_HEAD.format(lanes=lanes, pair=WIDE * lanes)]
    for vectors, test in ((WIDE, "wide"), (NARROW, "not wide")):
        parts += [_tile(rows, vectors, lanes, test) for rows in sizes]
    types = ("float32*", "int64*", "int64*", "float32*", "float32*", *["int64"] * 4)
    return Loop("slopes", types, "".join(parts), lanes)


def _tile(rows: int, vectors: int, lanes: int, test: str) -> str:
    """Loops that sum up a number of elements of a piece, times vectors of `y`."""
    lines = TileLines.of(rows, lanes, vectors, "x[a + {r}]", "y", "b + {r} * columns")
    return _TILE.format(
        test=test,
        rows=rows,
        begin=lines_of(16, lines.begin),
        load=lines_of(20, lines.load),
        add=lines_of(20, lines.add),
        store=lines_of(16, lines.store),
    )
