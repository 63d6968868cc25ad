"""`td.contrib.opt.ScipyOptimizerInterface`, with a fake SciPy that records its arguments."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tensordraft as td


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Records the arguments of `scipy.optimize.minimize`; takes 80 steps of gradient descent."""
    seen: list[dict[str, Any]] = []

    def minimize(function: Any, x: Any, **settings: Any) -> Any:
        seen.append(settings)
        low, high = zip(*(settings["bounds"] or [(-np.inf, np.inf)] * x.size), strict=True)
        value = np.nan
        for _ in range(80):
            value, slope = function(x)
            assert isinstance(value, float)
            assert slope.dtype == x.dtype == np.float64
            x = np.clip(x - 0.2 * slope, low, high)
            if "callback" in settings:
                settings["callback"](x)
        return SimpleNamespace(x=x, fun=value, nfev=80, message="done")

    scipy, optimize = ModuleType("scipy"), ModuleType("scipy.optimize")
    optimize.minimize = minimize  # type: ignore[attr-defined]
    scipy.optimize = optimize  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "scipy", scipy)
    monkeypatch.setitem(sys.modules, "scipy.optimize", optimize)
    return seen


def test_variables_of_all_shapes_reach_the_bottom(calls: list[dict[str, Any]]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        matrix = td.Variable([[1.0, 2.0], [3.0, 4.0]])
        number = td.Variable(7.0, dtype=td.float64)
        other = td.Variable([5.0])
        target = td.placeholder(td.float32, [])
        off = td.reduce_sum((matrix - target) ** 2)
        loss = off + td.cast((number - 1.0) ** 2, td.float32)
        optimizer = td.contrib.opt.ScipyOptimizerInterface(
            loss, method="CG", options={"maxiter": 3}
        )
        session.run(td.global_variables_initializer())
        losses: list[Any] = []
        steps: list[Any] = []
        optimizer.minimize(
            session,
            {target: 2.5},
            fetches=[loss],
            loss_callback=losses.append,
            step_callback=steps.append,
        )
        values = session.run([matrix, number, other])
    np.testing.assert_allclose(values[0], np.full((2, 2), 2.5), atol=1e-5)
    assert values[1] == pytest.approx(1.0)
    assert values[1].dtype == np.float64
    assert values[2].tolist() == [5.0]
    assert len(losses) == len(steps) == 80
    assert losses[0] == pytest.approx(36 + 5.0)
    assert steps[0].shape == (6,)
    assert calls[0]["method"] == "CG"
    assert calls[0]["options"] == {"maxiter": 3}
    assert calls[0]["jac"] is True


def test_bounds_and_constraints_are_handed_on(calls: list[dict[str, Any]]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v, w = td.Variable([1.0, 2.0]), td.Variable(3.0)
        optimizer = td.contrib.opt.ScipyOptimizerInterface(
            td.reduce_sum(v**2) + w**2,
            equalities=[v[0] - w],
            inequalities=[w * w],
            var_to_bounds={v: ([0.5, -1.0], 4.0)},
        )
        session.run(td.global_variables_initializer())
        with session.as_default():
            optimizer.minimize()
        np.testing.assert_allclose(session.run(v), [0.5, 0.0], atol=1e-5)
    settings = calls[0]
    assert settings["method"] == "L-BFGS-B"
    assert "callback" not in settings
    assert settings["bounds"] == [(0.5, 4.0), (-1.0, 4.0), (-np.inf, np.inf)]
    equal, least = settings["constraints"]
    assert (equal["type"], least["type"]) == ("eq", "ineq")


def test_constraints_are_functions_of_vectors(calls: list[dict[str, Any]]) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v, w = td.Variable([1.0, 2.0]), td.Variable(3.0)
        optimizer = td.contrib.opt.ScipyOptimizerInterface(w**2, [v, w], [v[0] - w], [w * w])
        session.run(td.global_variables_initializer())
        optimizer.minimize(session)
        equal, least = calls[0]["constraints"]
        assert equal["fun"](np.array([4.0, 0.0, 1.0])) == 3.0
        assert equal["jac"](np.array([4.0, 0.0, 1.0])).tolist() == [1.0, 0.0, -1.0]
        assert least["jac"](np.array([4.0, 0.0, 5.0])).tolist() == [0.0, 0.0, 10.0]


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    opt = td.contrib.opt
    with td.Graph().as_default():
        with pytest.raises(ValueError, match="there are no variables"):
            opt.ScipyOptimizerInterface(td.constant(1.0))
        v = td.Variable([1.0, 2.0])
        loss = td.reduce_sum(v)
        with pytest.raises(ValueError, match=r"bounds of Variable do not broadcast to its shape"):
            opt.ScipyOptimizerInterface(loss, var_to_bounds={v: ([1.0, 2.0, 3.0], 4.0)})
        with pytest.raises(ValueError, match="there is no default session"):
            opt.ScipyOptimizerInterface(loss).minimize()
        with td.Session() as session:
            session.run(td.global_variables_initializer())
            monkeypatch.setitem(sys.modules, "scipy", None)
            with pytest.raises(ImportError, match="pip install scipy"):
                opt.ScipyOptimizerInterface(loss).minimize(session)
            with pytest.raises(NotImplementedError, match="has no _minimize"):
                opt.ExternalOptimizerInterface(loss).minimize(session)
            assert session.run(v).tolist() == [1.0, 2.0]
