"""Gradients of the filters of a convolution by machine code: windows are read where they lie."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ...graph.kernel_spec import Loop
from ..kit.machine_products import Tile, lines_of
from ..kit.sharing import share
from .machine_convolution import places_of
from .windowing import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

_WIDE, _NARROW = 2, 1

_HEAD = """
def slopes(x, places, steps, y, out, rows, pieces, length, columns):
    column = 0
    while column < columns:
        wide = columns - column > {lanes} and columns >= {pair}
        behind = columns - ({pair} if wide else {lanes})
        c = column if column < behind else behind
        column = c + ({pair} if wide else {lanes})
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
    """The loop that writes `x.T @ y` to `out`, where rows of `x` lie in pieces.

    Row `m` of `rows` has so many `pieces` of a `length`, which lie at `places[m] + steps[t]`. `y`
    and `out` have so many `columns`, as many at least as a vector has lanes.
    """
    lanes, sizes = tile
    parts = [_HEAD.format(lanes=lanes, pair=_WIDE * lanes)]
    for vectors, test in ((_WIDE, "wide"), (_NARROW, "not wide")):
        parts += [_tile(rows, vectors, lanes, test) for rows in sizes]
    types = ("float32*", "int64*", "int64*", "float32*", "float32*", *["int64"] * 4)
    return Loop("slopes", types, "".join(parts), lanes)


def _tile(rows: int, vectors: int, lanes: int, test: str) -> str:
    """The loops that sum up so many elements of a piece, times vectors of `y`."""
    sums = list(product(range(rows), range(vectors)))
    add = []
    for r in range(rows):
        add.append(f"s = spread(x[a + {r}])")
        add += [f"c{r}_{v} = fma(s, w{v}, c{r}_{v})" for v in range(vectors)]
    return _TILE.format(
        test=test,
        rows=rows,
        begin=lines_of(16, [f"c{r}_{v} = spread(float32(0))" for r, v in sums]),
        load=lines_of(20, [f"w{v} = load(y, b + {v * lanes})" for v in range(vectors)]),
        add=lines_of(20, add),
        store=lines_of(
            16, [f"store(out, b + {r} * columns + {v * lanes}, c{r}_{v})" for r, v in sums]
        ),
    )


def machine_sums(
    loop: Callable[..., None], tile: Tile
) -> Callable[[Array, Array, Sequence[Window], Array], None]:
    """What `filter_gradient` takes to sum up by the loop.

    Args:
        loop: that of `slopes_loop` as machine code.
        tile: that of the loop.
    """

    def sum_up(x: Array, gradient: Array, windows: Sequence[Window], out: Array) -> None:
        positions = gradient.shape[1:-1]
        missing = tile.lanes - gradient.shape[-1]
        if missing > 0:
            gradient = np.pad(gradient, [*[(0, 0)] * (gradient.ndim - 1), (0, missing)])
            whole = np.empty((*out.shape[:2], tile.lanes), out.dtype)
            sum_up(x, gradient, windows, whole)
            out[...] = whole[:, :, : out.shape[2]]
            return
        x, gradient = np.ascontiguousarray(x), np.ascontiguousarray(gradient)
        frame = Frame(x, windows, positions)
        images = -(-len(x) // len(out))

        def add_up(numbers: Iterator[int]) -> None:
            for i in numbers:
                some = slice(i * images, min((i + 1) * images, len(x)))
                lines = slice(0, positions[0])
                seen = x[some] if frame.is_whole else frame.seen_by(some, lines)[0]
                places = places_of(seen.shape[1:], (len(seen), *positions), tuple(windows))
                sizes = places.rows, places.pieces, places.length, out.shape[2]
                loop(seen, places.starts, places.steps, gradient[some], out[i], *sizes)

        share(add_up, range(len(out)))

    return sum_up
