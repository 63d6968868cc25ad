"""Loops in a run: invariants, memory, errors, limits, and their reports."""

from __future__ import annotations

import json
import signal
from typing import Any

import numpy as np
import pytest
from loop_harness import both, loop, results, traced

import tensordraft as td
from tensordraft.runtime import interrupts
from tensordraft.session import loop_runs

pytestmark = pytest.mark.usefixtures("graph")
Array = np.ndarray[Any, Any]


# Rounds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [0, 1, 2, 5, 6, 7, 8, 30])
def test_variables_change_places(rounds: int) -> None:
    a, b, c = loop(lambda i, a, b, c: (b, c + i, a), [1], [2], [3])
    state = [1], [2], [3]
    for i in range(rounds):
        state = state[1], [state[2][0] + i], state[0]
    assert [x.tolist() for x in both([a, b, c], rounds)] == list(state)


def test_a_variable_may_become_a_constant() -> None:
    a, b = loop(lambda i, a, b: (td.constant(7), b + a), 1, 0)
    assert both([a, b], 10) == [7, 1 + 9 * 7]


def test_loops_in_loops_get_hot_on_their_own() -> None:
    def body(i: td.Tensor, total: td.Tensor) -> list[td.Tensor]:
        _, inner = td.while_loop(
            lambda j, _: j < i, lambda j, t: (j + 1, t + j * i), [td.constant(0), total]
        )
        return [inner]

    [total] = loop(body, 0)
    assert both(total, 12) == sum(j * i for i in range(12) for j in range(i))


def test_a_condition_may_be_of_any_kind() -> None:
    x = td.placeholder(td.int32, None)
    n = td.placeholder(td.int32, [], name="n")
    flag = td.while_loop(
        lambda i, _: td.cast(td.maximum(n - i, 0), td.bool),
        lambda i, x: (i + 1, x + x),
        [td.constant(0), x],
    )[1]
    assert both(flag, 9, {x: 1}) == 512


def test_a_long_body_is_run_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_runs, "_MOST_STEPS_OF_A_FUNCTION", 3)
    [x] = loop(lambda i, x: [(x * 2 + i) % 101], [1])
    expected = 1
    for i in range(20):
        expected = (expected * 2 + i) % 101
    assert both(x, 20).tolist() == [expected]


# Invariants --------------------------------------------------------------------------------------


def test_what_no_round_changes_is_computed_once() -> None:
    x = td.placeholder(td.float32, [3])
    [y] = loop(lambda i, y: [y + td.exp(td.sin(x, name="sin"), name="exp")], td.zeros([3]))
    fed = np.array([0, 1, 2], np.float32)
    times = [trace.name.rpartition("/")[2] for trace in traced(y, 20, {x: fed}).step_stats]
    assert (times.count("sin"), times.count("exp"), times.count("add_1")) == (1, 1, 20)
    expected = np.zeros(3, np.float32)
    for _ in range(20):
        expected += np.exp(np.sin(fed))
    assert both(y, 20, {x: fed}).tolist() == expected.tolist()


def test_a_body_that_is_never_entered_raises_nothing() -> None:
    x = td.placeholder(td.int32, [2])
    [y] = loop(lambda i, y: [y // td.reduce_min(x) + td.gather([1, 2], x[0])], [5])
    assert both(y, 0, {x: [0, 9]}).tolist() == [5]
    for _ in range(2):
        with pytest.raises(td.errors.InvalidArgumentError, match="in round 1 of 'while/While'"):
            results(y, 3, {x: [0, 9]})


def test_an_assertion_comes_before_what_waits_for_it() -> None:
    x = td.placeholder(td.int32, [])

    def body(i: td.Tensor, y: td.Tensor) -> list[td.Tensor]:
        with td.control_dependencies([td.assert_positive(x, message="x must be positive")]):
            return [y + 100 // x]

    [y] = loop(body, 0)
    assert both(y, 20, {x: 10}) == 200
    with pytest.raises(td.errors.InvalidArgumentError, match="x must be positive"):
        results(y, 20, {x: 0})


def test_effects_happen_in_every_round() -> None:
    x = td.placeholder(td.float32, [])
    seen: list[float] = []

    def note(value: Array) -> Array:
        seen.append(float(value))
        return value

    [y] = loop(lambda i, y: [y + td.py_func(note, [x], td.float32)], 0.0)
    with td.Session() as session:
        assert session.run(y, {"n:0": 15, x: 2}) == 30
    assert seen == [2.0] * 15


# Errors and limits -------------------------------------------------------------------------------


@pytest.mark.parametrize("failing", [0, 3, 5, 6, 7, 16])
def test_an_error_names_op_line_and_round(failing: int) -> None:
    x = td.placeholder(td.int32, [20])
    [y] = loop(lambda i, y: [y + td.gather([0, 1], x[i], name="picked")], 0)
    fed = [0] * 20
    fed[failing] = 9
    messages = set()
    with td.Session() as session:
        for _ in range(2):
            with pytest.raises(td.errors.InvalidArgumentError) as caught:
                session.run(y, {"n:0": 20, x: fed})
            assert caught.value.op is not None
            assert caught.value.op.type == "Gather"
            messages.add(caught.value.message)
    [message] = messages
    assert message.startswith("indices = 9 is not in [0, 2)\n  in 'while/picked' (gather), creat")
    assert "test_loops.py:" in message
    assert message.endswith(f"in round {failing + 1} of 'while/While'")


def test_ctrl_c_ends_a_loop_and_the_session_goes_on() -> None:
    def press(i: Array) -> Array:
        if i == 10:
            signal.raise_signal(signal.SIGINT)
        return i

    [y] = loop(lambda i, y: [y + td.py_func(press, [i], td.int32)], 0)
    with td.Session() as session:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                session.run(y, {"n:0": 100})
        assert session.run(y, {"n:0": 10}) == 45


def test_ctrl_c_comes_between_the_rounds_of_a_loop_that_changes_variables() -> None:
    v = td.get_variable("v", [], td.int32, td.zeros_initializer(), use_resource=True)

    def press(i: Array) -> Array:
        if i == 10:  # as if it had come while nothing of the program ran
            interrupts._interrupts._pending = (signal.SIGINT, None)
        return i

    def body(i: td.Tensor, y: td.Tensor) -> list[td.Tensor]:
        with td.control_dependencies([v.assign_add(1)]):
            return [y + td.py_func(press, [i], td.int32)]

    [y] = loop(body, 0)
    with td.Session() as session:
        session.run(v.initializer)
        with pytest.raises(KeyboardInterrupt):
            session.run(y, {"n:0": 1000})
        assert session.run(v) == 11


def endless() -> td.Tensor:
    x = td.placeholder(td.int32, [], name="n")
    y: td.Tensor
    [y] = td.while_loop(
        lambda x: x >= 0,
        lambda x: [td.maximum(x, 0)],
        [x],
        name="forever",
        return_same_structure=True,
    )
    return y


@pytest.mark.parametrize("level", [td.RunOptions.NO_TRACE, td.RunOptions.FULL_TRACE])
def test_a_loop_that_never_ends_keeps_to_the_time_limit(level: int) -> None:
    y = endless()
    options = td.RunOptions(trace_level=level, timeout_in_ms=30)
    with td.Session() as session:
        for _ in range(2):
            with pytest.raises(td.errors.DeadlineExceededError, match="more than timeout_in_ms"):
                session.run(y, {"n:0": 1}, options)
        enough = td.RunOptions(trace_level=level, timeout_in_ms=60_000)
        assert session.run(y, {"n:0": -1}, enough) == -1


def test_a_session_can_limit_all_its_runs() -> None:
    y = endless()
    config = td.ConfigProto(operation_timeout_in_ms=30)
    message = r"in round \d+ of 'forever/While'"
    with (
        td.Session(config=config) as session,
        pytest.raises(td.errors.DeadlineExceededError, match=message),
    ):
        session.run(y, {"n:0": 1})


# Reports -----------------------------------------------------------------------------------------


def test_a_trace_has_each_op_of_each_round() -> None:
    [y] = loop(lambda i, y: [td.square(y, name="squared") + 1], 1)
    stats = traced(y, 3).step_stats
    squares = [trace for trace in stats if trace.name == "while/squared"]
    assert [trace.round for trace in squares] == [1, 2, 3]
    whole = stats[-1]
    assert (whole.type, whole.round) == ("StatelessWhile", 0)
    assert whole.inner >= sum(trace.seconds for trace in stats[:-1])
    assert all(whole.start <= trace.start for trace in stats)


def test_a_profile_counts_rounds() -> None:
    [y] = loop(lambda i, y: [td.square(y, name="squared") + 1], 1)
    with td.Session() as session:
        profile = session.profile(y, {"n:0": 4}, runs=3)
    assert {cost.name: cost.number for cost in profile.ops}["while/squared"] == 4
    assert "while/squared (Square), 4 times" in str(profile)
    event = json.loads(profile.chrome_trace())["traceEvents"][1]
    assert event["args"]["round"] == 1


def test_memory_inside_a_loop_is_counted() -> None:
    [y] = loop(lambda i, y: [td.reduce_sum(td.fill([256], y))], 1.0)
    assert traced(y, 3).peak_bytes >= 1024


def test_explain_shows_the_plans_of_bodies() -> None:
    x = td.placeholder(td.int32, [], name="x")
    body = lambda i, y: [td.cond(i > 2, lambda: y + td.square(x, name="sq"), lambda: y)]  # noqa: E731
    [y] = loop(body, 0)
    with td.Session() as session:
        lines = session.explain(y, ["n:0", x]).splitlines()
    stripped = [line.strip() for line in lines]
    for line in ("loop 'while/While':", "condition:", "body:", "else 'while_cond_false':"):
        assert line in stripped
    assert any("while/cond/sq (Square) of" in line for line in stripped)
    assert lines[-1] == "fetch s2"


def test_explain_tells_what_the_first_round_computes() -> None:
    x = td.placeholder(td.int32, [], name="x")
    [y] = loop(lambda i, y: [y + td.square(x, name="sq")], 0)
    with td.Session() as session:
        text = session.explain(y, ["n:0", x])
    assert "while/sq (Square) of s3, in the first round" in text


def test_a_partial_run_goes_through_loops() -> None:
    x = td.placeholder(td.int32, [], name="x")
    [y] = loop(lambda i, y: [y + i], x)
    z = y * td.placeholder(td.int32, [], name="z")
    with td.Session() as session:
        handle = session.partial_run_setup([y, z], ["n:0", "x:0", "z:0"])
        assert session.partial_run(handle, y, {"n:0": 10, "x:0": 1}) == 46
        assert session.partial_run(handle, z, {"z:0": 2}) == 92


def test_a_condition_may_be_a_variable_of_the_loop_alone() -> None:
    with td.Graph().as_default(), td.Session() as session:
        start = td.placeholder(td.float32, [2])
        _, x, rounds = td.while_loop(
            lambda goes_on, x, i: goes_on,
            lambda goes_on, x, i: (td.reduce_max(x) * 2.0 + 1.0 < 20.0, x * 2.0 + 1.0, i + 1),
            [True, start, 0],
        )
        value, number = session.run([x, rounds], {start: [1.0, 0.0]})
        assert (value.tolist(), number) == ([31.0, 15.0], 4)
