"""Depthwise convolutions of images of float32 for machine code, vectors of channels at a time."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.kernel_spec import Loop, Rows
from ..kit.sharing import share
from .windowing import Frame, even_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...shape_inference.protocols import Array
    from ...shape_inference.sliding_windows import Window

# What a part of the result takes that a thread makes at a time.
_BLOCK_BYTES = 1 << 20

_NUMBERS = (
    "images", "rows", "columns", "channels", "height", "width", "after", "below", "above", "left",
    "high", "down", "lower",
)  # fmt: skip
# So many positions are summed up side by side, in so many vectors: as many as registers hold
# beside the weights of a line of the window.
_TOGETHER = {16: (7, 2), 8: (4, 1), 4: (7, 1)}
_ALONE = (4, 1)
_WIDEST = 7


class Across(NamedTuple):
    """How a window lies along a line: so many elements, and how far apart; and how far it moves."""

    wide: int
    further: int
    stride: int


_HEAD = """
def depthwise({parameters}):
    first = (left + {stride} - 1) // {stride}
    last = (width - 1 - {reach} + left) // {stride} + 1
    last = last if last < columns else columns
    if last - first < {positions}:
        last = first
    for line in range(images * rows):
        image = line // rows
        top = (line - image * rows) * down - above
        i0 = (lower - 1 - top) // lower if top < 0 else 0
        i1 = high if top + (high - 1) * lower < height else (height - top + lower - 1) // lower
        origin = image * after + top * below - left * channels
        column = 0
        while column < columns:
            together = column >= first and column < last
            if together and column > last - {positions}:
                column = last - {positions}
            side = column * {stride} - left
            j0 = ({further} - 1 - side) // {further} if side < 0 else 0
            j1 = {wide} if side + {reach} < width else (width - side + {further} - 1) // {further}
            here = origin + column * {stride} * channels
            there = (line * columns + column) * channels
            done = 0
            if together:
                column += {positions}
"""
_TOGETHER_LOOP = """
                while done < channels{room}:
                    done = done if done + {size} <= channels else channels - {size}
                    {clear}
                    for i in range(i0, i1):
                        a = here + i * lower * below + done
                        b = i * {wide} * channels + done
                        {weights}
                        {add}
                    {store}
                    done += {size}
"""
_ALONE_HEAD = """
            else:
                column += 1
"""
_ALONE_LOOP = """
                while done < channels{room}:
                    done = done if done + {size} <= channels else channels - {size}
                    {clear}
                    for i in range(i0, i1):
                        for j in range(j0, j1):
                            a = here + i * lower * below + j * {further} * channels + done
                            b = (i * {wide} + j) * channels + done
                            {add}
                    {store}
                    done += {size}
"""


def depthwise_vectors(lanes: int, across: Window, channels: int) -> Loop | None:
    """The loop that writes what windows see of some rows of images, times the weights `w`.

    An image is `after` elements behind another, and a line `below` another. Elements of the window
    in the `height` and the `width` of the images are added up, first along lines; at the first
    position it reaches `above` and to the `left` of them. Those of a column are `lower` apart, so
    many `high`.

    Args:
        lanes: those of vectors of the processor; 0 for none.
        across: the window along lines.
        channels: how many there are, of the result.

    Returns:
        None where there are no vectors, where the channels fill none, or where the weights of a
        line of the window do not fit in registers.
    """
    if not 0 < lanes <= channels or int(across.size) > _WIDEST:
        return None
    return _vector_loop(lanes, Across(int(across.size), across.rate, across.stride))


@cache
def _vector_loop(lanes: int, across: Across) -> Loop:
    positions, most = _TOGETHER[lanes]
    parameters = ", ".join(["x", "w", "out", *_NUMBERS])
    wide, further, stride = across
    reach = (wide - 1) * further
    numbers = {"wide": wide, "further": further, "stride": stride, "reach": reach}
    parts = [_HEAD.format(parameters=parameters, positions=positions, **numbers)]
    parts += [_together(positions, n, lanes, across) for n in range(most, 0, -1)]
    parts.append(_ALONE_HEAD)
    parts += [_alone(n, lanes, across) for n in _ALONE]
    types = ("float32*",) * 3 + ("int64",) * len(_NUMBERS)
    return Loop("depthwise", types, "".join(parts), lanes)


def _together(positions: int, vectors: int, lanes: int, across: Across) -> str:
    """The loops that make so many positions side by side.

    What is seen is loaded once for all that see it.
    """
    wide, further, stride = across
    places = sorted({p * stride + j * further for p, j in product(range(positions), range(wide))})
    sums = list(product(range(positions), range(vectors)))
    add = []
    for place, v in product(places, range(vectors)):
        add.append(f"s = load(x, a + {place} * channels + {v * lanes})")
        for p, j in product(range(positions), range(wide)):
            if p * stride + j * further == place:
                add.append(f"t{p}_{v} = fma(s, w{j}_{v}, t{p}_{v})")
    return _TOGETHER_LOOP.format(
        room=f" - {vectors * lanes - 1}" if vectors > 1 else "",
        size=vectors * lanes,
        wide=wide,
        clear=_lines(20, [f"t{p}_{v} = spread(float32(0))" for p, v in sums]),
        weights=_lines(
            24,
            [
                f"w{j}_{v} = load(w, b + {j} * channels + {v * lanes})"
                for j, v in product(range(wide), range(vectors))
            ],
        ),
        add=_lines(24, add),
        store=_lines(
            20,
            [f"store(out, there + done + {p} * channels + {v * lanes}, t{p}_{v})" for p, v in sums],
        ),
    )


def _alone(vectors: int, lanes: int, across: Across) -> str:
    """The loops that make one position, of whose window some lies beside the image."""
    steps = [(v, v * lanes) for v in range(vectors)]
    return _ALONE_LOOP.format(
        room=f" - {vectors * lanes - 1}" if vectors > 1 else "",
        size=vectors * lanes,
        wide=across.wide,
        further=across.further,
        clear=_lines(20, [f"t{v} = spread(float32(0))" for v, _ in steps]),
        add=_lines(28, [f"t{v} = fma(load(x, a + {k}), load(w, b + {k}), t{v})" for v, k in steps]),
        store=_lines(20, [f"store(out, there + done + {k}, t{v})" for v, k in steps]),
    )


def _lines(indent: int, lines: list[str]) -> str:
    return f"\n{' ' * indent}".join(lines)


class VectorFilters:
    """Filters [rows, columns, channels, multiplier] that such a loop slides over images.

    Args:
        filters: the filters.
        loop: that of `depthwise_vectors` as machine code.
        lanes: those of the loop.
    """

    def __init__(self, filters: Array, loop: Callable[..., None], lanes: int) -> None:
        self._loop = loop
        self._together, _ = _TOGETHER[lanes]
        self._multiplier = filters.shape[3]
        self._taps = np.ascontiguousarray(filters).reshape(*filters.shape[:2], -1)
        self._finite = bool(np.isfinite(filters).all())

    def rows(self, x: Array, windows: Sequence[Window]) -> Rows:
        """The convolution [batch, rows, columns, channels * multiplier] of images, to be made."""
        sizes = zip(windows, x.shape[1:-1], strict=True)
        positions = [int(window.positions(size)) for window, size in sizes]
        shape = (x.shape[0], *positions, self._taps.shape[2])

        def fill(result: Array, finish: Callable[[int, int], Any] | None) -> None:
            if 0 in (*shape, *x.shape):
                result[...] = 0
                return
            self._fill(
                x if self._multiplier == 1 else x.repeat(self._multiplier, -1),
                windows,
                result,
                finish,
            )

        return Rows(shape, fill)

    def _is_framed(self, x: Array, windows: Sequence[Window], columns: int) -> bool:
        """Whether it pays to lay the margins around images, so that windows lie inside of them.

        Where they do not, positions are made one by one. Filters that are no numbers reach from the
        margins, too. Milliseconds of four images on one core (2026-11-26), windows cut off at the
        margins, and images framed:

            112 x 112 x 32, 3 x 3   0.35   0.56
             28 x 28 x 192, 3 x 3   0.15   0.23
             28 x 28 x 240, 5 x 5   0.39   0.45
             14 x 14 x 672, 5 x 5   0.39   0.37
             14 x 14 x 88,  7 x 7   0.10   0.07
              7 x 7 x 960,  3 x 3   0.10   0.08
        """
        window = windows[1]
        left, right = window.padding(x.shape[2], columns)
        beside = sum(-(-margin // window.stride) for margin in (left, right))
        if columns - beside < self._together:
            beside = columns if left or right else 0
        return not self._finite or 3 * beside > columns

    def _fill(
        self,
        x: Array,
        windows: Sequence[Window],
        result: Array,
        finish: Callable[[int, int], Any] | None,
    ) -> None:
        x = np.ascontiguousarray(x)
        _, rows, columns, channels = result.shape
        frame = Frame(x, windows, (rows, columns)) if self._is_framed(x, windows, columns) else None
        down, across = windows
        above, _ = down.padding(x.shape[1], rows)
        left, _ = across.padding(x.shape[2], columns)

        def write(parts: Iterator[tuple[slice, slice]]) -> None:
            for images, lines in parts:
                place = result[images, lines]
                if frame is None:
                    first = above - lines.start * down.stride
                    self._write(x[images], down, place, first, left)
                else:
                    self._write(frame.seen_by(images, lines)[0], down, place, 0, 0)
                if finish is not None:
                    start = (images.start * rows + lines.start) * columns
                    finish(start, start + math.prod(place.shape[:3]))

        share(write, even_blocks(result.shape[:3], channels * result.itemsize, _BLOCK_BYTES))

    def _write(self, x: Array, down: Window, out: Array, above: int, left: int) -> None:
        """Writes rows of positions to `out`, the first of which reaches so far over the edges."""
        after, below = x.strides[0] // x.itemsize, x.strides[1] // x.itemsize
        numbers = *out.shape, *x.shape[1:3], after, below, above, left
        self._loop(x, self._taps, out, *numbers, int(down.size), down.stride, down.rate)
