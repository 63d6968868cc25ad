"""Optimizers of contrib.opt, beside their formulas in NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

opt = td.contrib.opt


def steps(optimizer: Any, rows: bool, count: int = 3) -> np.ndarray[Any, Any]:
    """Updates a variable; with `rows`, only its second row has a gradient."""
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
        used = td.gather(v, [1, 1]) if rows else v
        train = optimizer.minimize(td.reduce_sum(used * used))
        session.run(td.global_variables_initializer())
        for _ in range(count):
            session.run(train)
        found: np.ndarray[Any, Any] = session.run(v)
        return found


def adam(
    rows: bool, nesterov: bool = False, decay: float = 0.0, count: int = 3
) -> np.ndarray[Any, Any]:
    v = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    m, n = np.zeros_like(v), np.zeros_like(v)
    for t in range(1, count + 1):
        g = 2 * v
        if rows:
            g = np.where(np.arange(3)[:, None] == 1, 2 * g, 0)
        v = v - decay * v
        m, n = 0.9 * m + 0.1 * g, 0.999 * n + 0.001 * g * g
        rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        ahead = 0.9 * m + 0.1 * g if nesterov else m
        v = v - rate * ahead / (np.sqrt(n) + 1e-8)
    return v


@pytest.mark.parametrize("rows", [False, True])
def test_steps_follow_their_formulas(rows: bool) -> None:
    expected = adam(rows)
    np.testing.assert_allclose(steps(opt.LazyAdamOptimizer(0.1), rows), expected, rtol=1e-4)
    expected = adam(rows, nesterov=True)
    np.testing.assert_allclose(steps(opt.NadamOptimizer(0.1), rows), expected, rtol=1e-4)
    expected = adam(rows, decay=0.01)
    np.testing.assert_allclose(steps(opt.AdamWOptimizer(0.01, 0.1), rows), expected, rtol=1e-4)


def test_averages_of_rows_without_gradients_stay() -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable([[1.0], [1.0]])
        which = td.placeholder(td.int32, [1])
        optimizer = opt.LazyAdamOptimizer(0.1)
        train = optimizer.minimize(td.reduce_sum(td.gather(v, which)))
        session.run(td.global_variables_initializer())
        session.run(train, {which: [0]})
        before = session.run([v, optimizer.get_slot(v, "m")])
        session.run(train, {which: [1]})
        after = session.run([v, optimizer.get_slot(v, "m")])
        for one, other in zip(before, after, strict=True):
            assert one[0] == other[0]
            assert one[1] != other[1]


def test_only_chosen_variables_shrink() -> None:
    with td.Graph().as_default(), td.Session() as session:
        a, b = td.Variable(1.0), td.Variable(1.0)
        optimizer = opt.AdamWOptimizer(0.5, 0.0)
        pairs = optimizer.compute_gradients(a + b)
        train = optimizer.apply_gradients(pairs, decay_var_list=[a])
        session.run(td.global_variables_initializer())
        session.run(train)
        assert session.run([a, b]) == [0.5, 1.0]


def test_averages_are_saved_as_the_variables(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(1.0, name="v")
        optimizer = opt.MovingAverageOptimizer(td.train.GradientDescentOptimizer(1.0), 0.5)
        with pytest.raises(RuntimeError, match="before swapping_saver"):
            optimizer.swapping_saver()
        train = optimizer.minimize(v)
        saver = optimizer.swapping_saver()
        session.run(td.global_variables_initializer())
        session.run(train)
        path = saver.save(session, bytes(tmp_path / "swapped"))
        assert td.train.load_variable(path, "v") == 0.5
        assert td.train.load_variable(path, "v/ExponentialMovingAverage") == 0.0


def signed(rows: bool, power: bool, decay: float = 1.0) -> np.ndarray[Any, Any]:
    v = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    m = np.zeros_like(v)
    for _ in range(3):
        g = 2 * v
        if rows:
            g = np.where(np.arange(3)[:, None] == 1, 2 * g, 0)
        m = 0.9 * m + 0.1 * g
        agreement = np.sign(g) * np.sign(m) * decay
        v = v - 0.1 * (2.0**agreement if power else 1 + agreement) * g
    return v


@pytest.mark.parametrize("rows", [False, True])
def test_signs_that_agree_lead_further(rows: bool) -> None:
    found = steps(opt.AddSignOptimizer(0.1), rows)
    np.testing.assert_allclose(found, signed(rows, False), rtol=1e-4)
    found = steps(opt.PowerSignOptimizer(0.1, 2.0), rows)
    np.testing.assert_allclose(found, signed(rows, True), rtol=1e-4)
    found = steps(opt.AddSignOptimizer(0.1, sign_decay_fn=lambda _: 0.5), rows)
    np.testing.assert_allclose(found, signed(rows, False, 0.5), rtol=1e-4)


@pytest.mark.parametrize("rows", [False, True])
def test_the_greatest_gradient_divides(rows: bool) -> None:
    v = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    m, most = np.zeros_like(v), np.zeros_like(v)
    for t in range(1, 4):
        g = 2 * v
        if rows:
            g = np.where(np.arange(3)[:, None] == 1, 2 * g, 0)
        m, most = 0.9 * m + 0.1 * g, np.maximum(0.999 * most, np.abs(g))
        v = v - 0.1 / (1 - 0.9**t) * m / (most + 1e-8)
    with td.Graph().as_default():
        np.testing.assert_allclose(steps(opt.AdaMaxOptimizer(0.1), rows), v, rtol=1e-4)
        opt.AdaMaxOptimizer().minimize(td.square(td.Variable(1.0, name="a")))
        names = [variable.op.name for variable in td.global_variables()]
    assert names == ["a", "beta1_power", "a/AdaMax", "a/AdaMax_1"]
