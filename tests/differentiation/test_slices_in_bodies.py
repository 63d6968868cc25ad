"""Gradients by rows that loops and branches look up: they stay slices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td


def test_slices_of_variables_stay_slices() -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = td.get_variable(
            "table", [6, 2], initializer=td.ones_initializer(), use_resource=True
        )
        ids = td.placeholder(td.int32, [None])

        def body(i: Any, total: Any) -> Any:
            return i + 1, total + td.gather(table, ids[i]) * td.cast(i + 1, td.float32)

        y = td.while_loop(lambda i, _: i < td.size(ids), body, [0, td.zeros([2])])[1]
        gradient = td.gradients(y, table)[0]
        assert isinstance(gradient, td.IndexedSlices)
        session.run(td.global_variables_initializer())
        dense = session.run(td.convert_to_tensor(gradient), {ids: [1, 3, 1]})
        assert dense.tolist() == [[0, 0], [4, 4], [0, 0], [2, 2], [0, 0], [0, 0]]
        taken = td.cond(ids[0] > 0, lambda: td.gather(table, [1, 1]), lambda: td.zeros([2, 2]))
        gradient = td.gradients(taken, table)[0]
        assert isinstance(gradient, td.IndexedSlices)
        found = session.run(td.convert_to_tensor(gradient), {ids: [1]})
        assert found.sum(1).tolist() == [0, 4, 0, 0, 0, 0]
        assert not session.run(td.convert_to_tensor(gradient), {ids: [0]}).any()


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_that_a_loop_reads(use_resource: bool) -> None:
    with td.Graph().as_default(), td.Session() as session:
        w = td.get_variable("w", initializer=3.0, use_resource=use_resource)
        n = td.placeholder(td.int32, [])
        y = td.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * w), [0, 2.0])[1]
        gradient = td.gradients(y, w)[0]
        session.run(td.global_variables_initializer())
        assert session.run(gradient, {n: 3}) == 2.0 * 3 * 3.0**2
        assert session.run(gradient, {n: 0}) == 0.0
        assert gradient.shape.as_list() == []


def test_a_variable_that_the_loop_changes_was_what_it_was() -> None:
    with td.Graph().as_default(), td.Session() as session:
        w = td.Variable(1.0)
        x = td.placeholder(td.float32, [])

        def body(i: Any, y: Any) -> Any:
            with td.control_dependencies([td.assign_add(w, 1.0)]):
                return i + 1, y * x * w.read_value()

        y = td.while_loop(lambda i, _: i < 3, body, [0, x])[1]
        session.run(td.global_variables_initializer())
        assert session.run([y, td.gradients(y, x)[0]], {x: 2.0}) == [384.0, 768.0]
        assert session.run(w) == 4.0


def test_sizes_are_as_precise_as_those_of_the_inputs() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, None, 3])
        h = td.zeros([td.shape(x)[1], 3])
        step = lambda i, h: (i + 1, td.tanh(h + td.gather(x, i)))  # noqa: E731
        y = td.while_loop(lambda i, _: i < td.shape(x)[0], step, [0, h])[1]
        assert td.gradients(y, x)[0].shape.sizes == x.shape.sizes
        assert td.gradients(td.gradients(y, x)[0], x)[0].shape.sizes == x.shape.sizes


def test_jacobians_and_the_like_pass_through_loops() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [3])
        y = td.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * x), [0, x])[1]
        feeds = {x: [1.0, 2.0, 3.0]}
        assert session.run(td.jacobian(y, x), feeds).tolist() == np.diag([3.0, 12.0, 27.0]).tolist()
        hessian = td.hessians(td.reduce_sum(y), x)[0]
        assert session.run(hessian, feeds).tolist() == np.diag([6.0, 12.0, 18.0]).tolist()
        change = td.jvp(y, x, td.constant([1.0, 2.0, 3.0], td.float64))
        assert session.run(change, feeds).tolist() == [3.0, 24.0, 81.0]
        assert td.test.compute_gradient_error(x, [3], y, [3]) < 1e-5


def test_gradients_inside_of_a_loop_have_gradients() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float64, [])

        def descend(i: Any, w: Any) -> Any:
            return i + 1, w - 0.1 * td.gradients((w * w - x) ** 2, w)[0]

        w = td.while_loop(lambda i, _: i < 200, descend, [0, td.constant(1.0, td.float64)])[1]
        root, slope = session.run([w, td.gradients(w, x)[0]], {x: 2.0})
        assert root == pytest.approx(2.0**0.5)
        assert slope == pytest.approx(0.5 / 2.0**0.5)


def _table_of_twelve() -> Any:
    return td.constant(np.arange(12, dtype=np.float32).reshape(6, 2))


def _squares(table: Any, ids: Any) -> Any:
    return td.reduce_sum(td.gather(table, ids) ** 2)


def test_slices_that_are_read_in_rounds_are_joined_behind_a_row_of_zeros() -> None:
    """As in TensorFlow 1.x: by the rows that meet, not by their sum, gradients are clipped."""
    with td.Graph().as_default(), td.Session() as session:
        table, ids = _table_of_twelve(), td.constant([1, 3, 1])

        def body(i: Any, total: Any) -> Any:
            return i + 1, total + _squares(table, ids[i : i + 1])

        y = td.while_loop(lambda i, _: i < 3, body, [0, 0.0])[1]
        found = td.gradients(y, table)[0]
        slices, norm = session.run([found, td.global_norm([found])])
        assert slices.indices.tolist() == [0, 1, 3, 1]
        assert slices.values.tolist() == [[0, 0], [4, 6], [12, 14], [4, 6]]
        assert slices.dense_shape.tolist() == [6, 2]
        assert norm == np.float32(21.071308)  # TensorFlow's; that of the sum is 23.409399
        none = td.while_loop(lambda i, _: i < 0, body, [0, 0.0])[1]
        assert session.run(td.gradients(none, table)[0]).indices.tolist() == [0]


def test_slices_of_loops_in_loops() -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = _table_of_twelve()

        def body(i: Any, total: Any) -> Any:
            return i + 1, td.while_loop(
                lambda j, _: j < 2, lambda j, t: (j + 1, t + _squares(table, [i + j])), [0, total]
            )[1]

        y = td.while_loop(lambda i, _: i < 2, body, [0, 0.0])[1]
        slices = session.run(td.gradients(y, table)[0])
        assert slices.indices.tolist() == [0, 0, 2, 1, 0, 1, 0]
        assert slices.values[:, 1].tolist() == [0, 0, 10, 6, 0, 6, 2]


def test_what_a_loop_reads_whole_as_well_has_one_sum() -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = _table_of_twelve()

        def body(i: Any, total: Any) -> Any:
            return i + 1, total + _squares(table, [i]) + td.reduce_sum(table)

        y = td.while_loop(lambda i, _: i < 3, body, [0, 0.0])[1]
        found = session.run(td.gradients(y, table)[0])
        assert found[:, 0].tolist() == [3, 7, 11, 3, 3, 3]


@pytest.mark.parametrize("rows", [None, 6])
def test_slices_of_branches_hold_zeros_for_those_not_taken(rows: int | None) -> None:
    """As in TensorFlow 1.x; indices of two dtypes become those of the wider."""
    with td.Graph().as_default(), td.Session() as session:
        table, taken = td.placeholder(td.float32, [rows, 2]), td.placeholder(td.bool, [])
        y = td.cond(
            taken,
            lambda: _squares(table, [1, 1]),
            lambda: _squares(table, td.constant([3], td.int64)),
        )
        gradient = td.gradients(y, table)[0]
        assert gradient.indices.dtype == td.int64
        value = np.arange(12, dtype=np.float32).reshape(6, 2)
        for choice, indices in (True, [1, 1]), (False, [3]):
            found = session.run(gradient, {table: value, taken: choice})
            assert sorted(found.indices.tolist()) == sorted([*indices, *range(6)])
            kept = found.values.any(1)
            assert found.indices[kept].tolist() == indices
            np.testing.assert_array_equal(found.values[kept], 2 * value[indices])
