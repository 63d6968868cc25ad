"""Closing a session while it runs: the run ends before its next step, of whatever kind it is."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

RUNS_UNTIL_HOT = 4


class Gate:
    """A Python function in a graph that holds one run up until it is opened."""

    def __init__(self) -> None:
        self.armed = False
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, x: Any) -> Any:
        if self.armed:
            self.reached.set()
            assert self.open.wait(60)
        return x


class Later:
    """A Python function in a graph that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x


def _run_and_close(
    session: td.Session, gate: Gate, run: Callable[[], Any], close: Callable[[], None]
) -> list[BaseException]:
    """Errors of a run that is closed while it is in the gate."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            run()
        except Exception as error:  # noqa: BLE001 - looked at by the test
            failures.append(error)

    gate.armed = True
    thread = threading.Thread(target=work)
    thread.start()
    assert gate.reached.wait(60)
    close()
    gate.open.set()
    thread.join(60)
    assert not thread.is_alive()
    with pytest.raises(RuntimeError, match="closed"):
        session.run("x:0", {"x:0": np.zeros(2, np.float32)})
    return failures


def _numpy(function: Any, x: Any) -> Any:
    y = td.py_func(function, [x], td.float32)
    y.set_shape([2])
    return y


def _graph(gate: Gate, later: Later, length: int) -> tuple[Any, Any]:
    x = td.placeholder(td.float32, [2], name="x")
    y = _numpy(gate, x)
    for _ in range(length):
        y = td.sin(td.cumsum(y))
    return x, _numpy(later, y)


@pytest.mark.parametrize("runs", [0, RUNS_UNTIL_HOT])
@pytest.mark.parametrize("length", [2, 40])  # one function, and a chain of them
@pytest.mark.parametrize("options", [None, td.RunOptions(timeout_in_ms=60_000)])
def test_a_run_ends_before_its_next_step(
    runs: int, length: int, options: td.RunOptions | None
) -> None:
    gate, later = Gate(), Later()
    with td.Graph().as_default():
        x, y = _graph(gate, later, length)
        session = td.Session()
        feed = {x: np.ones(2, np.float32)}
        for _ in range(runs):
            session.run(y, feed)
        [error] = _run_and_close(
            session, gate, lambda: session.run(y, feed, options), session.close
        )
    assert isinstance(error, td.errors.CancelledError)
    assert "the session was closed" in str(error)
    assert error.op is not None
    assert later.calls == runs


def test_a_step_that_is_the_last_ends_as_it_would_have() -> None:
    gate = Gate()
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [2], name="x")
        y = _numpy(gate, x)
        session, results = td.Session(), list[Any]()
        feed = {x: np.ones(2, np.float32)}
        assert not _run_and_close(
            session, gate, lambda: results.append(session.run(y, feed)), session.close
        )
    assert results[0].tolist() == [1, 1]


def test_a_callable_whose_call_has_left_the_cache_ends_too() -> None:
    gate, later = Gate(), Later()
    with td.Graph().as_default():
        x, y = _graph(gate, later, 2)
        session = td.Session()
        call = session.make_callable(y, [x])
        session._calls.clear()
        [error] = _run_and_close(session, gate, lambda: call(np.ones(2, np.float32)), session.close)
    assert isinstance(error, td.errors.CancelledError)
    assert not later.calls


def test_a_partial_run_ends_too() -> None:
    gate, later = Gate(), Later()
    with td.Graph().as_default():
        x, y = _graph(gate, later, 2)
        session = td.Session()
        handle = session.partial_run_setup([y], [x])
        [error] = _run_and_close(
            session,
            gate,
            lambda: session.partial_run(handle, y, {x: np.ones(2, np.float32)}),
            session.close,
        )
    assert isinstance(error, td.errors.CancelledError)
    assert not later.calls


@pytest.mark.parametrize("runs", [0, RUNS_UNTIL_HOT])
def test_a_run_with_steps_that_wait_ends_too(runs: int) -> None:
    gate, later = Gate(), Later()
    with td.Graph().as_default():
        x, y = _graph(gate, later, 2)
        queue = td.FIFOQueue(1000, [td.float32], [[]])
        count = td.Variable(0.0)
        session = td.Session()
        session.run(count.initializer)
        fetches = [queue.enqueue(1.0), y, count.assign_add(1.0).op]
        feed = {x: np.ones(2, np.float32)}
        for _ in range(runs):
            session.run(fetches, feed)
        [error] = _run_and_close(session, gate, lambda: session.run(fetches, feed), session.close)
    assert isinstance(error, td.errors.CancelledError)
    assert later.calls == runs


def _called(x: Any, body: Callable[[Any], Any]) -> Any:
    function = td.contrib.framework.Defun(td.float32, noinline=True)(body)
    return function(x)


def _chosen(x: Any, body: Callable[[Any], Any]) -> Any:
    return td.cond(x[0] > 0, lambda: body(x), lambda: x)


def _repeated(x: Any, body: Callable[[Any], Any]) -> Any:
    done = td.while_loop(lambda i, y: i < 20, lambda i, y: (i + 1, body(y)), [0, x])
    return done[1]


@pytest.mark.parametrize("runs", [0, RUNS_UNTIL_HOT])
@pytest.mark.parametrize("around", [_called, _chosen, _repeated])
def test_a_run_in_a_body_ends_too(around: Callable[..., Any], runs: int) -> None:
    gate, later = Gate(), Later()

    def body(x: Any) -> Any:
        return _numpy(later, td.sin(td.cumsum(_numpy(gate, x))))

    with td.Graph().as_default():
        x = td.placeholder(td.float32, [2], name="x")
        y = around(x, body)
        session = td.Session()
        feed = {x: np.ones(2, np.float32)}
        for _ in range(runs):
            session.run(y, feed)
        before = later.calls
        assert bool(before) == bool(runs)
        [error] = _run_and_close(session, gate, lambda: session.run(y, feed), session.close)
    assert isinstance(error, td.errors.CancelledError)
    assert later.calls == before


def test_a_plan_that_is_made_while_the_session_closes_runs_nothing() -> None:
    later = Later()
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [2], name="x")
        y = _numpy(later, td.sin(x))
        session = td.Session()
        made = session.executor_for

        def closing(*arguments: Any) -> Any:
            executor = made(*arguments)
            session.close()
            return executor

        setattr(session, "executor_for", closing)  # noqa: B010 - to the type checker, a method
        with pytest.raises(td.errors.CancelledError, match="the session was closed"):
            session.run(y, {x: np.ones(2, np.float32)})
    assert not later.calls


def test_plans_that_are_dropped_are_not_kept_for_closing() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [2], name="x")
        session.run(x + 1.0, {x: [1, 2]})
        assert len(session._executors) == 1
        session._calls.clear()
        gc.collect()
        assert not session._executors
