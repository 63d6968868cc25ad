"""Branches and loops built by calls, where a run decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


def run(fetch: Any, feed: Any = None) -> Any:
    with td.Session() as session:
        session.run(td.global_variables_initializer())
        return session.run(fetch, feed)


def again(fetch: Any, feed: Any) -> Any:
    """The result in the graph that an import of the exported one makes."""
    with td.Graph().as_default() as copy:
        td.import_graph_def(fetch.graph.as_graph_def(), name="")
        with td.Session(graph=copy) as session:
            return session.run(fetch.name, {key.name: item for key, item in feed.items()})


def test_a_branch_takes_what_is_outside() -> None:
    p, x = td.placeholder(td.bool, []), td.placeholder(td.float32, [None])
    scale = td.constant(3.0)
    y = td.cond(p, lambda: x * scale, lambda: x + 1.0)
    assert y.name == "cond/Merge:0"
    assert y.shape.as_list() == [None]
    assert run(y, {p: True, x: [1, 2]}).tolist() == [3, 6]
    assert run(y, {p: False, x: [1, 2]}).tolist() == [2, 3]
    assert again(y, {p: True, x: [1, 2]}).tolist() == [3, 6]


def test_branches_in_branches_and_structures() -> None:
    p, q = td.placeholder(td.bool, []), td.placeholder(td.bool, [])
    x = td.placeholder(td.int32, [])

    def yes() -> Any:
        return td.cond(q, lambda: x + 1, lambda: x + 2), {"a": x}

    one, rest = td.cond(p, yes, lambda: (x * 10, {"a": x * 2}))
    for p_, q_, expected in ((True, True, (6, 5)), (True, False, (7, 5)), (False, True, (50, 10))):
        assert run((one, rest["a"]), {p: p_, q: q_, x: 5}) == expected


def test_only_the_branch_that_is_taken_runs() -> None:
    p, x = td.placeholder(td.bool, []), td.placeholder(td.int32, [])
    y = td.cond(p, lambda: 1 // x, lambda: x)
    assert run(y, {p: False, x: 0}) == 0
    with pytest.raises(td.errors.InvalidArgumentError, match=r"created at .*test_building\.py"):
        run(y, {p: True, x: 0})


def test_a_variable_made_in_a_branch_is_one_of_the_graph() -> None:
    p = td.placeholder(td.bool, [])

    def yes() -> Any:
        v = td.get_variable("v", [], initializer=td.constant_initializer(4.0), use_resource=True)
        return td.identity(v)

    y = td.cond(p, yes, lambda: td.constant(1.0))
    assert [v.op.name for v in td.global_variables()] == ["v"]
    assert [run(y, {p: True}), run(y, {p: False})] == [4, 1]


def test_an_assignment_in_a_branch() -> None:
    p = td.placeholder(td.bool, [])
    v = td.get_variable("v", [], initializer=td.constant_initializer(4.0), use_resource=True)
    y = td.cond(p, lambda: td.assign_add(v, 1.0).op, td.no_op)
    with td.Session() as session:
        session.run(v.initializer)
        for taken, expected in ((True, 5), (False, 5), (True, 6)):
            session.run(y, {p: taken})
            assert session.run(v) == expected


def test_a_loop() -> None:
    n, x = td.placeholder(td.int32, []), td.placeholder(td.float32, [None, 2])
    factor = td.constant([[2.0, 0.0], [0.0, 3.0]])
    i, y = td.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, td.matmul(y, factor)), [0, x])
    assert (i.name, y.name) == ("while/Exit:0", "while/Exit_1:0")
    assert y.shape.as_list() == [None, 2]
    assert run(y, {n: 3, x: [[1, 1]]}).tolist() == [[8, 27]]
    assert run(i, {n: -1, x: [[1, 1]]}) == 0
    assert again(y, {n: 3, x: [[1, 1]]}).tolist() == [[8, 27]]


def test_a_loop_in_a_loop_in_a_branch() -> None:
    n, p = td.placeholder(td.int32, []), td.placeholder(td.bool, [])

    def inner(total: Any, i: Any) -> Any:
        return td.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [0, total])[1]

    def loop() -> Any:
        return td.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, inner(t, i)), [0, 0])[1]

    y = td.cond(p, loop, lambda: n)
    expected = sum(j for i in range(6) for j in range(i))
    assert run(y, {n: 6, p: True}) == expected
    assert again(y, {n: 6, p: True}) == expected


def test_at_most_so_many_rounds() -> None:
    most, x = td.placeholder(td.int32, []), td.placeholder(td.int32, [])
    y = td.while_loop(lambda x: x < 100, lambda x: x * 2, [x], maximum_iterations=most)
    assert run(y, {most: 3, x: 1}) == 8
    assert run(y, {most: 50, x: 1}) == 128


def test_shape_invariants() -> None:
    n, x = td.placeholder(td.int32, []), td.constant([1.0])

    def body(i: Any, y: Any) -> Any:
        return i + 1, td.concat([y, y], 0)

    with pytest.raises(ValueError, match="is not an invariant for the loop"):
        td.while_loop(lambda i, y: i < n, body, [0, x])
    shapes = [td.TensorShape([]), td.TensorShape([None])]
    _, y = td.while_loop(lambda i, y: i < n, body, [0, x], shape_invariants=shapes)
    assert y.shape.as_list() == [None]
    assert run(y, {n: 3}).tolist() == [1] * 8


def test_bodies_that_do_not_fit() -> None:
    n = td.placeholder(td.int32, [])
    with pytest.raises(ValueError, match="number of elements is 1 and 2"):
        td.while_loop(lambda i: i < n, lambda i: (i, i), [0])
    with pytest.raises(ValueError, match="must return the same dtypes"):
        td.cond(n > 0, lambda: n, lambda: td.constant(1.0))


def test_maps_and_folds_over_a_size_of_the_run() -> None:
    x = td.placeholder(td.float32, [None, 2])
    data = {x: np.array([[1, 2], [3, 4], [5, 6]], np.float32)}
    assert run(td.map_fn(lambda row: row * 2, x), data).tolist() == [[2, 4], [6, 8], [10, 12]]
    sums = td.map_fn(td.reduce_sum, x)
    assert sums.shape.as_list() == [None]
    assert run(sums, data).tolist() == [3, 7, 11]
    assert run(td.foldl(lambda a, row: a * 10 + row, x), data).tolist() == [135, 246]
    assert run(td.foldr(lambda a, row: a * 10 + row, x), data).tolist() == [531, 642]
    assert run(td.scan(lambda a, row: a + row, x), data).tolist() == [[1, 2], [4, 6], [9, 12]]
    start = td.constant([0.0, 1.0])
    both = td.scan(lambda a, row: a + row, x, start, reverse=True)
    assert run(both, data).tolist() == [[9, 13], [8, 11], [5, 7]]
    pair = td.map_fn(lambda a: (a[0] + a[1], a[0]), (x, x), dtype=(td.float32, td.float32))
    assert run(pair, data)[0].tolist() == [[2, 4], [6, 8], [10, 12]]


def test_cases_that_a_run_decides() -> None:
    x = td.placeholder(td.int32, [])
    pairs = [(x < 1, lambda: x - 100), (x < 5, lambda: x * 2)]
    y = td.case(pairs, default=lambda: x + 100)
    assert [run(y, {x: i}) for i in (0, 3, 7)] == [-100, 6, 107]
    with pytest.raises(td.errors.InvalidArgumentError, match="More than one condition"):
        run(td.case(pairs, default=lambda: x, exclusive=True), {x: 0})
