"""Winograd convolution written for machine code: transforms of tiles, and their products."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np

from ...runtime.jit.machine_code import Address
from ...runtime.kernel_spec import Loop
from ...shape_inference.protocols import Array
from ..common.jit_gemm import Panels, Tile, lines_of, product_source, row_places
from ..common.scratch import scratch

_NUMBERS = 16

_HEAD = """
def minimal(
    x, numbers, products, places, steps, w, out, images, rows, columns, channels, after, below,
    made, panels, size,
):
    lines = (rows + 1) // 2
    along = (columns + 1) // 2
    tiles = images * lines * along
    tile = 0
    for image in range(images):
        for line in range(lines):
            for piece in range(along):
                first = image * after + 2 * line * below + 2 * piece * channels
                done = 0
                while done < channels:
                    c = done if done + {lanes} < channels else channels - {lanes}
                    a = first + c
                    b = tile * channels + c
                    {numbers}
                    done += {lanes}
                tile += 1
    for k in range(16):
        product(
            numbers, places, steps, w, products, tiles, 0, panels, 1, channels, made,
            k * tiles * channels, k * size, k * tiles * made,
        )
    tile = 0
    for image in range(images):
        for line in range(lines):
            low = 2 * line + 1 < rows
            for piece in range(along):
                right = 2 * piece + 1 < columns
                first = ((image * rows + 2 * line) * columns + 2 * piece) * made
                done = 0
                while done < made:
                    c = done if done + {lanes} < made else made - {lanes}
                    a = tile * made + c
                    b = first + c
                    {results}
                    done += {lanes}
                tile += 1
"""


def _numbers() -> list[str]:
    """Source of the input transform of a vector of channels: 16 values, by rows, then columns."""
    lines = []
    for j in range(4):
        step = f"a + {j} * channels" if j else "a"
        lines += [f"d{i} = load(x, {step} + {i} * below)" for i in range(4)]
        lines += _apart([f"d{i}" for i in range(4)], [f"t{i}_{j}" for i in range(4)])
    for i in range(4):
        lines += _apart([f"t{i}_{j}" for j in range(4)], [f"n{j}" for j in range(4)])
        lines += [f"store(numbers, b + {4 * i + j} * tiles * channels, n{j})" for j in range(4)]
    return lines


def _apart(seen: list[str], made: list[str]) -> list[str]:
    """The four numbers of what windows see along one dimension."""
    one, two, three, four = seen
    differences = f"{one} - {three}", f"{two} + {three}", f"{three} - {two}", f"{two} - {four}"
    return [f"{name} = {text}" for name, text in zip(made, differences, strict=True)]


def _results() -> list[str]:
    """Source of the output transform of a vector of channels: four results."""
    lines = []
    for j in range(4):
        lines += [f"m{i} = load(products, a + {4 * i + j} * tiles * made)" for i in range(4)]
        lines += _together([f"m{i}" for i in range(4)], [f"s0_{j}", f"s1_{j}"])
    for i, j in product(range(2), range(2)):
        if not j:
            lines += _together([f"s{i}_{k}" for k in range(4)], ["r0", "r1"])
        test = " and ".join([*["low"] * i, *["right"] * j])
        place = " + ".join(["b", *["columns * made"] * i, *["made"] * j])
        lines.append(f"{f'if {test}: ' if test else ''}store(out, {place}, r{j})")
    return lines


def _together(products: list[str], made: list[str]) -> list[str]:
    """The two results of four products along one dimension."""
    one, two, three, four = products
    return [f"{made[0]} = {one} + {two} + {three}", f"{made[1]} = {two} - {three} - {four}"]


@cache
def minimal_loop(tile: Tile) -> Loop:
    """The loop that makes `rows` times `columns` positions of images.

    The images `x` lie between their margins, up to whole tiles; the next image is `after` elements
    behind, and the next row `below`. `numbers` and `products` are scratch memory for the 16 of each
    tile, and `w` holds the turned filters for each of the 16, as `panels` of so many elements
    `size`; `places` and `steps` are for `product`.
    """
    source = _HEAD.format(
        lanes=tile.lanes,
        numbers=lines_of(20, _numbers()),
        results=lines_of(20, _results()),
    )
    floats, indices = "float32*", "int64*"
    types = (floats, floats, floats, indices, indices, floats, floats, *["int64"] * 9)
    return Loop("minimal", types, product_source(tile) + source, tile.lanes)


class TurnedPanels:
    """Turned filters [16, channels, out] as the loop reads them.

    Args:
        turned: the filters.
        loop: that of `minimal_loop` as machine code.
        tile: that of the loop.
    """

    def __init__(self, turned: Array, loop: Callable[..., None], tile: Tile) -> None:
        self._loop = loop
        self._channels = turned.shape[1]
        panels = [Panels(matrix, tile) for matrix in turned]
        self._number, self._size = panels[0].number, panels[0].size
        self._panels = Address.of(np.concatenate([item.address.array for item in panels]))

    def write(self, x: Array, out: Array, _: bool) -> None:
        """Writes the convolution of images between their margins, up to whole tiles, to `out`.

        The channels of `x` lie side by side, and so do the positions of a line.
        """
        images, rows, columns, made = out.shape
        tiles = images * -(-rows // 2) * -(-columns // 2)
        numbers = scratch("tiles", (_NUMBERS * tiles * self._channels,), x.dtype)
        products = scratch("products", (_NUMBERS * tiles * made,), x.dtype)
        places = row_places(tiles, self._channels)
        after, below = x.strides[0] // x.itemsize, x.strides[1] // x.itemsize
        sizes = images, rows, columns, self._channels, after, below
        self._loop(
            Address.of(x),
            numbers,
            products,
            places.starts,
            places.steps,
            self._panels,
            out,
            *sizes,
            made,
            self._number,
            self._size,
        )
