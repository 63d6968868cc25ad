"""Depthwise convolutions of float32 images for machine code, vectors of channels at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...runtime.jit.machine_code import Address
from ...runtime.kernel_spec import Loop, Rows
from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.jit_gemm import lines_of
from ..common.parallel_blocks import share, sharers
from .window_views import Frame, even_blocks, positions_of

if TYPE_CHECKING:
    Finish = Callable[[int, int], Any] | None

# What a part of the result takes that a thread makes at a time.
_BLOCK_BYTES = 1 << 20
# Fewer multiplications take less time than it takes to share them.
_MANY_TO_SHARE = 1 << 23

_NUMBERS = (
    "images",
    "rows",
    "columns",
    "channels",
    "height",
    "width",
    "after",
    "below",
    "above",
    "left",
    "high",
    "down",
    "lower",
    "behind",
    "to",
)
# So many positions are summed up side by side, in so many vectors: as many as registers hold
# beside the weights of a line of the window.
_TOGETHER = {16: (7, 2), 8: (4, 1), 4: (7, 1)}
_ALONE = (4, 1)
_WIDEST = 7


class Across(NamedTuple):
    """Window along one axis: size, dilation and stride."""

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
        origin = behind + image * after + top * below - left * channels
        column = 0
        while column < columns:
            together = column >= first and column < last
            if together and column > last - {positions}:
                column = last - {positions}
            side = column * {stride} - left
            j0 = ({further} - 1 - side) // {further} if side < 0 else 0
            j1 = {wide} if side + {reach} < width else (width - side + {further} - 1) // {further}
            here = origin + column * {stride} * channels
            there = to + (line * columns + column) * channels
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
    many `high`. Elements of `x` are counted from `behind` on, those of `out` from `to`.

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
        clear=lines_of(20, [f"t{p}_{v} = spread(float32(0))" for p, v in sums]),
        weights=lines_of(
            24,
            [
                f"w{j}_{v} = load(w, b + {j} * channels + {v * lanes})"
                for j, v in product(range(wide), range(vectors))
            ],
        ),
        add=lines_of(24, add),
        store=lines_of(
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
        clear=lines_of(20, [f"t{v} = spread(float32(0))" for v, _ in steps]),
        add=lines_of(
            28, [f"t{v} = fma(load(x, a + {k}), load(w, b + {k}), t{v})" for v, k in steps]
        ),
        store=lines_of(20, [f"store(out, there + done + {k}, t{v})" for v, k in steps]),
    )


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
        self._seen = math.prod(filters.shape[:2])
        self._taps = Address.of(np.ascontiguousarray(filters))
        self._finite = bool(np.isfinite(filters).all())

    def rows(self, x: Array, windows: Sequence[Window]) -> Rows:
        """The convolution [batch, rows, columns, channels * multiplier] of images, to be made."""
        windows = tuple(windows)
        positions = positions_of(x.shape[1:-1], windows)
        shape = len(x), *positions, x.shape[-1] * self._multiplier
        return Rows(shape, partial(self._fill, x, windows))

    def _fill(self, x: Array, windows: tuple[Window, ...], result: Array, finish: Finish) -> None:
        together = self._together if self._finite else 0
        threads = sharers(result.size * self._seen, _MANY_TO_SHARE)
        layout = _layout(x.shape, windows, self._multiplier, together, threads)
        x = np.ascontiguousarray(x if self._multiplier == 1 else x.repeat(self._multiplier, -1))
        frame = Frame(x, windows, result.shape[1:3]) if layout.is_framed else None
        given, made, down = Address.of(x), Address.of(result), windows[0]
        window = int(down.size), down.stride, down.rate

        def write(parts: Iterable[_Part]) -> None:
            for part in parts:
                numbers = *part.numbers, *window, part.behind, part.to
                source: Address | Array = given
                if frame is not None:
                    source = np.ascontiguousarray(frame.seen_by(part.images, part.lines)[0])
                self._loop(source, self._taps, made, *numbers)
                if finish is not None:
                    finish(part.start, part.stop)

        if len(layout.parts) > 1:
            share(write, layout.parts)
        elif layout.parts:
            write(layout.parts)
        else:
            result[...] = 0
            if finish is not None:
                finish(0, math.prod(result.shape[:3]))


class _Part(NamedTuple):
    """Some lines of positions that are made at a time.

    Attributes:
        images, lines: which lines of which images.
        start, stop: which positions of the result.
        behind, to: the elements of the images, without a frame, and of the result that come first.
        numbers: what the loop is given of it.
    """

    images: slice
    lines: slice
    start: int
    stop: int
    behind: int
    to: int
    numbers: tuple[int, ...]


class _Layout(NamedTuple):
    """Plan of a convolution for one image shape.

    Attributes:
        is_framed: whether images are laid between their margins.
        parts: what is made at a time.
    """

    is_framed: bool
    parts: Sequence[_Part]


@lru_cache(512)
def _layout(
    shape: tuple[int, ...],
    windows: tuple[Window, ...],
    multiplier: int,
    together: int,
    threads: int,
) -> _Layout:
    """The layout for images [batch, rows, columns, channels].

    Args:
        shape: that of the images.
        windows: the windows along rows and columns.
        multiplier: how many filters each channel has.
        together: how many positions are made side by side; 0 where images have to be framed.
        threads: how many parts there are at least.
    """
    images, *space, _ = shape
    channels = shape[3] * multiplier
    rows, columns = positions_of(tuple(space), windows)
    out_shape = images, rows, columns, channels
    down, across = windows
    (above, _), (left, right) = down.padding(space[0], rows), across.padding(space[1], columns)
    is_framed = _is_framed(across, left, right, columns, together)
    if 0 in (*shape, *out_shape):
        return _Layout(False, ())
    item = np.dtype(np.float32).itemsize
    parts = []
    for some, lines in even_blocks(out_shape[:3], channels * item, _BLOCK_BYTES, threads):
        sizes = min(some.stop, images) - some.start, min(lines.stop, rows) - lines.start
        height, width = space
        margins = above - lines.start * down.stride, left
        if is_framed:
            height, width = (sizes[1] - 1) * down.stride + int(down.extent), left + width + right
            margins = 0, 0
        start = (some.start * rows + lines.start) * columns
        steps = height * width * channels, width * channels
        numbers = *sizes, columns, channels, height, width, *steps, *margins
        stop, behind = start + sizes[0] * sizes[1] * columns, some.start * steps[0]
        behind = 0 if is_framed else behind
        parts.append(_Part(some, lines, start, stop, behind, start * channels, numbers))
    return _Layout(is_framed, parts)


def _is_framed(across: Window, left: int, right: int, columns: int, together: int) -> bool:
    """Returns whether padding the images first is faster, so that all windows lie inside.

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
    beside = sum(-(-margin // across.stride) for margin in (left, right))
    if columns - beside < together:
        beside = columns if left or right else 0
    return not together or 3 * beside > columns
