"""Loops of files that cannot work: one clear error each; what can be shown is shown."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td


def loop(form: str | None) -> Any:
    """A loop that doubles what it begins with, as nodes or as functions."""
    with td.Graph().as_default() as graph:
        n = td.placeholder(td.float32, [], name="n")
        y = td.while_loop(lambda y: y < 9.0, lambda y: td.multiply(y, 2.0, name="twice"), [n])
        td.identity(y, name="out")
    return graph.as_graph_def(control_flow=form)


def imported(graph_def: Any) -> td.Graph:
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    return graph


@pytest.mark.parametrize("place", ["inside", "outside"])
def test_an_op_of_an_unknown_type(place: str) -> None:
    graph_def = loop("lowered")
    if place == "inside":
        next(node for node in graph_def.node if node.name.endswith("twice")).op = "Martian"
    else:
        graph_def.node.add(name="stranger", op="Martian")
        next(node for node in graph_def.node if node.op == "Enter").input[0] = "stranger"
    graph = imported(graph_def)
    assert list(graph.as_graph_def().node) == list(graph_def.node)
    assert td.check_graph(graph).unregistered == (
        {} if place == "inside" else {"Martian": ["stranger"]}
    )
    with (
        td.Session(graph=graph) as session,
        pytest.raises(td.errors.UnimplementedError, match="Martian has no kernel"),
    ):
        session.run("out:0", {"n:0": 1.0})


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ("result", "does not say what its result 'out_0' is"),
        ("inputs", r"takes \(float32, float32\), where the op has \(float32\)"),
        ("condition", "must return one tensor, got 2"),
        ("missing", "no function named 'nothing'"),
        ("dtype", "must be int32, got float32 from 'n:0'"),
    ],
)
def test_functions_that_do_not_fit(change: str, clause: str) -> None:
    graph_def = loop(None)
    node = next(node for node in graph_def.node if node.op.endswith("While"))
    functions = {item.signature.name: item for item in graph_def.library.function}
    cond, body = (functions[node.attr[name].func.name] for name in ("cond", "body"))
    if change == "result":
        body.ret.clear()
    elif change == "inputs":
        body.signature.input_arg.add(name="more", type=1)
    elif change == "condition":
        cond.signature.output_arg.add(name="more", type=10)
        cond.ret["more"] = next(iter(cond.ret.values()))
    elif change == "missing":
        node.attr["body"].func.name = "nothing"
    else:
        node.attr["T"].list.type[0] = 3
    with pytest.raises(ValueError, match=clause):
        imported(graph_def)


def test_functions_that_call_each_other_for_ever() -> None:
    graph_def = td.GraphDef()
    for name, other in (("f", "g"), ("g", "f")):
        function = graph_def.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        function.node_def.add(name="call", op=other, input=["x"])
        function.ret["y"] = "call:y:0"
    graph_def.node.add(name="n", op="Placeholder").attr["dtype"].type = 1
    graph_def.node.add(name="out", op="f", input=["n"])
    with pytest.raises(ValueError, match="the functions form a cycle: 'g' -> 'f' -> 'g'"):
        imported(graph_def)


def test_a_placeholder_of_a_branch_that_states_no_dtype() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [], name="x")
        td.cond(x > 1.0, lambda: x * 2.0, lambda: x + 1.0)
    graph_def = graph.as_graph_def(control_flow="lowered")
    [node] = [node for node in graph_def.node if node.name == "x"]
    node.attr["dtype"].Clear()
    with pytest.raises(ValueError, match="attr 'dtype' of Placeholder: the attr has no value"):
        imported(graph_def)
