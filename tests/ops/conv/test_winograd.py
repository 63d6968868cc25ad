"""Convolutions by minimal filtering, beside sums of products."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.ops.conv import winograd
from tensordraft.ops.conv.im2col import convolution_rows
from tensordraft.ops.conv.winograd import MinimalFilters, suits
from tensordraft.shape_inference.sliding_windows import Window

RNG = np.random.default_rng(0)
SAME, VALID = Window(3, 1, same=True), Window(3, 1)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also small images are worth it."""
    monkeypatch.setattr(winograd, "_FEWEST_PRODUCTS", 0)


def numbers(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def both(x: np.ndarray, filters: np.ndarray, windows: list[Window]) -> list[np.ndarray]:
    """Summed, and by minimal filtering, each finished row by row."""
    results = []
    for rows in (
        convolution_rows(x, filters, windows),
        MinimalFilters(filters).rows(x, windows),
    ):
        out = np.full(rows.shape, 7, np.float32)
        seen = np.zeros(int(np.prod(rows.shape[:3])), int)

        def finish(start: int, stop: int, seen: np.ndarray = seen) -> None:
            seen[start:stop] += 1

        rows.fill(out, finish)
        assert (seen == 1).all()
        results.append(out)
    return results


@pytest.mark.parametrize("block", [1, 1 << 21])
@pytest.mark.parametrize("size", [(3, 3), (4, 7), (8, 5), (6, 6), (13, 4)])
@pytest.mark.parametrize(
    "windows",
    [[SAME, SAME], [VALID, VALID], [Window(3, 1, before=2), Window(3, 1, before=0, after=5)]],
    ids=["same", "valid", "explicit"],
)
def test_results_are_those_of_sums(
    monkeypatch: pytest.MonkeyPatch, block: int, size: tuple[int, int], windows: list[Window]
) -> None:
    monkeypatch.setattr(winograd, "_BLOCK_BYTES", block)
    monkeypatch.setattr(winograd, "_FEWEST_TILES", 1)
    x, filters = numbers(3, *size, 64), numbers(3, 3, 64, 65)
    summed, minimal = both(x, filters, windows)
    np.testing.assert_allclose(minimal, summed, atol=1e-5 * np.absolute(summed).max())


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38, -1e9])
def test_what_is_large_or_no_number_reaches_who_sees_it_and_nobody_else(odd: float) -> None:
    x, filters = numbers(2, 9, 8, 64), numbers(3, 3, 64, 64)
    x[1, 4, 3, 5] = odd
    x[0, 0, 0, 0] = -odd
    with np.errstate(all="ignore"):
        summed, minimal = both(x, filters, [SAME, SAME])
    np.testing.assert_array_equal(np.isnan(minimal), np.isnan(summed))
    np.testing.assert_array_equal(np.isposinf(minimal), np.isposinf(summed))
    finite = np.isfinite(summed) & (np.absolute(summed) < 1e3)
    assert finite.mean() > 0.7
    np.testing.assert_allclose(minimal[finite], summed[finite], atol=1e-3)


def test_only_what_gains_is_done_so() -> None:
    filters, windows = numbers(3, 3, 64, 64), [SAME, SAME]
    assert suits(filters, windows)
    assert not suits(filters, [SAME, Window(3, 2)])
    assert not suits(filters, [Window(3, 1, rate=2), SAME])
    assert not suits(numbers(3, 3, 32, 128), windows)
    assert suits(numbers(3, 3, 32, 128), windows, machine=True)
    assert not suits(numbers(3, 3, 32, 32), windows, machine=True)
    assert not suits(numbers(3, 3, 16, 128), windows, machine=True)
    assert not suits(numbers(1, 3, 64, 64), windows)
    assert not suits(filters.astype(np.float64), windows)
    for odd in (np.nan, np.inf, -1e20):
        strange = filters.copy()
        strange[1, 1, 3, 4] = odd
        assert not suits(strange, windows)


def test_a_session_uses_it_unless_it_is_exact() -> None:
    image = numbers(2, 10, 10, 64)
    filters: Any = numbers(3, 3, 64, 80)
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, 10, 10, 64])
        y = td.nn.relu(td.nn.conv2d(x, filters, 1, "SAME") * np.linspace(1, 2, 80).astype("f"))
        grouped = td.nn.conv2d(td.concat([x, x], 3), filters, 1, "SAME")
        results = []
        for optimize in ("exact", "default"):
            with td.Session(optimize=optimize) if optimize == "exact" else td.Session() as session:
                expected = session.explain(y, [x]).count("by minimal filtering")
                assert expected == (0 if optimize == "exact" else 1)
                results.append(session.run([y, grouped], {x: image}))
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(two, one, atol=1e-5 * np.absolute(one).max())


def scaled(x: td.Tensor, filters: Any) -> td.Tensor:
    """A convolution into whose filters a factor of each channel is folded."""
    channels = filters.shape[-1]
    return td.nn.conv2d(x, filters, 1, "SAME") * np.linspace(1, 2, channels).astype("f")


def test_folded_filters_are_kept_once() -> None:
    filters: Any = numbers(3, 3, 128, 128)
    image = numbers(1, 8, 8, 128)
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, None, None, 128])
        y = scaled(x, filters)
        with td.Session() as session:
            tracemalloc.start()
            try:
                session.run(y, {x: image})
                gc.collect()
                kept, _ = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
    assert 16 / 9 < kept / filters.nbytes < 16 / 9 + 0.7  # some is scratch memory


def test_images_that_need_folded_filters_find_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(winograd, "_FEWEST_PRODUCTS", 1 << 19)
    large, small = numbers(1, 12, 12, 64), numbers(1, 2, 2, 64)
    uneven = large.copy()
    uneven[0, 3, 4] *= 1e6
    filters: Any = numbers(3, 3, 64, 64)
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, None, None, 64])
        y = scaled(x, filters)
        grouped = scaled(td.concat([x, x], 3), filters)
        with td.Session() as session, td.Session(optimize="exact") as exact:
            assert "by minimal filtering" in session.explain(y, [x])
            for image in (large, uneven, small, large):
                results = [some.run([y, grouped], {x: image}) for some in (session, exact)]
                for one, two in zip(*results, strict=True):
                    np.testing.assert_allclose(one, two, atol=1e-5 * np.absolute(two).max())
