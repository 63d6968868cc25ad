"""Reads of variables beside updates that they do not wait for: in the order of TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
# Lines of a program, of which each makes a value that later lines name by its number, after those
# of the variables, which begin with 2, 3 and 5; and what the variables hold after a run of all
# updates in a group. TensorFlow 2.21, its rewriting of graphs off, gave each in at least 20 of 25
# runs.
PROGRAMS = [
    ("negative 0; assign 1 3; add 0 0; assign 0 0; assign_sub 2 3; add 0 3", [2.0, -2.0, 7.0]),
    (
        (
            "assign_add 1 1; assign_add 0 1; add 1 2.0; multiply 0 4; negative 5; "
            "multiply 4 2.0; negative 6; multiply 1 4; negative 1; assign_add 1 1; add 1 9"
        ),
        [14.0, 12.0],
    ),
    (
        "assign_add 0 0; multiply 0 2.0; add 3 4.0; assign_add 1 8.0; assign 0 4; multiply 1 1",
        [16.0, 11.0],
    ),
    ("assign 1 2; multiply 1 1; add 4 1; assign 2 2; add 5 5", [2.0, 5.0, 5.0]),
    (
        (
            "assign_sub 0 4.0; multiply 1 0; multiply 1 0; add 3 5.0; add 5 3.0; add 3 2.0; "
            "assign_add 1 7; negative 1; add 0 1.0; multiply 0 3.0"
        ),
        [-2.0, 11.0],
    ),
    (
        (
            "assign 1 1; multiply 1 1; multiply 0 3; negative 0; multiply 0 2.0; assign 0 4; "
            "negative 6; assign 1 1"
        ),
        [18.0, 3.0],
    ),
    (
        (
            "multiply 0 2.0; add 0 3.0; assign 0 3; multiply 0 3; assign 1 4.0; multiply 1 2; "
            "add 5 1.0"
        ),
        [5.0, 4.0],
    ),
    (
        (
            "add 1 1.0; multiply 3 2; assign_add 2 2; negative 4; assign 0 0; multiply 1 2.0; "
            "add 0 0; add 3 6; assign_sub 1 2; multiply 10 3; multiply 4 6"
        ),
        [2.0, -7.0, 10.0],
    ),
    (
        (
            "negative 2; multiply 0 0; multiply 2 3.0; negative 3; multiply 4 5; add 0 5; "
            "assign_add 0 6; negative 1; negative 5; assign 2 11"
        ),
        [-13.0, 3.0, -15.0],
    ),
    (
        (
            "add 1 1; assign 0 0; multiply 0 2; assign 1 2; add 2 1.0; negative 0; negative 6; "
            "assign_sub 0 3.0"
        ),
        [-1.0, 6.0],
    ),
    (
        (
            "add 0 2; assign_add 2 7.0; multiply 2 2.0; negative 1; add 3 5.0; negative 3; "
            "multiply 3 3.0; multiply 0 9; multiply 7 2.0; assign_add 1 5.0"
        ),
        [2.0, 8.0, 12.0],
    ),
    (
        (
            "add 1 1; add 1 2; multiply 2 0.5; multiply 2 0; add 5 3.0; multiply 3 2.0; "
            "assign_sub 1 1; add 7 5.0; add 1 2.0; assign_add 0 8.0"
        ),
        [10.0, 0.0],
    ),
    (
        (
            "multiply 1 1; negative 2; multiply 1 0.5; assign_sub 0 4; assign_add 1 1; "
            "assign_add 0 0; multiply 3 3; add 3 3.0"
        ),
        [1.0, 6.0],
    ),
    ("multiply 0 0; negative 2; assign_add 0 4.0; multiply 0 2.0; assign_add 1 2", [6.0, 7.0]),
    (
        (
            "assign 1 1; assign_add 0 0; add 1 0; multiply 4 4; multiply 5 1; assign 1 8.0; "
            "negative 4; multiply 4 0.5"
        ),
        [4.0, 8.0],
    ),
    (
        "assign 1 1; add 0 0; assign_add 0 1; add 3 1; multiply 3 2.0; add 5 1.0; negative 0",
        [5.0, 3.0],
    ),
    (
        (
            "assign 2 2; multiply 0 0.5; assign_add 0 1; add 4 4; add 4 5.0; add 6 5.0; "
            "assign 1 1; add 4 1.0"
        ),
        [5.0, 3.0, 5.0],
    ),
    (
        "assign_add 0 1; multiply 0 1; add 3 5.0; assign 1 4; add 1 1; assign 0 2.0",
        [13.0, 11.0],
    ),
    (
        (
            "multiply 0 0; multiply 0 1; negative 1; negative 4; add 4 4; assign_add 0 4; "
            "add 0 1; assign_add 1 4; add 5 0; multiply 5 0.5"
        ),
        [-1.0, 0.0],
    ),
    (
        (
            "assign_sub 1 1; multiply 1 2.0; add 1 4.0; multiply 1 1; add 1 1; multiply 0 2.0; "
            "add 1 7; assign_add 0 5; add 4 1.0; add 10 0"
        ),
        [11.0, 0.0],
    ),
    ("multiply 2 1; negative 1; assign 0 3; assign_add 2 3; add 2 4", [15.0, 3.0, 20.0]),
    (
        (
            "multiply 1 2.0; assign 0 1; assign 1 1; multiply 1 2; add 2 4.0; negative 0; "
            "add 0 1; assign_sub 0 8"
        ),
        [3.0, 3.0],
    ),
    (
        (
            "add 2 3.0; assign_add 2 2; assign_sub 0 1.0; add 3 1; multiply 0 2.0; "
            "multiply 7 2.0; add 7 7; assign_sub 1 2"
        ),
        [1.0, -7.0, 10.0],
    ),
    (
        "assign_add 0 0; add 1 3.0; assign 1 1; negative 1; assign_sub 0 8.0; multiply 3 3",
        [-4.0, 3.0],
    ),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_programs_give_what_tensorflow_gives_most_often(session: td.Session, number: int) -> None:
    program, expected = PROGRAMS[number]
    variables = [td.Variable(2.0**i + 1) for i in range(len(expected))]
    values: list[Any] = [*variables]
    updates = []
    for line in program.split("; "):
        name, *given = line.split()
        args = [float(item) if "." in item else values[int(item)] for item in given]
        values.append(getattr(td, name)(*args))
        if name.startswith("assign"):
            updates.append(values[-1])
    step, start = td.group(*updates), td.global_variables_initializer()
    for _ in range(5):  # both tiers of the executor
        session.run(start)
        session.run(step)
        np.testing.assert_allclose(session.run(variables), expected, rtol=1e-6)


# Other programs, on arrays of 100 equal elements as well as on scalars; which lines are fetched,
# beside the group, and their maxima. TensorFlow gave each in at least 20 of 25 runs, in a session
# of one thread and in one of many, with constants folded and not.
FETCHES: list[tuple[str, list[int], list[float], list[float]]] = [
    (
        "assign 1 2.0; negative 1; negative 1; multiply 0 3; multiply 0 0",
        [3, 4, 6],
        [-3.0, -3.0, 4.0],
        [2.0, 2.0],
    ),
    (
        "add 0 3.0; assign_sub 1 3.0; multiply 1 0.5; multiply 4 2.0; multiply 5 2",
        [5],
        [3.0],
        [2.0, 0.0],
    ),
    (
        "multiply 1 1; multiply 2 3.0; add 0 0.5; negative 3; assign_add 1 3.0",
        [2],
        [9.0],
        [2.0, 6.0],
    ),
    (
        "negative 0; assign_sub 1 0; assign_add 1 1; assign_sub 0 0; multiply 0 0",
        [7],
        [4.0],
        [0.0, 6.0, 5.0],
    ),
    (
        "multiply 0 1; multiply 1 1; multiply 1 0; negative 1; assign_sub 1 0",
        [3, 5],
        [9.0, -3.0],
        [2.0, 1.0],
    ),
    (
        "add 1 1; negative 1; negative 1; assign 0 0; assign_add 0 4; assign 1 5.0; assign 0 2.0",
        [3],
        [-3.0],
        [-1.0, 5.0],
    ),
    (
        "multiply 1 0; negative 0; assign_add 0 1; assign_sub 1 2; multiply 0 3.0",
        [3, 6],
        [-2.0, 6.0],
        [-1.0, -3.0],
    ),
    (
        "assign_sub 0 3.0; multiply 1 1; assign_sub 0 2.0; add 4 1; assign 1 2; assign_sub 0 3.0",
        [4, 6],
        [9.0, 12.0],
        [-6.0, 5.0, 5.0],
    ),
    (
        "multiply 1 0; multiply 2 0.5; multiply 0 0; assign_sub 0 0; assign 0 2.0",
        [4],
        [0.0],
        [2.0, 3.0],
    ),
    (
        "assign 1 0; add 1 0; assign_add 2 3.0; negative 1; multiply 6 2.0; multiply 1 0.5",
        [4, 6, 7],
        [5.0, -3.0, -6.0],
        [2.0, 2.0, 8.0],
    ),
]


@pytest.mark.parametrize("size", [0, 100])
@pytest.mark.parametrize("number", range(len(FETCHES)))
def test_fetches_beside_updates_give_what_tensorflow_gives(
    session: td.Session, number: int, size: int
) -> None:
    program, fetched, fetches, left = FETCHES[number]

    def constant(number: float) -> Any:
        return td.fill([size], number) if size else number

    values: list[Any] = [td.Variable(constant(2.0**i + 1)) for i in range(len(left))]
    variables, updates = list(values), []
    for line in program.split("; "):
        name, *given = line.split()
        args = [constant(float(item)) if "." in item else values[int(item)] for item in given]
        values.append(getattr(td, name)(*args))
        if name.startswith("assign"):
            updates.append(values[-1])
    step, start = td.group(*updates), td.global_variables_initializer()
    maxima = [td.reduce_max(values[i]) for i in fetched]
    for _ in range(3):
        session.run(start)
        np.testing.assert_allclose(session.run([*maxima, step])[:-1], fetches, rtol=1e-6)
        np.testing.assert_allclose(
            session.run([td.reduce_max(v) for v in variables]), left, rtol=1e-6
        )


def decayed(step: Any) -> Any:
    return td.train.polynomial_decay(0.1, step, 100, end_learning_rate=0.0, power=1.0)


def warmed_up(step: Any) -> Any:
    number = td.cast(step, td.int32)
    share = td.cast(number, td.float32) / td.cast(td.constant(10), td.float32)
    is_warm_up = td.cast(number < td.constant(10), td.float32)
    return (1.0 - is_warm_up) * decayed(step) + is_warm_up * (0.1 * share)


@pytest.mark.parametrize(
    ("rate", "first"),
    [
        (lambda step: step, 1.0),
        (lambda step: step * 0.1, 0.1),
        (decayed, 0.099),
        (lambda step: td.train.exponential_decay(0.1, step, 10, 0.5), 0.0933033),
        (warmed_up, 0.01),
    ],
)
def test_a_rate_sees_the_step_that_is_assigned_beside_it(
    session: td.Session, rate: Callable[[Any], Any], first: float
) -> None:
    w, step = td.Variable(0.0), td.Variable(0.0)
    update = td.assign_add(w, rate(step))
    train = td.group(update, step.assign(step + 1))
    session.run(td.global_variables_initializer())
    session.run(train)
    assert session.run([w, step]) == pytest.approx([first, 1.0])


def test_a_rate_sees_the_step_before_it_is_counted(session: td.Session) -> None:
    # AssignAdd is ready with the variable, and is put into the pool, for the read is cheap.
    w, step = td.Variable(0.0), td.Variable(0.0)
    train = td.group(td.assign_add(w, step * 0.1), step.assign_add(1.0))
    session.run(td.global_variables_initializer())
    session.run(train)
    assert session.run([w, step]) == [0.0, 1.0]


def test_of_two_assignments_the_one_that_runs_last_counts(session: td.Session) -> None:
    pairs: list[tuple[Callable[[Any, Any], tuple[Any, Any]], float]] = [
        (lambda v, w: (v.assign(5.0), v.assign(w * 3.0)), 5.0),
        (lambda v, w: (v.assign(w * 3.0), v.assign(5.0)), 6.0),
    ]
    for pair, expected in pairs:
        v, w = td.Variable(1.0), td.Variable(2.0)
        train = td.group(*pair(v, w))
        session.run(td.global_variables_initializer())
        session.run(train)
        assert session.run(v) == expected


@pytest.mark.parametrize("use_resource", [False, True])
def test_control_dependencies_and_resources_keep_their_order(
    session: td.Session, use_resource: bool
) -> None:
    w = td.Variable(0.0, use_resource=use_resource)
    step = td.Variable(0.0, use_resource=use_resource)
    rate = step * 0.1
    with td.control_dependencies([rate]):
        count = step.assign(step + 1.0)
    train = td.group(w.assign_add(rate), count)
    session.run(td.global_variables_initializer())
    session.run(train)
    assert session.run([w, step]) == [0.0, 1.0]


def test_what_is_read_is_read_once_between_two_updates(session: td.Session) -> None:
    v, w = td.Variable(2.0), td.Variable(0.0)
    value = td.identity(v.value())
    train = td.group(w.assign(value * value + td.exp(value)), v.assign(value + 1.0))
    plan = session.explain(train)
    assert plan.count("(VariableV2)") <= 6


def test_large_gradients_are_computed_before_the_variables_change(session: td.Session) -> None:
    # The updates are ready as soon as their slopes, and yet are run when both are there.
    a, b = td.Variable(td.fill([9, 9], 2.0)), td.Variable(td.fill([9, 9], 3.0))
    slopes = td.gradients(td.reduce_sum(td.matmul(a, b)), [a, b])
    train = td.train.GradientDescentOptimizer(1.0).apply_gradients(zip(slopes, [a, b], strict=True))
    session.run(td.global_variables_initializer())
    session.run(train)
    assert [value[0, 0] for value in session.run([a, b])] == [2.0 - 27.0, 3.0 - 18.0]


def test_a_gradient_is_not_the_memory_of_a_variable(session: td.Session) -> None:
    a, b = td.Variable(2.0), td.Variable(3.0)
    slopes = td.gradients(a * b, [a, b])
    assert [slope.op.type for slope in slopes] == ["Mul", "Mul"]
