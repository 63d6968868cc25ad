"""Filter gradients of convolutions by machine code that reads windows in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import Window
from ..common.jit_gemm import Tile
from ..common.parallel_blocks import share
from .jit_convolution import places_of
from .window_views import Frame

_places_of = lru_cache(64)(places_of)  # steps of training see the same shapes again


def machine_sums(
    loop: Callable[..., None], tile: Tile
) -> Callable[[Array, Array, Sequence[Window], Array], None]:
    """Arguments of `filter_gradient` for summation by the loop.

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
                views = x[some] if frame.is_whole else frame.seen_by(some, lines)[0]
                places = _places_of(views.shape[1:], (len(views), *positions), tuple(windows))
                sizes = places.rows, places.pieces, places.length, out.shape[2]
                loop(views, places.starts, places.steps, gradient[some], out[i], *sizes)

        share(add_up, range(len(out)))

    return sum_up
