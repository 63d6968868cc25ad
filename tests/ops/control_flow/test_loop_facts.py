"""Static facts about loops and branches: sizes, numbers, and lost information."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


def checked(**shapes: Any) -> Any:
    return td.check_graph(td.get_default_graph(), shapes)


def shape_of(tensor: td.Tensor, **shapes: Any) -> str:
    return next(str(f.shape) for f in checked(**shapes).tensors if f.name == tensor.name)


def value_of(tensor: td.Tensor, **shapes: Any) -> Any:
    fact = next(fact for fact in checked(**shapes).tensors if fact.name == tensor.name)
    return None if fact.value is None else str(fact.value)


def growing(test: Callable[[Any], Any], start: Any, add: int, rows: int = 2) -> list[td.Tensor]:
    """A counter, and a matrix that gets as many rows in each round."""
    shapes = [td.TensorShape([]), td.TensorShape([None, 3])]
    made: list[td.Tensor] = td.while_loop(
        lambda i, _: test(i),
        lambda i, y: (i + add, td.concat([y, td.zeros([rows, 3])], 0)),
        [td.convert_to_tensor(start), td.zeros([1, 3])],
        shape_invariants=shapes,
    )
    return made


def placeholder() -> td.Tensor:
    return td.placeholder(td.float32, [None, None, 4], name="x")


# Numbers of rounds that are known ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "start", "add", "rounds"),
    [
        (lambda i: i < 5, 0, 1, 5),
        (lambda i: i <= 5, 0, 1, 6),
        (lambda i: i < 5, 1, 3, 2),
        (lambda i: i > 3, 20, -2, 9),
        (lambda i: i >= 3, 20, -2, 9),
        (lambda i: td.greater(5, i), 0, 1, 5),
        (lambda i: td.greater_equal(5, i), 0, 2, 3),
        (lambda i: i < 5, 9, 1, 0),
        (lambda i: td.logical_and(i < 5, i < 3), 0, 1, 3),
    ],
)
def test_a_counter_against_a_limit_tells_how_many_rounds_there_are(
    test: Callable[[Any], Any], start: int, add: int, rounds: int
) -> None:
    i, y = growing(test, start, add)
    assert shape_of(y) == f"({1 + 2 * rounds}, 3)"
    assert value_of(i) == str(start + rounds * add)
    with td.Session() as session:
        number, made = session.run([i, y])
    assert (number, made.shape) == (start + rounds * add, (1 + 2 * rounds, 3))


def test_a_limit_may_be_a_size() -> None:
    time = td.shape(placeholder())[1]
    i, y = growing(lambda i: i < time, 0, 1)
    z = td.fill([i, 2], 0.0)
    sizes = {"x": ["batch", "time", 4]}
    assert shape_of(y, **sizes) == "(2*time + 1, 3)"
    assert shape_of(z, **sizes) == "(time, 2)"
    with td.Session() as session:
        made = session.run([y, z], {"x:0": np.zeros([2, 7, 4])})
    assert [x.shape for x in made] == [(15, 3), (7, 2)]


def test_each_of_several_conditions_limits_the_rounds() -> None:
    time = td.shape(placeholder())[1]
    _, y = growing(lambda i: td.logical_and(i < time, i < 10), 0, 1)
    assert shape_of(y, x=["batch", "time", 4]) == "(2*min(time, 10) + 1, 3)"


@pytest.mark.parametrize(
    "test",
    [
        lambda i: i * i < td.placeholder(td.int32, []),
        lambda i: td.logical_or(i < 3, i < td.placeholder(td.int32, [])),
        lambda i: td.less(td.cast(i, td.float32), 3.5),
        lambda i: td.not_equal(i, 5),
        lambda i: td.less(i, td.placeholder(td.int32, []) + i),
    ],
)
def test_other_conditions_tell_nothing(test: Callable[[Any], Any]) -> None:
    _, y = growing(test, 0, 1)
    assert y.shape.as_list() == [None, 3]
    assert shape_of(y) == "(?, 3)"


def test_a_step_that_differs_from_round_to_round_tells_nothing() -> None:
    n = td.placeholder(td.int32, [])
    i, _ = td.while_loop(lambda i, s: i < n, lambda i, s: (i + s, s + 1), [td.constant(0)] * 2)
    assert value_of(i) is None


def test_slices_are_stacked_to_as_many() -> None:
    x = placeholder()
    y = td.map_fn(lambda row: td.reduce_sum(row, 1), x)
    z = td.scan(lambda total, row: total + row, x)
    assert shape_of(y, x=["batch", "time", 4]) == "(batch, time)"
    assert shape_of(z, x=["batch", "time", 4]) == "(batch, time, 4)"


def test_a_recurrent_network_keeps_batch_and_time() -> None:
    x = placeholder()
    cell = td.nn.rnn_cell.BasicLSTMCell(5)
    y, state = td.nn.dynamic_rnn(cell, x, dtype=td.float32)
    assert shape_of(y, x=["batch", "time", 4]) == "(batch, time, 5)"
    assert shape_of(state.h, x=["batch", "time", 4]) == "(batch, 5)"


def test_a_list_that_grows_has_a_length() -> None:
    time = td.shape(placeholder())[1]
    empty = td.raw_ops.EmptyTensorList(
        element_shape=[3], max_num_elements=-1, element_dtype=td.float32
    )
    _, made = td.while_loop(
        lambda i, _: i < time,
        lambda i, y: (i + 1, td.raw_ops.TensorListPushBack(input_handle=y, tensor=td.zeros([3]))),
        [td.constant(0), empty],
    )
    y = td.raw_ops.TensorListStack(input_handle=made, element_shape=[3], element_dtype=td.float32)
    assert shape_of(y, x=["batch", "time", 4]) == "(time, 3)"


# What rounds keep and lose -----------------------------------------------------------------------


def test_a_size_that_each_round_keeps_stays_what_it_is() -> None:
    x, n = placeholder(), td.placeholder(td.int32, [])
    _, y = td.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, td.tanh(y) * 2.0), [td.constant(0), x]
    )
    assert shape_of(y, x=["batch", "time", 4]) == "(batch, time, 4)"


def test_a_check_says_which_variable_loses_which_size_and_why() -> None:
    n = td.placeholder(td.int32, [])
    _, y = growing(lambda i: i * i < n, 0, 1)
    report = checked()
    [loss] = [loss for loss in report.losses if loss.tensor == y.name]
    assert (loss.what, loss.op.type) == ("dimension 0", "StatelessWhile")
    assert loss.why.startswith(
        "the shape is (1, 3) before an iteration, and (3, 3) after it: 'while/con"
    )
    assert "test_loop_facts.py:" in loss.why
    assert f"since {loss.why}" in str(report)
    assert '"why": "the shape is (1, 3)' in report.to_json()


def test_sizes_in_nested_loops() -> None:
    n = td.placeholder(td.int32, [])

    def body(i: td.Tensor, y: td.Tensor) -> tuple[td.Tensor, td.Tensor]:
        _, inner = td.while_loop(
            lambda j, _: j < 4,
            lambda j, z: (j + 1, td.concat([z, td.zeros([1, 3])], 0)),
            [td.identity(td.constant(0)), td.zeros([2, 3])],
            shape_invariants=[td.TensorShape([]), td.TensorShape([None, 3])],
        )
        return i + 1, y + td.reduce_sum(inner, 0, keepdims=True) + 0.0 * inner[:1]

    _, y = td.while_loop(lambda i, _: i < n, body, [td.constant(0), td.zeros([1, 3])])
    assert shape_of(y) == "(1, 3)"


# Branches ----------------------------------------------------------------------------------------


def test_a_value_goes_through_the_branch_that_is_taken() -> None:
    x, flag = placeholder(), td.constant(True)
    k = td.cond(td.logical_not(flag), lambda: td.constant(1), lambda: td.shape(x)[0] * 2)
    y = td.fill([k], 0.0)
    assert shape_of(y, x=["batch", "time", 4]) == "(2*batch,)"


def test_a_value_that_both_branches_share_is_known() -> None:
    x, flag = placeholder(), td.placeholder(td.bool, [])
    k = td.cond(flag, lambda: td.shape(x)[0], lambda: td.shape(x)[0] + 0)
    y = td.cond(flag, lambda: td.zeros([k, 3]), lambda: td.ones([k, 5]))
    assert shape_of(y, x=["batch", "time", 4]) == "(batch, ?)"


def test_an_op_that_may_refuse_runs_though_its_result_is_known() -> None:
    x, flag = td.placeholder(td.int32, []), td.placeholder(td.bool, [])
    y = td.cond(flag, lambda: 0 // x, lambda: td.constant(0)).op.inputs[0]
    assert value_of(y) == "0"
    with td.Session() as session:
        assert session.run(y, {x: 0, flag: False}) == 0
        with pytest.raises(td.errors.InvalidArgumentError):
            session.run(y, {x: 0, flag: True})


# Depth -------------------------------------------------------------------------------------------


def test_a_nest_of_fifty_is_followed() -> None:
    n = td.placeholder(td.int32, [])

    def nest(depth: int, y: td.Tensor) -> td.Tensor:
        if not depth:
            return y + 1.0
        made: list[td.Tensor] = td.while_loop(
            lambda i, _: i < n, lambda i, z: (i + 1, nest(depth - 1, z)), [td.constant(0), y]
        )
        return made[1]

    x = td.placeholder(td.float32, [None, 3], name="x")
    y = nest(50, x)
    assert shape_of(y, x=["batch", 3]) == "(batch, 3)"
    with td.Session() as session:
        for _ in range(2):
            assert session.run(y, {n: 1, x: [[1, 2, 3]]}).tolist() == [[2, 3, 4]]
