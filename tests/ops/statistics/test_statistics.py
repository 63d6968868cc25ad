"""Means and variances, activations, and other functions that are made of several ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

X = np.random.default_rng(6).normal(2, 3, (4, 5)).astype(np.float32)
NAN, INF = float("nan"), float("inf")


def run(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(function(*arguments, **options))


@pytest.mark.parametrize("axis", [None, 0, [0, 1], -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_variance(axis: Any, keepdims: bool) -> None:
    along = tuple(axis) if isinstance(axis, list) else axis
    variance = run(td.math.reduce_variance, X, axis, keepdims)
    np.testing.assert_allclose(variance, X.var(along, keepdims=keepdims), 1e-5)
    deviation = run(td.math.reduce_std, X, axis, keepdims)
    np.testing.assert_allclose(deviation, X.std(along, keepdims=keepdims), 1e-5)


def test_variance_refuses_integers() -> None:
    with pytest.raises(TypeError, match="must be of floats, got int32"):
        run(td.math.reduce_variance, [1, 2])


@pytest.mark.parametrize("option", [{}, {"keep_dims": True}, {"keepdims": True}])
def test_weighted_moments(option: dict[str, bool]) -> None:
    weights = np.array([1.0, 2.0, 0.0, 3.0], np.float32)[:, None]
    mean, variance = run(td.nn.weighted_moments, X, [0], weights, **option)
    wanted = np.average(X, 0, weights[:, 0])
    assert mean.shape == ((1, 5) if option else (5,))
    np.testing.assert_allclose(mean.reshape(5), wanted, 1e-5)
    spread = np.average((X - wanted) ** 2, 0, weights[:, 0])
    np.testing.assert_allclose(variance.reshape(5), spread, 1e-5)
    half, _ = run(td.nn.weighted_moments, X.astype(np.float16), [0], weights)
    assert half.dtype == np.float16


@pytest.mark.parametrize("shift", [None, 2.0])
@pytest.mark.parametrize("shape", [[4, 5], [None, 5]])
def test_moments_in_steps(shift: float | None, shape: list[int | None]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, shape)
        statistics = td.nn.sufficient_statistics(x, [0], shift, keep_dims=True)
        mean, variance = session.run(td.nn.normalize_moments(*statistics), {x: X})
    assert mean.shape == (1, 5)
    np.testing.assert_allclose(mean[0], X.mean(0), 1e-5)
    np.testing.assert_allclose(variance[0], X.var(0), 1e-4)


def test_sufficient_statistics_needs_a_rank() -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match="the rank of x must be known"):
        td.nn.sufficient_statistics(td.placeholder(td.float32), [0])


def test_activations() -> None:
    x = np.array([-100.0, -1.0, 0.0, 2.0], np.float32)
    np.testing.assert_allclose(run(td.log_sigmoid, x), -np.log1p(np.exp(-x.astype("d"))), 1e-6)
    sigmoid = 1 / (1 + np.exp(-x.astype("d")))
    np.testing.assert_allclose(run(td.nn.swish, x), x * sigmoid, 1e-5, 1e-30)
    steep = 1 / (1 + np.exp(-2 * x.astype("d")))
    np.testing.assert_allclose(run(td.nn.swish, x, 2.0), x * steep, 1e-5, 1e-30)


@pytest.mark.parametrize("full", [False, True])
def test_log_poisson_loss(full: bool) -> None:
    z, c = np.array([0.0, 0.5, 1.0, 3.0]), np.array([1.0, -1.0, 0.0, 2.0])
    wanted = np.exp(c) - z * c
    if full:
        wanted[3] += 3 * np.log(3) - 3 + np.log(6 * np.pi) / 2
    np.testing.assert_allclose(run(td.nn.log_poisson_loss, z, c, full), wanted)
    with pytest.raises(ValueError, match="targets and log_input must have equal shapes"):
        run(td.nn.log_poisson_loss, [1.0], [1.0, 2.0])


def test_polynomials() -> None:
    assert run(td.math.polyval, [2, 0, 1], [1, 2, 3]).tolist() == [3, 9, 19]
    assert run(td.math.polyval, [], [1.0, 2.0]).tolist() == [0, 0]
    assert run(td.math.polyval, [[1, 2]], 3).tolist() == [1, 2]
    with pytest.raises(ValueError, match="coeffs must be a list"):
        run(td.math.polyval, 3, 1)


def test_reciprocal_no_nan() -> None:
    assert run(td.math.reciprocal_no_nan, [4.0, 0.0, INF]).tolist() == [0.25, 0, 0]
    assert run(td.math.reciprocal_no_nan, [2j, 0]).tolist() == [-0.5j, 0]


def test_cumulative_logsumexp() -> None:
    x = np.array([[0.0, 1000.0, -INF], [1.0, 1000.0, 2.0]], np.float32)
    wanted = np.logaddexp.accumulate(x.astype("d"), 1)
    np.testing.assert_allclose(run(td.math.cumulative_logsumexp, x, 1), wanted, 1e-6)
    reverse = run(td.math.cumulative_logsumexp, x, -1, reverse=True)
    turned = np.logaddexp.accumulate(x.astype("d")[:, ::-1], 1)[:, ::-1]
    np.testing.assert_allclose(reverse, turned, 1e-6)


def test_gamma_draws() -> None:
    draws = run(td.random_gamma, [4000], [[0.5], [3.0]], [1.0, 2.0], seed=1)
    assert draws.shape == (4000, 2, 2)
    assert draws.dtype == np.float32
    assert draws.min() > 0
    means = np.array([[0.5], [3.0]]) / [1.0, 2.0]
    np.testing.assert_allclose(draws.mean(0), means, 0.1)
    spread = np.array([[0.5], [3.0]]) / [1.0, 4.0]
    np.testing.assert_allclose(draws.var(0), spread, 0.25)


def test_poisson_draws() -> None:
    draws = run(td.random_poisson, [0.5, 20.0], [4000], td.int64, seed=1)
    assert draws.dtype == np.int64
    np.testing.assert_allclose(draws.mean(0), [0.5, 20], 0.1)
    np.testing.assert_allclose(draws.var(0), [0.5, 20], 0.1)
    assert np.isnan(run(td.random_poisson, [-1.0], [2])).all()


def test_draws_repeat_with_a_seed_and_know_their_shape() -> None:
    with td.Graph().as_default():
        size = td.placeholder(td.int32, [2])
        gamma = td.random_gamma([3, 4], td.placeholder(td.float32, [None, 2]), seed=5)
        poisson = td.random_poisson(1.0, [10], seed=5)
        assert gamma.shape.as_list() == [3, 4, None, 2]
        assert td.random_poisson([1.0, 2.0], size).shape.as_list() == [None, None, 2]
        with td.Session() as one, td.Session() as other:
            first = one.run(poisson)
            assert (first == other.run(poisson)).all()
            assert (first != one.run(poisson)).any()
            with pytest.raises(td.errors.InvalidArgumentError, match=r"shape\[0\] = -1"):
                one.run(td.random_poisson(1.0, size), {size: [-1, 1]})


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("normal", "random_normal"),
        ("uniform", "random_uniform"),
        ("gamma", "random_gamma"),
        ("poisson", "random_poisson"),
        ("shuffle", "random_shuffle"),
        ("multinomial", "multinomial"),
        ("set_random_seed", "set_random_seed"),
    ],
)
def test_names_of_random_functions(alias: str, name: str) -> None:
    assert getattr(td.random, alias) is getattr(td, name)


def test_names_of_mathematics() -> None:
    assert td.math.divide_no_nan is td.div_no_nan
    assert td.math.top_k is td.nn.top_k
    assert td.math.abs is td.abs
    assert td.manip.roll is td.roll
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        td.math.absent  # type: ignore[attr-defined]  # noqa: B018
