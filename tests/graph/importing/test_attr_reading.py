"""Attrs that nodes of a GraphDef have in common, and the order in which nodes are added."""

from __future__ import annotations

import numpy as np
import pytest
from effort import examples as tries
from hypothesis import given, strategies as st

import tensordraft as td
from tensordraft.graph.importing import attr_reading
from tensordraft.graph.importing.attr_reading import WireNode
from tensordraft.graph.importing.importer import import_whole
from tensordraft.protos.messages import NodeDef

names = st.text("abcxyz/_09", min_size=1, max_size=200)


@tries(60)
@given(names, names, st.lists(st.one_of(names, names.map("^{}".format)), max_size=5), names, names)
def test_a_node_is_read_from_its_bytes(
    name: str, op: str, inputs: list[str], device: str, text: str
) -> None:
    node = NodeDef(name=name, op=op, input=inputs, device=device)
    node.attr["text"].s = text.encode()
    wire = WireNode.of(node)
    assert wire.inputs == inputs
    assert wire.size == node.ByteSize()
    assert wire.rest is not None
    rest = NodeDef.FromString(wire.rest)
    assert (rest.name, rest.op, list(rest.input)) == ("", "", [])
    assert (rest.device, rest.attr["text"].s) == (device, text.encode())


def test_what_is_long_is_not_compared() -> None:
    node = NodeDef(name="x", op="Const")
    node.attr["value"].tensor.tensor_content = bytes(5_000)
    assert WireNode.of(node).rest is None


def constants(*values: float) -> td.Graph:
    with td.Graph().as_default() as graph:
        for value in values:
            td.constant(value, td.float32)
    return graph


@pytest.mark.parametrize("kept", [0, 1, 4_096])
def test_equal_attrs_are_one_object_and_others_are_not(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attr_reading, "_MOST_KEPT", kept)
    graph_def = constants(0.0, -0.0, 0.0, np.nan, 0.0).as_graph_def()
    graph = import_whole(graph_def)
    first, second, third, *_ = graph.get_operations()
    assert first.attrs is not second.attrs
    assert (first.attrs is third.attrs) == (kept > 1)
    with td.Session(graph=graph) as session:
        found = session.run([op.outputs[0] for op in graph.get_operations()])
    assert [str(value) for value in found] == ["0.0", "-0.0", "0.0", "nan", "0.0"]
    assert graph.as_graph_def() == graph_def


def squeezed() -> td.GraphDef:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [1, 2], name="x")
        for name in ("a", "b"):
            td.squeeze(x, [0], name=name)
    return graph.as_graph_def()


def test_a_list_from_get_attr_is_the_callers_own() -> None:
    graph = import_whole(squeezed())
    a, b = (graph.get_operation_by_name(name) for name in "ab")
    assert a.attrs is b.attrs
    a.get_attr("squeeze_dims").append(5)
    assert b.get_attr("squeeze_dims") == a.get_attr("squeeze_dims") == [0]


def test_colocation_blocks_leave_the_attrs_of_others_as_they_are() -> None:
    with td.Graph().as_default() as graph:
        place = td.constant(1.0, name="place")
        with graph.colocate_with(place.op):
            td.import_graph_def(squeezed(), name="inside")
        td.import_graph_def(squeezed(), name="outside")
    inside = graph.get_operation_by_name("inside/b")
    assert inside.colocation_groups() == [b"loc:@place"]
    assert graph.get_operation_by_name("outside/b").colocation_groups() == [b"loc:@outside/b"]


def test_devices_are_those_of_each_node() -> None:
    graph_def = squeezed()
    graph_def.node[2].device = "/cpu:0"
    graph = import_whole(graph_def)
    assert [op.device for op in graph.get_operations()] == ["", "", "/cpu:0"]


def chain(order: str) -> td.GraphDef:
    """`a` to `f`, each the negative of the one before, in the given order."""
    graph_def = td.GraphDef()
    for name in order:
        node = graph_def.node.add(name=name, op="Placeholder" if name == "a" else "Neg")
        node.attr["dtype" if name == "a" else "T"].type = td.float32.as_datatype_enum
        if name != "a":
            node.input.append(chr(ord(name) - 1))
    return graph_def


@pytest.mark.parametrize("order", ["abcdef", "fedcba", "abfced", "abdcfe"])
def test_what_precedes_its_inputs_is_put_behind_them(order: str) -> None:
    reports: list[tuple[str, int, int]] = []
    graph = import_whole(chain(order), progress=lambda *report: reports.append(report))
    assert [op.name for op in graph.get_operations()] == list("abcdef")
    assert reports == [("nodes", 0, 6)]


def test_that_there_is_no_order_comes_before_other_errors() -> None:
    graph_def = chain("abcdef")
    graph_def.node[1].attr["T"].type = 0
    graph_def.node[5].input[0] = "f"
    with pytest.raises(ValueError, match=r"cycle: 'f' -> 'f'"):
        import_whole(graph_def)
    graph_def.node[5].input[0] = "gone"
    with pytest.raises(ValueError, match="no node is named 'gone'"):
        import_whole(graph_def)
    graph_def.node[5].input[0] = "e"
    with pytest.raises(ValueError, match=r"in the node 'b' \(Neg\)"):
        import_whole(graph_def)


def test_names_of_imported_nodes_are_taken() -> None:
    graph = import_whole(chain("abcdef"))
    with graph.as_default():
        assert [td.constant(1.0, name=name).op.name for name in ("A", "b", "g")] == [
            "A_1",
            "b_1",
            "g",
        ]
