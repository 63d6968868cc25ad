"""Branches, loops and calls that a graph makes in its run, as TensorFlow 2 writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from harness import covers
from places import created_in

import tensordraft as td

OPS = """
If StatelessIf Case StatelessCase While StatelessWhile PartitionedCall
StatefulPartitionedCall
"""
covers(*OPS.split())


def function(name: str, inputs: str, outputs: str, nodes: str, returns: str) -> str:
    """A function of a library: arguments as `a:DT_INT32`, returned tensors as `a=node:z:0`."""
    args = [text.split(":") for text in inputs.split()]
    results = [text.split(":") for text in outputs.split()]
    pairs = [text.split("=") for text in returns.split()]
    return "\n".join(
        [
            f'function {{ signature {{ name: "{name}"',
            *[f'input_arg {{ name: "{arg}" type: {kind} }}' for arg, kind in args],
            *[f'output_arg {{ name: "{arg}" type: {kind} }}' for arg, kind in results],
            "}",
            nodes,
            *[f'ret {{ key: "{key}" value: "{value}" }}' for key, value in pairs],
            "}",
        ]
    )


def node(name: str, op: str, *inputs: str, field: str = "node_def", **attrs: str) -> str:
    """A node in text form."""
    texts = [f'input: "{text}"' for text in inputs]
    texts += [f'attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attrs.items()]
    return f'{field} {{ name: "{name}" op: "{op}" {" ".join(texts)} }}'


def types(*names: str) -> str:
    return f"list {{ {' '.join(f'type: {name}' for name in names)} }}"


def func(*names: str) -> str:
    if len(names) == 1:
        return f'func {{ name: "{names[0]}" }}'
    return "list { " + " ".join(f'func {{ name: "{name}" }}' for name in names) + " }"


def scalar(name: str, value: int) -> str:
    tensor = f"tensor {{ dtype: DT_INT32 tensor_shape {{ }} int_val: {value} }}"
    return node(name, "Const", dtype="type: DT_INT32", value=tensor)


INT = "type: DT_INT32"
SHAPES = {
    name: f"shape {{ {' '.join(f'dim {{ size: {n} }}' for n in sizes)} }}"
    for name, sizes in {"scalar": (), "vector": (-1,), "three": (3,)}.items()
}


def binary(name: str, op: str) -> str:
    return function(
        name,
        "a:DT_INT32",
        "b:DT_INT32",
        scalar("n", 3) + node("op", op, "a", "n:output:0", T=INT),
        "b=op:z:0",
    )


LESS = function(
    "Less100",
    "a:DT_INT32 b:DT_INT32",
    "c:DT_BOOL",
    scalar("n", 100) + node("op", "Less", "a", "n:output:0", T=INT),
    "c=op:z:0",
)
STEP = function(
    "Step",
    "a:DT_INT32 b:DT_INT32",
    "c:DT_INT32 d:DT_INT32",
    scalar("n", 2)
    + node("twice", "Mul", "a", "n:output:0", T=INT)
    + node("sum", "AddV2", "a", "b", T=INT),
    "c=twice:z:0 d=sum:z:0",
)
DIVIDE = function(
    "Divide",
    "a:DT_INT32 b:DT_INT32",
    "c:DT_INT32 d:DT_INT32",
    scalar("n", 2)
    + node("twice", "Mul", "a", "n:output:0", T=INT)
    + scalar("many", 16)
    + node("rest", "Sub", "many:output:0", "a", T=INT)
    + node("quotient", "FloorDiv", "b", "rest:z:0", T=INT),
    "c=twice:z:0 d=quotient:z:0",
)
FOREVER = function("Forever", "a:DT_INT32 b:DT_INT32", "c:DT_INT32 d:DT_INT32", "", "c=b d=b")
LIBRARY = binary("Add3", "AddV2") + binary("Times3", "Mul") + LESS + STEP + DIVIDE + FOREVER


def graph_of(*nodes: str, library: str = LIBRARY) -> td.Graph:
    graph_def = text_format.Parse("\n".join([*nodes, f"library {{ {library} }}"]), td.GraphDef())
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    return graph


def placeholder(name: str, shape: str = "scalar", dtype: str = "DT_INT32") -> str:
    return node(name, "Placeholder", field="node", dtype=f"type: {dtype}", shape=SHAPES[shape])


def branch(op: str, **attrs: str) -> str:
    listed = types("DT_INT32")
    return node("y", op, "i", "x", field="node", Tin=listed, Tout=listed, **attrs)


def loop(op: str = "StatelessWhile", cond: str = "Less100", body: str = "Step") -> str:
    listed = types("DT_INT32", "DT_INT32")
    return node("y", op, "i", "x", field="node", T=listed, cond=func(cond), body=func(body))


def value(graph: td.Graph, fetch: str = "y:0", **feeds: Any) -> Any:
    with td.Session(graph=graph) as session:
        return session.run(fetch, {f"{name}:0": item for name, item in feeds.items()})


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
def test_a_branch(op: str) -> None:
    attrs = {"then_branch": func("Add3"), "else_branch": func("Times3"), "Tcond": "type: DT_BOOL"}
    graph = graph_of(
        placeholder("i", dtype="DT_BOOL"), placeholder("x", "three"), branch(op, **attrs)
    )
    assert graph.get_tensor_by_name("y:0").shape.as_list() == [3]
    assert value(graph, i=True, x=[1, 2, 3]).tolist() == [4, 5, 6]
    assert value(graph, i=False, x=[1, 2, 3]).tolist() == [3, 6, 9]
    again = td.Graph()
    with again.as_default():
        td.import_graph_def(graph.as_graph_def(), name="")
    assert again.as_graph_def() == graph.as_graph_def()
    assert value(again, i=True, x=[1, 2, 3]).tolist() == [4, 5, 6]


@pytest.mark.parametrize("op", ["Case", "StatelessCase"])
def test_one_of_several_branches(op: str) -> None:
    graph = graph_of(
        placeholder("i"), placeholder("x"), branch(op, branches=func("Add3", "Times3"))
    )
    assert [value(graph, i=i, x=5).item() for i in (0, 1, 2, -1)] == [8, 15, 15, 15]


@pytest.mark.parametrize("op", ["While", "StatelessWhile"])
def test_a_loop(op: str) -> None:
    graph = graph_of(placeholder("i"), placeholder("x"), loop(op))
    with td.Session(graph=graph) as session:
        for start in (1, 3, 5, 100, 200):  # a body that has run a few times is compiled
            i, total = start, 0
            while i < 100:
                i, total = i * 2, total + i
            results = session.run(["y:0", "y:1"], {"i:0": start, "x:0": 0})
            assert [item.item() for item in results] == [i, total]


def test_calls_that_are_not_inlined() -> None:
    graph = td.Graph()
    with graph.as_default():
        x = td.placeholder(td.int32, [None], name="x")
        graph_def = text_format.Parse(f"library {{ {LIBRARY} }}", td.GraphDef())
        td.import_graph_def(graph_def, name="")
        for op in ("PartitionedCall", "StatefulPartitionedCall"):
            f = text_format.Parse('name: "Add3"', td.AttrValue().func)
            made = graph.create_op(op, [x], attrs={"Tin": [td.int32], "Tout": [td.int32], "f": f})
            assert value(graph, made.outputs[0].name, x=[1, 2]).tolist() == [4, 5]
            assert made.outputs[0].shape.as_list() == [None]


def test_shapes_that_change_are_unknown_and_others_stay() -> None:
    graph = graph_of(placeholder("i", "vector"), placeholder("x", "three"), loop())
    shapes = [graph.get_tensor_by_name(name).shape.as_list() for name in ("y:0", "y:1")]
    assert shapes[0] == [None]
    assert shapes[1] == [3] or shapes[1] == [None]


def test_an_error_tells_op_line_and_round() -> None:
    graph = graph_of(placeholder("i"), placeholder("x"), loop(body="Divide"))
    for start, number in ((1, 5), (4, 3), (16, 1), (1, 5), (1, 5)):
        with pytest.raises(td.errors.InvalidArgumentError) as caught:
            value(graph, i=start, x=9)
        assert f"in 'quotient' (FloorDiv), {created_in(__file__)}" in str(caught.value)
        assert f"in round {number}" in str(caught.value)


def test_a_loop_without_end_is_given_up() -> None:
    graph = graph_of(placeholder("i"), placeholder("x"), loop(body="Forever"))
    options = td.RunOptions(timeout_in_ms=30)
    with (
        td.Session(graph=graph) as session,
        pytest.raises(td.errors.DeadlineExceededError, match="given up inside a loop"),
    ):
        session.run("y:0", {"i:0": 1, "x:0": 1}, options)


def test_a_loop_over_constants_is_left_to_the_run() -> None:
    graph = graph_of(
        scalar("i", 1).replace("node_def", "node"),
        scalar("x", 1).replace("node_def", "node"),
        loop(body="Forever"),
    )
    assert graph.get_tensor_by_name("y:0").shape.as_list() == []


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (loop(cond="Nothing"), "no function named 'Nothing'"),
        (loop(body="Less100"), "'Less100' returns"),
        (loop(cond="Add3"), "'Add3' takes"),
        (loop(cond="Step"), "must return one tensor, got 2"),
    ],
)
def test_loops_that_do_not_fit(made: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph_of(placeholder("i"), placeholder("x"), made)


def test_functions_that_call_each_other_for_ever() -> None:
    listed = types("DT_INT32")
    again = function(
        "Again",
        "a:DT_INT32",
        "b:DT_INT32",
        scalar("n", 1)
        + node(
            "y",
            "StatelessIf",
            "n:output:0",
            "a",
            Tcond=INT,
            Tin=listed,
            Tout=listed,
            then_branch=func("Again"),
            else_branch=func("Add3"),
        ),
        "b=y:output:0",
    )
    attrs = {"then_branch": func("Again"), "else_branch": func("Add3"), "Tcond": INT}
    graph = graph_of(
        placeholder("i"), placeholder("x"), branch("StatelessIf", **attrs), library=LIBRARY + again
    )
    assert value(graph, i=0, x=1) == np.int32(4)
    with pytest.raises(td.errors.ResourceExhaustedError, match="too deep"):
        value(graph, i=1, x=1)
