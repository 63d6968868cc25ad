"""Branches, loops and calls written without functions, and variables that bodies change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
BODIES = {"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"}


def kinds(graph_def: td.GraphDef) -> set[str]:
    return {node.op for node in graph_def.node}


def again(graph_def: td.GraphDef) -> td.Graph:
    with td.Graph().as_default() as copy:
        td.import_graph_def(graph_def, name="")
    return copy


def check(feed: Any, *fetches: td.Tensor) -> td.GraphDef:
    """Checks that a graph computes the same when it is written without functions, and read."""
    graph = fetches[0].graph
    names = [tensor.name for tensor in fetches]
    with td.Session(graph=graph) as session:
        expected = session.run(names, feed)
    lowered = graph.as_graph_def(control_flow="lowered")
    assert not kinds(lowered) & BODIES
    assert not lowered.library.function
    copy = again(lowered)
    assert not {op.type for op in copy.get_operations()} & {"Merge", "Enter", "Exit"}
    assert copy.as_graph_def() == lowered
    with td.Session(graph=copy) as session:
        found = session.run(names, {key.name: item for key, item in feed.items()})
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    return lowered


def test_a_branch() -> None:
    p, x = td.placeholder(td.bool, []), td.placeholder(td.float32, [None])
    y = td.cond(p, lambda: x * 2.0, lambda: td.constant([7.0]))
    lowered = check({p: True, x: [1, 2]}, y)
    assert check({p: False, x: [1, 2]}, y) == lowered
    [merge] = [node for node in lowered.node if node.op == "Merge"]
    assert merge.name == "cond/Merge"  # it has the name of the result


def test_a_loop_keeps_names() -> None:
    n, x = td.placeholder(td.int32, []), td.placeholder(td.float32, [2])
    factor = td.constant([2.0, 3.0])
    i, y = td.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * factor), [0, x])
    lowered = check({n: 3, x: [1, 1]}, i, y)
    assert check({n: 0, x: [1, 1]}, i, y) == lowered
    exits = [node.name for node in lowered.node if node.op == "Exit"]
    assert exits == ["while/Exit", "while/Exit_1"]
    constant = [node.attr["is_constant"].b for node in lowered.node if node.op == "Enter"]
    assert sorted(constant) == [False, False, True, True]


def test_nests() -> None:
    n, p = td.placeholder(td.int32, []), td.placeholder(td.bool, [])

    def step(i: Any, total: Any) -> Any:
        extra = td.cond(i > 2, lambda: total * 2, lambda: td.constant(1))
        inner = td.while_loop(lambda j: j < i, lambda j: j + 2, [0], maximum_iterations=3)
        return i + 1, total + td.cond(p, lambda: extra, lambda: inner)

    y = td.cond(p, lambda: td.while_loop(lambda i, t: i < n, step, [0, 0])[1], lambda: -n)
    outside = td.while_loop(lambda i, t: i < n, step, [0, 0])[1]
    for taken in (True, False):
        check({n: 5, p: taken}, y, outside)


def test_branches_by_number() -> None:
    i, x = td.placeholder(td.int32, []), td.placeholder(td.float32, [])
    y = td.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: td.constant(3.0)])
    for number in (-1, 0, 1, 2, 9):
        assert "_SwitchN" in kinds(check({i: number, x: 5.0}, y))


def test_arrays_and_lists() -> None:
    x = td.placeholder(td.float32, [None, 2])
    array = td.TensorArray(td.float32, size=0, dynamic_size=True)
    number = td.shape(x)[0]

    def step(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x[i] * 2.0)

    _, array = td.while_loop(lambda i, _: i < number, step, (0, array))
    sums = td.map_fn(td.reduce_sum, x)
    check({x: [[1, 2], [3, 4], [5, 6]]}, array.stack(), sums, td.scan(lambda a, b: a + b, x))


def test_what_only_reads_from_outside_does_not_run_after_the_end() -> None:
    n, x = td.placeholder(td.int32, []), td.placeholder(td.int32, [])

    def step(i: Any) -> Any:
        with td.control_dependencies([td.Assert(x > 0, [x])]):
            return i + 10 // x

    y = td.while_loop(lambda i: i < n, step, [0])
    lowered = again(td.get_default_graph().as_graph_def(control_flow="lowered"))
    with td.Session(graph=lowered) as session:
        assert session.run(y.name, {n.name: 0, x.name: 0}) == 0
        assert session.run(y.name, {n.name: 3, x.name: 5}) == 4
        with pytest.raises(td.errors.InvalidArgumentError, match="assertion failed"):
            session.run(y.name, {n.name: 3, x.name: 0})


# Variables held by reference ----------------------------------------------------------------------


def held_by_reference() -> Any:
    """A graph that changes such variables in branches and loops, and what it computes."""
    n, p = td.placeholder(td.int32, [], name="n"), td.placeholder(td.bool, [], name="p")
    v = td.Variable(1.0, name="v")
    w = td.get_variable("w", [2], initializer=td.zeros_initializer())
    branch = td.cond(p, lambda: td.assign_add(v, 2.0), lambda: td.assign(v, v * 10.0))

    def add(i: Any, total: Any) -> Any:
        with td.control_dependencies([td.assign_add(w, [1.0, 2.0])]):
            return i + 1, total + td.reduce_sum(w.read_value())

    total = td.while_loop(lambda i, _: i < n, add, [0, 0.0])[1]

    def maybe(i: Any) -> Any:
        change = td.cond(i > 1, lambda: td.assign_add(v, 1.0).op, td.no_op)
        with td.control_dependencies([change]):
            return i + 1

    rounds = td.while_loop(lambda i: i < n, maybe, [0])
    init = td.global_variables_initializer()
    return [tensor.name for tensor in (branch, total, rounds, v.read_value())], init.name


def results(graph: td.Graph, names: list[str], init: str) -> list[float]:
    branch, total, rounds, value = names
    with td.Session(graph=graph) as session:
        session.run(init)
        feed = {"n:0": 3, "p:0": True}
        found = [session.run(branch, feed)]
        feed["p:0"] = False
        found += [session.run(name, feed) for name in (branch, total, total, rounds)]
        return [float(item) for item in (*found, session.run(value))]


def test_bodies_change_variables_held_by_reference(graph: td.Graph) -> None:
    expected = [3.0, 30.0, 18.0, 45.0, 3.0, 31.0]  # as TensorFlow computes in the written graph
    made = held_by_reference()
    assert results(graph, *made) == expected
    for form in (None, "lowered"):
        written = graph.as_graph_def(control_flow=form)
        assert not kinds(written) & BODIES
        assert {"RefSwitch", "RefEnter"} <= kinds(written)
        copy = again(written)
        assert {"If", "While"} <= {op.type for op in copy.get_operations()}
        assert results(copy, *made) == expected
        assert copy.as_graph_def() == written


def test_only_what_takes_references_is_lowered_by_itself(graph: td.Graph) -> None:
    p, v = td.placeholder(td.bool, []), td.Variable(1.0)
    td.cond(p, lambda: td.assign(v, 2.0), lambda: td.constant(1.0))
    td.cond(p, lambda: td.constant(2.0), lambda: td.constant(1.0))
    assert {"RefSwitch", "StatelessIf"} <= kinds(graph.as_graph_def())


def test_variables_behind_handles_in_loops() -> None:
    n = td.placeholder(td.int32, [])
    v = td.get_variable("v", [], initializer=td.zeros_initializer(), use_resource=True)

    def step(i: Any) -> Any:
        with td.control_dependencies([v.assign_add(2.0)]):
            return i + 1

    rounds = td.while_loop(lambda i: i < n, step, [0])
    with td.control_dependencies([rounds]):
        after = v.read_value()
    written = td.get_default_graph().as_graph_def(control_flow="lowered")
    for graph in (td.get_default_graph(), again(written)):
        with td.Session(graph=graph) as session:
            session.run(v.initializer.name)
            assert session.run(after.name, {n.name: 4}) == 8


def test_what_cannot_be_written(graph: td.Graph) -> None:
    v, i = td.Variable(1.0), td.placeholder(td.int32, [])
    td.switch_case(i, [lambda: td.assign(v, 2.0), lambda: td.constant(1.0)])
    with pytest.raises(TypeError, match="held by reference"):
        graph.as_graph_def()
    with pytest.raises(ValueError, match="control_flow must be"):
        graph.as_graph_def(control_flow="functional")


def test_a_file_cannot_pass_references_to_functions(graph: td.Graph) -> None:
    p, v = td.placeholder(td.bool, []), td.Variable(1.0)
    td.cond(p, lambda: v * 2.0, v.value)
    written = graph.as_graph_def()
    [node] = [node for node in written.node if node.op == "StatelessIf"]
    node.input[1] = "Variable"
    node.attr["Tin"].list.type[0] = td.float32_ref.as_datatype_enum
    with pytest.raises(ValueError, match="where the op has"):
        again(written)


def test_files_without_functions(tmp_path: Path, graph: td.Graph) -> None:
    n = td.placeholder(td.int32, [], name="n")
    td.while_loop(lambda i: i < n, lambda i: i + 2, [0])
    whole, lowered = str(tmp_path / "whole.pb"), str(tmp_path / "lowered.pb")
    td.save_graph(graph, whole)
    td.save_graph(td.load_graph(whole).as_graph_def(), lowered, control_flow="lowered")
    written = td.GraphDef.FromString(Path(lowered).read_bytes())
    assert "Enter" in kinds(written)
    assert not written.library.function
    with td.Session(graph=td.load_graph(lowered)) as session:
        assert session.run("while/Exit:0", {"n:0": 5}) == 6
