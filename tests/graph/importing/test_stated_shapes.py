"""Shapes that files state of the outputs of nodes: what counts, and what is written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tensordraft as td


@pytest.fixture
def graph() -> Iterator[td.Graph]:
    with td.Graph().as_default() as graph:
        yield graph


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
    array.attr["_output_shapes"].list.shape[0].dim.add(size=2)
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
