"""Ops that take another way where rows are long: products, added rows, bands, sparse sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td


def _run(make: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(make())


@pytest.mark.parametrize("shape", [(511,), (512,), (3, 5, 1003), (2, 70_001)])
@pytest.mark.parametrize("keep", [True, False])
def test_products_of_long_rows(shape: tuple[int, ...], keep: bool) -> None:
    x = 1 + 0.01 * np.random.default_rng(0).standard_normal(shape)
    axes = list(range(len(shape)))[-2:]
    found = _run(lambda: td.reduce_prod(x, axes, keepdims=keep))
    np.testing.assert_allclose(found, np.prod(x, tuple(axes), keepdims=keep), 1e-9)


def test_products_of_integers_wrap_around() -> None:
    x = np.random.default_rng(0).integers(0, 1 << 20, (3, 2000), np.int32) * 2 + 1
    found = _run(lambda: td.reduce_prod(x, 1))
    assert found.tolist() == np.multiply.reduce(x, 1, np.int32).tolist()


@pytest.mark.parametrize("width", [1, 7, 256, 700])
@pytest.mark.parametrize("sign", [1, -1])
def test_rows_for_one_place_add_up(width: int, sign: int) -> None:
    rng = np.random.default_rng(width)
    x, rows = rng.standard_normal((9, width)), rng.standard_normal((40, width))
    places = rng.integers(0, 9, 40)
    scatter = td.tensor_scatter_add if sign > 0 else td.tensor_scatter_sub
    found = _run(lambda: scatter(x, places[:, np.newaxis], rows))
    wanted = x.copy()
    for place, row in zip(places, rows, strict=True):
        wanted[place] += sign * row
    np.testing.assert_allclose(found, wanted, 1e-12)


@pytest.mark.parametrize("lower", [-1, 0, 3, 100, 150])
@pytest.mark.parametrize("upper", [-1, 0, 3, 100, 130])
def test_bands_of_matrices_of_many_rows(lower: int, upper: int) -> None:
    x = np.arange(2 * 150 * 130).reshape(2, 150, 130) + 1
    found = _run(lambda: td.matrix_band_part(x, lower, upper))
    wanted = x if lower < 0 else np.triu(x, -lower)
    assert np.array_equal(found, wanted if upper < 0 else np.tril(wanted, upper))


@pytest.mark.parametrize("ordered", [True, False])
def test_sparse_products_of_many_elements(ordered: bool) -> None:
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((70, 90)) < 0.5, rng.standard_normal((70, 90)), 0)
    dense[3] = 0
    places, b = np.argwhere(dense), rng.standard_normal((90, 300))
    places = places if ordered else rng.permutation(places)
    values = dense[tuple(places.T)]
    sparse = td.SparseTensorValue(places, values, dense.shape)
    found = _run(lambda: td.sparse_tensor_dense_matmul(sparse, b))
    np.testing.assert_allclose(found, dense @ b, 1e-9, 1e-9)


def test_steep_leaky_relus_choose() -> None:
    x = np.array([-2, -0.0, 0, 3, np.inf, -np.inf, np.nan], np.float32)
    for alpha in (-0.5, 0, 0.5, 1, 2):
        with np.errstate(invalid="ignore"):
            wanted = np.where(x > 0, x, np.float32(alpha) * x)
        found = _run(lambda alpha=alpha: td.nn.leaky_relu(td.constant(x), alpha))
        assert np.array_equal(found, wanted, equal_nan=True)
        assert np.array_equal(np.signbit(found[:6]), np.signbit(wanted[:6]))
