"""Shapes that files state of the outputs of nodes: what counts, and what is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from places import GOLDEN

import tensordraft as td
from tensordraft.cli.main import main
from tensordraft.graph.stated_shapes import state_shapes


def node(graph_def: td.GraphDef, name: str) -> td.NodeDef:
    return next(node for node in graph_def.node if node.name == name)


def test_stated_shapes_refine_what_is_inferred(graph: td.Graph) -> None:
    with td.Graph().as_default() as source:
        x = td.placeholder(td.float32, name="x")
        x.set_shape([None, 3])
        td.identity(x, name="y")
    graph_def = source.as_graph_def(add_shapes=True)
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("y:0").shape.as_list() == [None, 3]
    assert "_output_shapes" not in graph.as_graph_def().node[0].attr


def test_shapes_stated_of_handles_do_not_count(graph: td.Graph) -> None:
    with td.Graph().as_default() as source:
        td.TensorArray(td.float32, 3).write(0, 1.0)
        graph_def = source.as_graph_def(add_shapes=True)
    array = next(node for node in graph_def.node if node.op == "TensorArrayV3")
    array.attr["_output_shapes"].list.shape[0].CopyFrom(td.TensorShape([2]).as_proto())
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name(f"{array.name}:0").shape.as_list() == []


def stale() -> td.GraphDef:
    """A graph that states shapes of an op, and of what follows, which they cannot have."""
    with td.Graph().as_default() as source:
        x = td.placeholder(td.float32, [None, 3], name="x")
        y = td.identity(x, name="y")
        td.reshape(y, td.placeholder(td.int32, name="sizes"), name="z")
    graph_def = source.as_graph_def(add_shapes=True)
    node(graph_def, "y").attr["_output_shapes"].list.shape[0].dim[1].size = 4
    shape = node(graph_def, "z").attr["_output_shapes"].list.shape[0]
    shape.unknown_rank = False
    shape.dim.add(size=4)
    return graph_def


def test_what_is_inferred_wins_over_stated_shapes(graph: td.Graph) -> None:
    graph_def = stale()
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("y:0").shape.as_list() == [None, 3]
    assert graph.get_tensor_by_name("z:0").shape.ndims is None
    assert td.check_graph(graph_def).ok
    del node(graph_def, "y").attr["_output_shapes"].list.shape[:]
    assert td.check_graph(graph_def).ok
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(graph_def, name="")
        assert session.run("z:0", {"x:0": [[1.0] * 3] * 2, "sizes:0": [6]}).tolist() == [1] * 6


def test_a_stale_batch_normalization_loads(graph: td.Graph) -> None:
    """TensorFlow up to 1.14 stated (4,) where attrs that are set later make it (0,)."""
    with td.Graph().as_default() as source:
        image = td.placeholder(td.float32, [2, 3, 3, 4], name="x")
        four = td.ones([4])
        y, _, _ = td.nn.fused_batch_norm(image, four, four, four, four, is_training=False)
        td.gradients(y, [image])
    graph_def = source.as_graph_def(add_shapes=True)
    gradient = next(item for item in graph_def.node if item.op.startswith("FusedBatchNormGrad"))
    for shape in gradient.attr["_output_shapes"].list.shape[3:]:
        shape.ClearField("dim")
        shape.dim.add(size=4)
    td.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name(f"{gradient.name}:3").shape.as_list() == [0]
    assert td.check_graph(graph_def).ok


def stated(node: td.NodeDef) -> list[str]:
    return [str(td.TensorShape(shape)) for shape in node.attr["_output_shapes"].list.shape]


def test_annotated_files_are_such_as_tensorflow_takes(tmp_path: Path) -> None:
    """A Merge has two outputs; of handles, which are of shape (2,) there, nothing is stated."""
    path, out = GOLDEN / "files" / "ends.pb", tmp_path / "out.pb"
    assert main(["annotate", str(path), str(out)]) == 0
    nodes = td.GraphDef.FromString(out.read_bytes()).node
    shapes = {n.name: stated(n) for n in nodes if "_output_shapes" in n.attr}
    assert shapes["cond/Merge"] == ["(?,)", "<unknown>"]
    assert shapes["TensorArray"] == ["<unknown>", "()"]
    assert shapes["while/Exit_1"] == ["(?,)"]
    assert "while/NextIteration" not in shapes


def test_as_many_shapes_are_stated_as_a_node_has_outputs() -> None:
    def number(op: str, given: int, **attrs: td.AttrValue) -> int | None:
        node = td.NodeDef(name="x", op=op, attr=attrs)
        return len(stated(node)) if state_shapes(node, [td.TensorShape([2])] * given) else None

    types = td.AttrValue(list={"type": [1, 1, 3]})
    assert [number("Merge", 1), number("Switch", 1), number("Identity", 2)] == [2, 2, None]
    assert [number("Split", 1, num_split=td.AttrValue(i=3)), number("IdentityN", 1, T=types)] == [
        *[3, 3]
    ]
    assert number("NotThere", 2) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: td.FIFOQueue(2, [td.float32]).queue_ref,
        lambda: td.TensorArray(td.float32, 2).handle,
        lambda: td.ConditionalAccumulator(td.float32, []).accumulator_ref,
    ],
    ids=["queue", "array", "accumulator"],
)
def test_of_handles_nothing_is_stated(make: Callable[[], td.Tensor]) -> None:
    with td.Graph().as_default() as graph:
        name = make().op.name
    assert stated(node(graph.as_graph_def(add_shapes=True), name))[0] == "<unknown>"


def test_of_what_tensorflow_misstates_nothing_is_stated(graph: td.Graph) -> None:
    x = td.placeholder(td.float32, [1, 6, 6, 2], name="x")
    td.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], name="pool")
    graph_def = graph.as_graph_def(add_shapes=True)
    [pool] = [item for item in graph_def.node if item.op == "FractionalMaxPool"]
    assert stated(pool) == ["(1, 4, 4, 2)", "<unknown>", "<unknown>"]
