"""Graph files of other TensorFlow versions: attrs that one side knows and the other does not."""

from __future__ import annotations

import re

import pytest

import tensordraft as td
from tensordraft.graph.registry import definitions
from tensordraft.protos import attr_history
from tensordraft.protos.attr_history import added_attrs
from tensordraft.protos.messages import OpDef as OpDefProto, OpList

pytestmark = pytest.mark.usefixtures("graph")


def node_of(op_type: str, producer: int, **attrs: td.AttrValue) -> td.GraphDef:
    """A node `y` of a type with one input, which is `x`, a float placeholder."""
    with td.Graph().as_default() as graph:
        td.placeholder(td.float32, [2, 3], name="x")
    graph_def = graph.as_graph_def()
    graph_def.versions.producer = producer
    node = graph_def.node.add(name="y", op=op_type, input=["x"])
    for name, value in attrs.items():
        node.attr[name].CopyFrom(value)
    return graph_def


FLOAT = td.AttrValue(type=1)
INT = td.AttrValue(type=3)


def test_the_history_names_attrs_of_ops_that_are_here() -> None:
    for definition in definitions():
        for name, added in added_attrs(definition.name).items():
            assert name in definition.signature.attrs, f"{definition.name}.{name}"
            assert added.producer in (17, 21, 24, 26, 27, 2474)


def test_the_history_is_in_the_grammar() -> None:
    lines = re.sub(r"\n  ", " ", attr_history._HISTORY).strip().split("\n")
    assert lines == sorted(lines, key=lambda line: line.partition(":")[0])
    assert added_attrs("NoSuchOp") == {}
    assert added_attrs("Conv2D")["explicit_paddings"].text == "list(int) = []"


def test_attrs_of_later_versions_take_their_defaults(graph: td.Graph) -> None:
    td.import_graph_def(node_of("Cast", 17, SrcT=FLOAT, DstT=INT), name="")
    assert graph.get_operation_by_name("y").get_attr("Truncate") is False


def test_an_unknown_attr_of_no_version_is_kept_and_not_read(graph: td.Graph) -> None:
    odd = td.AttrValue(i=7)
    td.import_graph_def(node_of("Neg", 2474, T=FLOAT, odd=odd), name="")
    assert graph.as_graph_def().node[-1].attr["odd"] == odd


def test_an_unknown_attr_of_a_newer_version_is_refused() -> None:
    graph_def = node_of("Neg", 9999, T=FLOAT, rounding=td.AttrValue(s=b"up"))
    with pytest.raises(ValueError, match=r"Neg has no attr 'rounding' here") as caught:
        td.import_graph_def(graph_def)
    assert "written by version 9999, this library knows version 2474" in str(caught.value)
    assert "in the node 'y' (Neg)" in str(caught.value)


def test_a_missing_attr_tells_both_versions() -> None:
    with pytest.raises(ValueError, match=r"needs the attr 'DstT'; .* version 21, .* version 2474"):
        td.import_graph_def(node_of("Cast", 21, SrcT=FLOAT))


def producer_list(default: bytes) -> OpList:
    definition = OpDefProto(name="Neg")
    attr = definition.attr.add(name="rounding", type="string")
    attr.default_value.s = default
    return OpList(op=[definition])


def test_defaults_of_the_producer_are_dropped(graph: td.Graph) -> None:
    graph_def = node_of("Neg", 9999, T=FLOAT, rounding=td.AttrValue(s=b"up"))
    td.import_graph_def(graph_def, name="", producer_op_list=producer_list(b"up"))
    assert "rounding" not in graph.as_graph_def().node[-1].attr
    with pytest.raises(ValueError, match="rounding"):
        td.import_graph_def(graph_def, producer_op_list=producer_list(b"down"))
    with pytest.raises(TypeError, match="producer_op_list must be an OpList, got 'list'"):
        td.import_graph_def(graph_def, producer_op_list=[])


def test_default_attrs_can_be_left_out(graph: td.Graph) -> None:
    graph_def = node_of("Cast", 2474, SrcT=FLOAT, DstT=INT)
    td.import_graph_def(graph_def, name="")
    full = graph.as_graph_def().node[-1]
    short = graph.as_graph_def(strip_default_attrs=True).node[-1]
    assert sorted(full.attr) == ["DstT", "SrcT", "Truncate"]
    assert sorted(short.attr) == ["DstT", "SrcT"]


def test_only_what_is_new_can_be_written(graph: td.Graph) -> None:
    td.constant(1, name="old")
    version = graph.version
    td.constant(2, name="new")
    assert [node.name for node in graph.as_graph_def(from_version=version).node] == ["new"]


def test_reference_types_are_refused() -> None:
    with pytest.raises(ValueError, match="reference type float32_ref"):
        td.import_graph_def(node_of("Neg", 2474, T=td.AttrValue(type=101)))


@pytest.mark.parametrize(
    "value", [td.AttrValue(i=1), td.AttrValue(list={"i": [1]}), td.AttrValue(list={"s": [b""]})]
)
def test_stated_shapes_must_be_shapes(value: td.AttrValue) -> None:
    with pytest.raises(ValueError, match="_output_shapes must be a list of shapes"):
        td.import_graph_def(node_of("Neg", 2474, T=FLOAT, _output_shapes=value))


@pytest.mark.parametrize("producer", [0, 21, 22, 2474])
def test_old_placeholders_of_shape_nothing_have_no_known_shape(
    graph: td.Graph, producer: int
) -> None:
    graph_def = td.GraphDef()
    graph_def.versions.producer = producer
    node = graph_def.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.SetInParent()
    rank = None if producer <= 21 else 0
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("x:0").shape.rank == rank
    td.import_graph_def(graph.as_graph_def(), name="again")
    assert graph.get_tensor_by_name("again/x:0").shape.rank == rank
