"""Arrays that loops write into, and arrays that they must not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from loop_harness import both, loop
from tiers import executors

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
Array = np.ndarray[Any, Any]


def scattered(rounds: int, start: Array) -> Array:
    """Result of writing the number of each iteration to that row."""
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


def runs_of(session: td.Session) -> list[Any]:
    """Runners of the loops in a session's plans."""
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
