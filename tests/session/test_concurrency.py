"""One graph and one session, used from sixteen threads at once: building, running, assigning."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import numpy as np

import tensordraft as td

THREADS = 16


def together(work: Callable[[int], None]) -> None:
    """Runs `work(i)` in sixteen threads that begin at the same time; fails if one fails."""
    barrier = threading.Barrier(THREADS)
    failures: list[BaseException] = []

    def run(i: int) -> None:
        try:
            barrier.wait(timeout=60)
            work(i)
        except BaseException as error:  # noqa: BLE001 - it is raised below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(THREADS)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns as often as they can
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
    finally:
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if failures:
        raise failures[0]


def test_updates_from_many_threads_all_count() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        total = td.Variable(np.zeros(8, np.int64))
        rows = td.Variable(np.zeros((THREADS, 2), np.int64))
        place = td.placeholder(td.int32, [1])
        add = total.assign_add(np.ones(8, np.int64))
        mark = td.scatter_add(rows, place, np.ones((1, 2), np.int64))
        session.run(td.global_variables_initializer())
        graph.finalize()

        def work(i: int) -> None:
            for number in range(50):
                session.run(add.op)
                marked = session.run(mark, {place: [i]})
                assert marked[i].tolist() == [number + 1] * 2

        together(work)
        assert session.run(total).tolist() == [50 * THREADS] * 8
        assert session.run(rows).tolist() == [[50, 50]] * THREADS


def test_readers_never_see_half_of_an_assignment() -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(np.zeros(5000))
        x = td.placeholder(td.float64, [])
        assign = v.assign(td.fill([5000], x))
        spread = td.reduce_max(v) - td.reduce_min(v)
        session.run(v.initializer)

        def work(i: int) -> None:
            for number in range(30):
                if i % 4 == 0:
                    session.run(assign.op, {x: float(100 * i + number)})
                else:
                    assert session.run(spread) == 0

        together(work)


def test_a_graph_is_built_and_run_at_the_same_time() -> None:
    graph = td.Graph()
    with graph.as_default():
        x = td.placeholder(td.float32, [3], name="x")
    with td.Session(graph=graph) as session:

        def work(i: int) -> None:
            with graph.as_default(), graph.name_scope(f"thread{i}"):
                y = x
                for number in range(1, 13):
                    v = td.Variable(float(number), name="v", trainable=False)
                    y = td.add(y, v, name="sum")
                    session.run(v.initializer)
                    result = session.run(y, {x: [0, 1, 2]})
                    expected = number * (number + 1) / 2
                    assert result.tolist() == [expected, expected + 1, expected + 2]
                    assert y.shape.as_list() == [3]

        together(work)
    names = [op.name for op in graph.get_operations()]
    assert len(set(names)) == len(names)
    assert all(op.index == i for i, op in enumerate(graph.get_operations()))
    with graph.as_default():
        assert len(td.global_variables()) == 12 * THREADS
    with td.Graph().as_default():
        td.import_graph_def(graph.as_graph_def())


def test_one_variable_is_got_by_all_threads() -> None:
    graph = td.Graph()
    found: list[td.Variable] = []

    def work(i: int) -> None:
        del i
        for number in range(25):
            with graph.as_default(), td.variable_scope("shared", reuse=td.AUTO_REUSE):
                found.append(td.get_variable(f"v{number}", [2]))
        with graph.as_default():
            assert td.get_variable_scope().name == ""

    together(work)
    assert len(found) == 25 * THREADS
    assert len(set(map(id, found))) == 25


def test_names_and_numbers_of_ops_are_given_once() -> None:
    graph = td.Graph()

    def work(i: int) -> None:
        del i
        with graph.as_default():
            for _ in range(60):
                td.constant(1, name="c")
                td.no_op(name="C")

    together(work)
    ops = graph.get_operations()
    assert len(ops) == len({op.name.lower() for op in ops}) == 120 * THREADS
    assert [op.index for op in ops] == list(range(len(ops)))


def test_a_variable_has_one_value_whoever_uses_it_first() -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        x = td.placeholder(td.int32, [])
        variables = [td.Variable(0) for _ in range(15)]
        assigned = [[v.assign(x) for _ in range(THREADS)] for v in variables]
        graph.finalize()

        def work(i: int) -> None:
            for ops in assigned:
                session.run(ops[i].op, {x: i})

        together(work)
        for v, ops in zip(variables, assigned, strict=True):
            for number, op in enumerate(ops):
                session.run(op.op, {x: 100 + number})
                assert session.run(v) == 100 + number


def test_sessions_in_threads_share_nothing() -> None:
    with td.Graph().as_default() as graph:
        v = td.Variable(0)
        add = v.assign_add(1)

    def work(i: int) -> None:
        with td.Session(graph=graph) as session:
            session.run(v.initializer)
            for number in range(i + 1):
                assert session.run(add) == number + 1

    together(work)
