"""Loops in a run: invariants, memory, errors, limits, and what is told of them."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tiers import executors

import tensordraft as td
from tensordraft.session import loop_runs

Array = np.ndarray[Any, Any]
ROUNDS = 2 * loop_runs._ROUNDS_UNTIL_HOT


@pytest.fixture(autouse=True)
def graph() -> Iterator[td.Graph]:
    with td.Graph().as_default() as graph:
        yield graph


def loop(body: Callable[..., Any], *start: Any, name: str = "while") -> list[td.Tensor]:
    """The state after `n` rounds, which is fed, of a body of the round and the state."""
    n = td.placeholder(td.int32, [], name="n")
    shapes = [td.TensorShape([]), *[td.TensorShape(None) for _ in start]]
    _, *state = td.while_loop(
        lambda i, *_: i < n,
        lambda i, *state: (i + 1, *body(i, *state)),
        [td.constant(0), *map(td.convert_to_tensor, start)],
        shape_invariants=shapes,
        name=name,
    )
    return state


def results(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> list[Any]:
    """What two runs give: the loop gets hot in the first."""
    with td.Session() as session:
        return [session.run(fetches, {"n:0": rounds, **(feeds or {})}) for _ in range(2)]


def both(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> Any:
    """What two runs give, which is the same."""
    first, second = results(fetches, rounds, feeds)
    np.testing.assert_equal(first, second)
    return first


def traced(fetches: Any, rounds: int, feeds: dict[Any, Any] | None = None) -> td.RunMetadata:
    metadata = td.RunMetadata()
    with td.Session() as session:
        options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        session.run(fetches, {"n:0": rounds, **(feeds or {})}, options, metadata)
    return metadata


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
        lambda i, _: td.cast(td.maximum(n - i, 0), td.bool), lambda i, x: (i + 1, x + x),
        [td.constant(0), x],
    )[1]  # fmt: skip
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


# Memory ------------------------------------------------------------------------------------------


def scattered(rounds: int, start: Array) -> Array:
    """What writing the number of each round to the row of that number leaves."""
    expected = start.copy()
    for i in range(rounds):
        expected[i % len(expected)] += i
    return expected


def added_row(i: td.Tensor, y: td.Tensor) -> td.Tensor:
    return td.alias_inplace_add(y, i % 4, td.fill([3], td.cast(i, td.float32)))


def test_a_variable_is_written_in_place_but_not_what_it_began_with() -> None:
    start = np.arange(12, dtype=np.float32).reshape(4, 3)
    x = td.placeholder(td.float32, [4, 3])
    begun = x * 1.0
    [y] = loop(lambda i, y: [added_row(i, y)], begun)
    for rounds in (1, 2, 7, 8, 30):
        made, kept = both([y, begun], rounds, {x: start})
        assert made.tolist() == scattered(rounds, start).tolist()
        assert kept.tolist() == start.tolist()


def test_what_was_collected_is_not_written_into() -> None:
    """The list keeps what each round has made, which the next one must not change."""
    start = np.zeros((4, 3), np.float32)

    def body(i: td.Tensor, y: td.Tensor, all_: td.Tensor) -> list[td.Tensor]:
        new = added_row(i, y)
        return [new, td.raw_ops.TensorListPushBack(input_handle=all_, tensor=new)]

    empty = td.raw_ops.EmptyTensorList(
        element_shape=[4, 3], max_num_elements=-1, element_dtype=td.float32
    )
    y, history = loop(body, start, empty)
    history = td.raw_ops.TensorListStack(
        input_handle=history, element_shape=[4, 3], element_dtype=td.float32
    )
    made, states = both([y, history], 20)
    assert [state.tolist() for state in states] == [
        scattered(rounds, start).tolist() for rounds in range(1, 21)
    ]
    assert made.tolist() == states[-1].tolist()


def test_views_of_a_variable_keep_what_they_show() -> None:
    start = np.zeros((4, 3), np.float32)

    def body(i: td.Tensor, y: td.Tensor, before: td.Tensor) -> list[td.Tensor]:
        shown = td.reshape(y, [3, 4])
        with td.control_dependencies([shown]):
            return [added_row(i, y), shown]

    y, before = loop(body, start, np.zeros((3, 4), np.float32))
    made, seen = both([y, before], 20)
    assert made.tolist() == scattered(20, start).tolist()
    assert seen.tolist() == scattered(19, start).reshape(3, 4).tolist()


def test_a_view_of_an_invariant_is_not_written_into() -> None:
    x = td.placeholder(td.float32, [12])
    start = np.arange(12, dtype=np.float32)

    def body(i: td.Tensor, y: td.Tensor) -> list[td.Tensor]:
        table = td.reshape(td.identity(x + 1.0), [4, 3])
        return [added_row(i, table) + 0.0 * y]

    [y] = loop(body, np.zeros((4, 3), np.float32))
    expected = (start + 1).reshape(4, 3)
    expected[19 % 4] += 19
    assert both(y, 20, {x: start}).tolist() == expected.tolist()


def test_a_branch_does_not_write_into_what_it_is_given() -> None:
    x = td.placeholder(td.float32, [12])
    begun = x + 1.0
    flag = td.placeholder(td.bool, [])
    zero = td.constant(0)
    y = td.cond(
        flag, lambda: added_row(zero + 1, td.reshape(begun, [4, 3])), lambda: td.zeros([4, 3])
    )
    fed = np.zeros(12, np.float32)
    with td.Session() as session:
        for _ in range(8):
            made, kept = session.run([y, begun], {x: fed, flag: True})
            assert (made.sum(), kept.tolist()) == (12 + 3, [1.0] * 12)


def test_elementwise_ops_over_large_arrays_are_fused_and_write_in_place() -> None:
    x = td.placeholder(td.float32, [1 << 16])
    [y] = loop(lambda i, y: [td.tanh(y * 0.5 + x) - y], x)
    fed = np.linspace(-1, 1, 1 << 16, dtype=np.float32)
    expected = fed
    for _ in range(10):
        expected = np.tanh(expected * np.float32(0.5) + fed) - expected
    assert both(y, 10, {x: fed}).tolist() == expected.tolist()
    assert fed.tolist() == np.linspace(-1, 1, 1 << 16, dtype=np.float32).tolist()


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
    assert message.startswith("indices = 9 is not in [0, 2)\n  in 'while/picked' (Gather), creat")
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


def endless() -> td.Tensor:
    x = td.placeholder(td.int32, [], name="n")
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
        assert session.run(y, {"n:0": -1}, options) == -1


def test_a_session_can_limit_all_its_runs() -> None:
    y = endless()
    config = td.ConfigProto(operation_timeout_in_ms=30)
    message = r"in round \d+ of 'forever/While'"
    with (
        td.Session(config=config) as session,
        pytest.raises(td.errors.DeadlineExceededError, match=message),
    ):
        session.run(y, {"n:0": 1})


# What is told ------------------------------------------------------------------------------------


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


def runs_of(session: td.Session) -> list[Any]:
    """What runs the loops of the plans that a session has made."""
    steps = [step for planned in executors(session) for step in planned._plan.steps]
    return [run for step in steps for run in step.kernel.bodies.values()]


def test_later_rounds_write_into_what_the_first_has_made() -> None:
    [y] = loop(lambda i, y: [added_row(i, y)], np.zeros((4, 3), np.float32))
    with td.Session() as session:
        session.run(y, {"n:0": 1})
        plan = runs_of(session)[0].plan
    chosen = [
        [step.run.__name__ for step in part.body if step.kernel.overwriting]
        for part in (plan.first, plan.later)
    ]
    assert [name for [name] in chosen] == ["change_copy", "change_own"]
