"""im2col: convolutions as matrix products, a block of rows at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...runtime.kernel_spec import Rows
from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ...shape_inference.workspaces import Workspace
from ..common.gemm import multiply_into, multiply_rows
from ..common.parallel_blocks import share
from ..common.scratch import lent, scratch
from .window_views import Frame, blocks, largest, positions_of, seen_through

if TYPE_CHECKING:
    Finish = Callable[[int, int], Any] | None

# What windows see is laid out in blocks of so many bytes, which stay in the cache until they are
# multiplied, and bound the memory that large images take. Blocks are larger where they would hold
# too few positions to be worth the arranging of the filters.
_BLOCK_BYTES = 1 << 21
_BLOCK_POSITIONS = 512
_MOST_BLOCK_BYTES = 1 << 23
# Fewer blocks than this cannot be shared out evenly.
_FEWEST_BLOCKS = 4


def block_bytes(position: int) -> int:
    """Number of positions in a block, by the bytes that each takes."""
    return max(_BLOCK_BYTES, min(_BLOCK_POSITIONS * position, _MOST_BLOCK_BYTES))


def convolution_rows(x: Array, filters: Array, windows: Sequence[Window], margin: Any = 0) -> Rows:
    """The convolution of [batch, *space, channels] with [*sizes, channels, out], to be made.

    The margins may hold another number than 0.
    """
    depth, out = filters.shape[-2:]
    positions = positions_of(x.shape[1:-1], tuple(windows))
    shape = (x.shape[0], *positions, out)
    matrix = filters.reshape(math.prod(filters.shape[:-1]), out)
    frame = Frame(x, windows, positions, margin)

    def fill(result: Array, finish: Finish) -> None:
        if 0 in (*shape, *x.shape):
            result[...] = 0
            if finish is not None:
                finish(0, math.prod(shape[:-1]))
            return
        flat = result.reshape(-1, out)
        if len(matrix) == depth and frame.is_whole and positions == x.shape[1:-1]:
            multiply_rows(x.reshape(-1, depth), matrix, flat, finish)
        else:
            _multiply_patches(frame, matrix, flat, finish)

    return Rows(shape, fill)


def _multiply_patches(frame: Frame, matrix: Array, out: Array, finish: Finish) -> None:
    """Product of the windows and the filters."""
    parts, several = _parts(frame, len(matrix) * out.itemsize)

    def multiply(parts: Iterator[tuple[slice, slice]]) -> None:
        for part in parts:
            start, stop = multiply_part(frame, part, matrix, out)
            if finish is not None:
                finish(start, stop)

    if several:
        share(multiply, parts)
        return
    for part in parts:
        multiply_into(out, _patches(frame, part, len(matrix)), matrix)
        if finish is not None:
            finish(0, len(out))


def _parts(frame: Frame, position: int) -> tuple[Iterator[tuple[slice, slice]], bool]:
    """The blocks of positions that are laid out at a time, and whether there are several.

    Args:
        frame: the images.
        position: how many bytes a position takes.
    """
    block = block_bytes(position)
    if math.prod(frame.shape) * position < _FEWEST_BLOCKS * block:
        return iter([(slice(0, frame.shape[0]), slice(0, frame.shape[1]))]), False
    return blocks(frame.shape, position, block), True


def patches_workspace(x: Array, windows: Sequence[Window], seen: int) -> Workspace:
    """Workspace of the convolution of [batch, *space, channels].

    Args:
        x: the images.
        windows: the windows that slide over them.
        seen: how many numbers of `x` a filter takes.
    """
    frame = Frame(x, windows, positions_of(x.shape[1:-1], tuple(windows)))
    if 0 in (*frame.shape, *x.shape):
        return Workspace()
    if seen == x.shape[-1] and frame.is_whole and frame.shape == x.shape[:-1]:
        return Workspace()
    position = seen * x.itemsize
    images, rows = largest(_parts(frame, position)[0], frame.shape)
    number = images * rows * math.prod(frame.shape[2:])
    return lent(patches=number * position, frame=frame.bytes_for(images, rows))


def multiply_part(
    frame: Frame, part: tuple[slice, slice], matrix: Array, out: Array
) -> tuple[int, int]:
    """Multiplies what windows see of some rows of images; returns where in `out` the product is."""
    patches = _patches(frame, part, len(matrix))
    start = (part[0].start * frame.shape[1] + part[1].start) * math.prod(frame.shape[2:])
    stop = start + len(patches)
    np.matmul(patches, matrix, out=out[start:stop])
    return start, stop


def _patches(frame: Frame, part: tuple[slice, slice], length: int) -> Array:
    """im2col of some rows of images: a row for each position."""
    x, positions = frame.seen_by(*part)
    views = seen_through(x, frame.windows, positions)
    patches = scratch("patches", (x.shape[0] * math.prod(positions), length), x.dtype)
    np.copyto(patches.reshape(views.shape), views)
    return patches
