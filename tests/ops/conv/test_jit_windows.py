"""The loops of depthwise convolutions and pools, beside NumPy's ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from machine_loops import interpreted
from window_cases import drawn, drawn_depthwise, drawn_windows, made

import tensordraft as td
from tensordraft.ops.conv import jit_pooling, jit_windows, pooling_rules
from tensordraft.ops.conv.depthwise_kernels import ChannelFilters
from tensordraft.ops.conv.pooling_gradients import _to_first_maxima
from tensordraft.ops.conv.pooling_rules import WHOLE, pooled_sizes
from tensordraft.shape_inference.context import KernelContext
from tensordraft.shape_inference.sliding_windows import Window


@pytest.fixture(autouse=True)
def few_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small images have several pieces side by side, below each other, and none."""
    monkeypatch.setattr(jit_windows, "_LANES", {2: (4, 1), 1: (4, 1)})
    monkeypatch.setattr(jit_windows, "_BLOCK_BYTES", 1 << 9)


def both(x: np.ndarray, filters: np.ndarray, *windows: Window) -> tuple[np.ndarray, np.ndarray]:
    """The convolution by NumPy and by the loop, of which all rows must have been finished."""
    loop = jit_windows.depthwise_loop(x.dtype)
    assert loop is not None
    return made(ChannelFilters(filters).rows(x, windows)), made(
        ChannelFilters(filters, interpreted(loop)).rows(x, windows)
    )


@pytest.mark.parametrize("seed", range(40))
def test_any_window_sees_the_same(seed: int) -> None:
    x, filters, windows = drawn_depthwise(seed, (1, 6))
    wanted, found = both(x, filters, *windows)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_no_number_in_the_filters_reaches_from_the_margins(odd: float) -> None:
    x = np.ones((1, 4, 4, 2), "f")
    filters = np.ones((3, 3, 2, 1), "f")
    filters[0, 0, 0] = odd
    wanted, found = both(x, filters, *[Window(3, 1, same=True)] * 2)
    np.testing.assert_array_equal(found, wanted)
    assert np.isnan(found[0, 0, 0, 0])


@pytest.mark.parametrize("seed", range(20))
def test_pools_of_any_window_are_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal([int(n) for n in rng.integers(1, [4, 9, 14, 6])]).astype("f")
    x[rng.random(x.shape) < 0.1] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
    ksize = [1, *[int(n) for n in rng.integers(2, 5, 2)], 1]
    strides = [1, *[int(n) for n in rng.integers(1, 4, 2)], 1]
    with td.Graph().as_default() as graph:
        pools = [pool(x, ksize, strides, "SAME") for pool in (td.nn.max_pool, td.nn.avg_pool)]
        for pool, rtol in zip(pools, (0, 1e-6), strict=True):
            context = KernelContext(pool.op, graph.inference, {})
            kernel: Any = pool.op.definition.kernel_factory(context)  # type: ignore[misc]
            with np.errstate(all="ignore"):
                found = kernel.accelerated.kernel(interpreted(kernel.accelerated.loop))(x)
                np.testing.assert_allclose(found, kernel(x), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("seed", range(30))
def test_gradients_go_back_to_the_first_maximum(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_pooling, "vector_lanes", lambda: 4)
    monkeypatch.setattr(pooling_rules, "_BLOCK_BYTES", 1 << 9)
    rng = np.random.default_rng(seed)
    windows = [WHOLE, *drawn_windows(rng, (9, 12), 4), WHOLE]
    windows = [window._replace(rate=1) for window in windows]
    x = drawn(rng, 3, 9, 12, int(rng.integers(1, 12)))
    x[rng.random(x.shape) < 0.1] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
    sizes = [int(size) for size in pooled_sizes(windows, x.shape)]
    slopes = drawn(rng, *sizes)
    kernel = jit_pooling.with_loop_of_maxima(
        _to_first_maxima,
        lambda go_back: lambda x, y, slopes: go_back(x, y, slopes, windows),
        windows,
        x.dtype,
    )
    assert kernel.accelerated is not None
    by_loop = kernel.accelerated.kernel(interpreted(kernel.accelerated.loop))
    with np.errstate(all="ignore"):
        found, wanted = by_loop(x, slopes, slopes), kernel(x, slopes, slopes)
    np.testing.assert_array_equal(found, wanted)
