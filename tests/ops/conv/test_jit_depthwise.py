"""Depthwise convolutions by vectors, the loop run by Python, beside NumPy's way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from machine_loops import interpreted
from window_cases import drawn_depthwise, made

from tensordraft.ops.conv import jit_depthwise as module
from tensordraft.ops.conv.depthwise_kernels import ChannelFilters
from tensordraft.ops.conv.jit_depthwise import VectorFilters, depthwise_vectors
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


def both(x: np.ndarray, filters: np.ndarray, *windows: Window) -> tuple[np.ndarray, np.ndarray]:
    """The convolution by NumPy and by the loop, of which all rows must have been finished."""
    loop = depthwise_vectors(LANES, windows[1], filters[0, 0].size)
    assert loop is not None
    found = VectorFilters(filters, interpreted(loop), LANES).rows(x, windows)
    return made(ChannelFilters(filters).rows(x, windows)), made(found)


@pytest.mark.parametrize("seed", range(40))
def test_any_window_sees_the_same(seed: int) -> None:
    x, filters, windows = drawn_depthwise(seed, (LANES, 14))
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
