"""Images and windows drawn at random, and results of which every row has to be finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensordraft.runtime.kernel_spec import Rows
from tensordraft.shape_inference.sliding_windows import Window


def made(rows: Rows) -> np.ndarray:
    """A result, each row of which must have been finished once."""
    result = np.full(rows.shape, 7, "f")
    finished: list[int] = []
    rows.fill(result, lambda *part: finished.extend(range(*part)))
    assert sorted(finished) == list(range(np.prod(rows.shape[:-1], dtype=int)))
    return result


def drawn(rng: np.random.Generator, *sizes: int) -> Any:
    """Whole numbers, so that sums of their products are exact."""
    return rng.integers(-9, 9, sizes).astype("f")


def drawn_windows(rng: np.random.Generator, space: Sequence[int], most: int = 5) -> list[Window]:
    """A window for each dimension of space, of `most` elements: padded alike, by hand, or not."""
    windows = []
    for size in space:
        seen, stride, rate = [int(n) for n in rng.integers(1, [most + 1, 4, 3])]
        window = Window(seen, stride, rate, same=True)
        if rng.random() < 0.4:
            margins = [int(n) for n in rng.integers(0, 7, 2)]
            explicit = Window(seen, stride, rate, before=margins[0], after=margins[1])
            window = explicit if explicit.fits(size) else window
        windows.append(window)
    return windows


def drawn_depthwise(
    seed: int, channels: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, list[Window]]:
    """Images, filters for each of so many channels, and windows."""
    rng = np.random.default_rng(seed)
    images, height, width = [int(n) for n in rng.integers(1, [4, 12, 20])]
    depth, multiplier = int(rng.integers(*channels)), int(rng.integers(1, 3))
    windows = drawn_windows(rng, (height, width))
    sizes = [int(window.size) for window in windows]
    return (
        drawn(rng, images, height, width, depth),
        drawn(rng, *sizes, depth, multiplier),
        windows,
    )
