"""Depthwise convolutions by vectors, the loop run by Python, beside NumPy's way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from machine_loops import interpreted

from tensordraft.graph.kernel_spec import Rows
from tensordraft.ops.windows import depthwise_vectors as module
from tensordraft.ops.windows.channelwise import ChannelFilters
from tensordraft.ops.windows.depthwise_vectors import VectorFilters, depthwise_vectors
from tensordraft.shape_inference.sliding_windows import Window

LANES = 4


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """So that small images have positions side by side, and parts."""
    monkeypatch.setattr(module, "_TOGETHER", {LANES: (3, 2)})
    monkeypatch.setattr(module, "_BLOCK_BYTES", 1 << 9)
    kept = module._vector_loop, module._layout
    for function in kept:
        function.cache_clear()
    yield
    for function in kept:
        function.cache_clear()


def made(rows: Rows) -> np.ndarray:
    result = np.full(rows.shape, 7, "f")
    finished: list[int] = []
    rows.fill(result, lambda *part: finished.extend(range(*part)))
    assert sorted(finished) == list(range(result.size // rows.shape[-1]))
    return result


def both(x: np.ndarray, filters: np.ndarray, *windows: Window) -> tuple[np.ndarray, np.ndarray]:
    """The convolution by NumPy and by the loop, of which all rows must have been finished."""
    loop = depthwise_vectors(LANES, windows[1], filters[0, 0].size)
    assert loop is not None
    found = VectorFilters(filters, interpreted(loop), LANES).rows(x, windows)
    return made(ChannelFilters(filters).rows(x, windows)), made(found)


@pytest.mark.parametrize("seed", range(40))
def test_any_window_sees_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    images, height, width = [int(n) for n in rng.integers(1, [4, 9, 16])]
    channels, multiplier = int(rng.integers(4, 14)), int(rng.integers(1, 3))
    windows = []
    for size in (height, width):
        seen, stride, rate = [int(n) for n in rng.integers(1, [6, 4, 3])]
        window = Window(seen, stride, rate, same=True)
        if rng.random() < 0.4:
            margins = [int(n) for n in rng.integers(0, 7, 2)]
            explicit = Window(seen, stride, rate, before=margins[0], after=margins[1])
            window = explicit if explicit.fits(size) else window
        windows.append(window)
    x = rng.integers(-9, 9, (images, height, width, channels)).astype("f")
    sizes = [int(window.size) for window in windows]
    filters = rng.integers(-9, 9, (*sizes, channels, multiplier)).astype("f")
    wanted, found = both(x, filters, *windows)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_no_number_in_the_filters_reaches_from_the_margins(odd: float) -> None:
    x = np.ones((1, 4, 40, 5), "f")
    filters = np.ones((3, 3, 5, 1), "f")
    filters[0, 0, 0] = odd
    wanted, found = both(x, filters, *[Window(3, 1, same=True)] * 2)
    np.testing.assert_array_equal(found, wanted)
    assert np.isnan(found[0, 0, 0, 0])


def test_nothing_makes_nothing() -> None:
    filters = np.ones((3, 3, 5, 1), "f")
    wanted, found = both(np.ones((0, 4, 4, 5), "f"), filters, *[Window(3, 1, same=True)] * 2)
    assert wanted.shape == found.shape == (0, 4, 4, 5)


def test_only_what_fills_vectors_and_fits_in_registers_is_done_so() -> None:
    assert depthwise_vectors(0, Window(3, 1), 64) is None
    assert depthwise_vectors(LANES, Window(3, 1), 3) is None
    assert depthwise_vectors(LANES, Window(8, 1), 64) is None
    one, other = (depthwise_vectors(LANES, Window(3, n), 64) for n in (1, 2))
    assert one is not None
    assert one != other
