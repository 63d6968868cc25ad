"""Transforms of graphs: results stay what they were, and what was to go is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli, in_folder

import tensordraft as td
from tensordraft.saving.transforms.transform_graph import transform_graph

NUMBERS = np.random.default_rng(3)


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def constant(*shape: int, name: str = "c") -> td.Tensor:
    return td.constant(NUMBERS.uniform(0.5, 1.5, shape), td.float32, name=name)


def result(graph_def: td.GraphDef, feeds: dict[str, Any]) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(graph_def, name="")
        return session.run("y:0", feeds)


def ops(graph_def: td.GraphDef) -> list[str]:
    return sorted(node.op for node in graph_def.node if node.op not in ("Const", "Placeholder"))


def conv(x: td.Tensor) -> td.Tensor:
    return td.nn.conv2d(x, td.identity(constant(3, 3, 2, 4)), [1] * 4, "SAME")


def depthwise(x: td.Tensor) -> td.Tensor:
    return td.nn.depthwise_conv2d(x, constant(3, 3, 2, 2), [1] * 4, "VALID")


def transposed(x: td.Tensor) -> td.Tensor:
    return td.matmul(td.reshape(x, [-1, 2]), constant(4, 2), transpose_b=True)


def plain(x: td.Tensor) -> td.Tensor:
    return td.matmul(td.reshape(x, [-1, 2]), constant(2, 4))


def scaled(y: td.Tensor) -> td.Tensor:
    return constant(4) * y + constant(4)


def normalized(y: td.Tensor) -> td.Tensor:
    moved = td.nn.bias_add(y, constant(4)) - constant(4)
    return constant(1) - moved * constant(4)


def fused(y: td.Tensor) -> td.Tensor:
    scale, offset, mean, variance = (constant(4) for _ in range(4))
    return td.nn.fused_batch_norm(y, scale, offset, mean, variance, is_training=False)[0]


def oldest(y: td.Tensor) -> td.Tensor:
    m, v, beta, gamma = (constant(4) for _ in range(4))
    return td.nn.batch_norm_with_global_normalization(y, m, v, beta, gamma, 0.01, True)


@pytest.mark.parametrize(
    ("product", "behind", "left"),
    [
        (conv, scaled, ["BiasAdd", "Conv2D"]),
        (conv, normalized, ["BiasAdd", "Conv2D"]),
        (conv, fused, ["BiasAdd", "Conv2D"]),
        (conv, oldest, ["BiasAdd", "Conv2D"]),
        (depthwise, scaled, ["BiasAdd", "DepthwiseConv2dNative"]),
        (depthwise, fused, ["BiasAdd", "DepthwiseConv2dNative"]),
        (plain, scaled, ["BiasAdd", "MatMul", "Reshape"]),
        (transposed, normalized, ["BiasAdd", "MatMul", "Reshape"]),
    ],
)
def test_normalizations_go_into_filters(
    product: Callable[..., Any], behind: Callable[..., Any], left: list[str]
) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 4, 4, 2], name="x")
        td.nn.relu(behind(product(x)), name="y")
    before = graph.as_graph_def()
    after = td.graph_util.optimize(before)
    assert ops(after) == sorted([*left, "Relu"])
    feeds = {"x:0": NUMBERS.normal(size=[2, 4, 4, 2])}
    np.testing.assert_allclose(result(after, feeds), result(before, feeds), rtol=2e-5, atol=2e-5)


def test_a_norm_that_leaves_out_its_default_is_in_training() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 4, 4, 2], name="x")
        td.identity(fused(conv(x)), name="y")
    before = graph.as_graph_def()
    [norm] = [node for node in before.node if node.op.startswith("FusedBatchNorm")]
    del norm.attr["is_training"]
    assert norm.op in ops(td.graph_util.optimize(before))


def test_what_others_read_is_not_folded() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 4, 4, 2], name="x")
        made = conv(x)
        td.add(made * constant(4), made, name="y")
        wide = td.matmul(td.reshape(x, [-1, 2]), constant(2, 4))
        td.multiply(wide, td.constant(np.inf), name="z")
        td.multiply(plain(x), constant(3, 1, 4), name="rank")
    before = graph.as_graph_def()
    after = transform_graph(before, ["x"], ["y", "z", "rank"], ["fold_batch_norms"])
    assert ops(after).count("Mul") == 3


def test_channels_may_come_first() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 2, 4, 4], name="x")
        made = td.nn.conv2d(x, constant(3, 3, 2, 4), [1] * 4, "SAME", data_format="NCHW")
        td.identity(made * constant(4, 1, 1), name="y")
    before = graph.as_graph_def()
    after = td.graph_util.optimize(before)
    assert ops(after) == ["BiasAdd", "Conv2D", "Identity"]
    feeds = {"x:0": NUMBERS.normal(size=[2, 2, 4, 4])}
    np.testing.assert_allclose(result(after, feeds), result(before, feeds), rtol=2e-5, atol=2e-5)


def weighted() -> td.Graph:
    with td.Graph().as_default() as graph, td.device("/gpu:0"):
        x = td.placeholder(td.float32, [None, 40], name="x")
        w = constant(40, 40, name="w")
        same = td.add(td.sin(x, name="one"), td.sin(x, name="other"), name="same")
        td.matmul(same, td.identity(w, name="w/read"), name="y")
        td.check_numerics(x, "", name="unused")
    return graph


FEEDS = {"x:0": np.linspace(-1, 1, 80).reshape(2, 40)}


@pytest.mark.parametrize(
    ("transform", "error", "sizes"),
    [
        ("quantize_weights", 1e-2, 0.5),
        ("round_weights(num_steps=64)", 2e-2, 1.1),
        ("quantize_weights(minimum_size=10000)", 0, 1),
    ],
)
def test_coarse_weights_are_near(transform: str, error: float, sizes: float) -> None:
    before = weighted().as_graph_def()
    after = transform_graph(before, ["x"], ["y"], [transform])
    assert after.ByteSize() < sizes * before.ByteSize()
    exact = result(before, FEEDS)
    assert np.abs(result(after, FEEDS) - exact).max() <= error * np.abs(exact).max()
    if "round" in transform:
        (w,) = (node for node in after.node if node.name == "w")
        assert len(np.unique(td.make_ndarray(w.attr["value"].tensor))) <= 64


def test_constants_of_one_number_have_room() -> None:
    for number in (0.0, 2.0, -2.0):
        with td.Graph().as_default() as graph:
            x = td.placeholder(td.float32, [2], name="x")
            td.add(x, td.constant(number, shape=[2]), name="y")
        after = transform_graph(
            graph.as_graph_def(), ["x"], ["y"], ["quantize_weights(minimum_size=2)"]
        )
        np.testing.assert_allclose(result(after, {"x:0": [0, 0]}), [number] * 2, atol=2e-2)


PLAIN: dict[str, Callable[[td.GraphDef], bool]] = {
    "strip_unused_nodes": lambda g: "CheckNumerics" not in ops(g),
    "remove_nodes(op=Identity, op=CheckNumerics)": lambda g: "Identity" not in ops(g),
    "merge_duplicate_nodes": lambda g: ops(g).count("Sin") == 1,
    "sort_by_execution_order": lambda g: g.node[0].name in ("x", "w"),
    "obfuscate_names": lambda g: {"x", "y", "A", "B"} < {node.name for node in g.node},
    "add_default_attributes": lambda g: any("transpose_a" in node.attr for node in g.node),
    "remove_device": lambda g: {node.device for node in g.node} == {""},
    'set_device(device="/cpu:0")': lambda g: {node.device for node in g.node} == {"/cpu:0"},
    "set_device(device=/cpu:0, if_default=true)": lambda g: g.node[0].device == "/device:GPU:0",
    "remove_control_dependencies": lambda g: len(g.node) == 8,
    "rename_op(old_op_name=Sin, new_op_name=Cos)": lambda g: "Cos" in ops(g),
    "rename_node(old_node_name=w, new_node_name=v)": lambda g: "v" in [n.name for n in g.node],
    "rename_attribute(old_attribute_name=_a, new_attribute_name=_b)": lambda g: len(g.node) == 8,
    "remove_attribute(attribute_name=transpose_a, op_name=MatMul)": lambda g: len(g.node) == 8,
}


@pytest.mark.parametrize("transform", PLAIN)
def test_plain_transforms(transform: str) -> None:
    before = weighted().as_graph_def()
    after = transform_graph(before, ["x"], ["y"], [transform])
    assert PLAIN[transform](after)
    if "rename_op" not in transform:
        np.testing.assert_array_equal(result(after, FEEDS), result(before, FEEDS))
    assert before == weighted().as_graph_def() or "w" in {node.name for node in before.node}


def test_attributes_get_other_names() -> None:
    graph_def = weighted().as_graph_def()
    moved = transform_graph(
        graph_def,
        [],
        ["y"],
        ["rename_attribute(op_name=Sin, old_attribute_name=T, new_attribute_name=U)"],
    )
    assert [sorted(node.attr) for node in moved.node if node.op == "Sin"] == [["U"], ["U"]]
    assert all("T" in node.attr for node in moved.node if node.op == "MatMul")


@pytest.mark.parametrize(
    ("transform", "reported"),
    [
        ("quantize_nodes", "graphs are not computed in 8 bits here; use quantize_weights"),
        ("no_such", "there is no transform 'no_such': there are add_default_attributes"),
        ("a b", "is not of the form name"),
        ("remove_nodes(Identity)", "'Identity' is not argument=value"),
        ("rename_op(old_op_name=Sin)", "the transform needs the argument new_op_name"),
        ("round_weights(num_steps=1)", "num_steps = 1 is below 2"),
        ("round_weights(num_steps=x)", "num_steps = 'x' is not an integer"),
    ],
)
def test_unknown_transforms_are_refused(transform: str, reported: str) -> None:
    with pytest.raises(ValueError, match=reported):
        transform_graph(weighted().as_graph_def(), [], ["y"], [transform])


def test_outputs_have_to_be_there() -> None:
    graph_def = weighted().as_graph_def()
    with pytest.raises(ValueError, match="outputs: the graph has no node named 'nowhere'"):
        transform_graph(graph_def, [], ["nowhere"], [])
    with td.Graph().as_default() as graph:
        td.placeholder(td.float32)
    with pytest.raises(ValueError, match="the graph has no outputs: name them"):
        td.graph_util.optimize(graph)


def test_nobody_waits_for_constants() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2], name="x")
        c = td.identity(td.constant(2.0, name="c"), name="read")
        with td.control_dependencies([td.group(c, name="all")]):
            td.identity(x * c, name="y")
    after = td.graph_util.optimize(graph.as_graph_def())
    assert ops(after) == ["Identity", "Mul"]
    assert not [text for node in after.node for text in node.input if text.startswith("^")]


def test_the_command(cli: Cli) -> None:
    td.save_graph(weighted(), "g.pb")
    done = cli("optimize", "g.pb", "--outputs", "y", "--quantize", "--out", "out.pb")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("8 of 8 nodes saved in out.pb: ")
    exact = result(weighted_as_saved(), FEEDS)
    found = result(td.load_graph("out.pb").as_graph_def(), FEEDS)
    np.testing.assert_allclose(found, exact, rtol=2e-2)
    options = ["--outputs", "y", "--transform", "strip_unused_nodes", "--out", "part.pbtxt"]
    assert cli("optimize", "g.pb", *options).code == 0
    assert len(td.load_graph("part.pbtxt").get_operations()) == 7
    done = cli("optimize", "g.pb", "--outputs", "y", "--transform", "odd", "--out", "b.pb")
    assert (done.code, done.err.partition(":")[0]) == (1, "tensordraft")


def weighted_as_saved() -> td.GraphDef:
    return td.load_graph("g.pb").as_graph_def()


def test_optimizing_keeps_defaults_and_what_they_are_made_of() -> None:
    with td.Graph().as_default() as graph:
        image = td.placeholder(td.float32, [None, 4], name="image")
        features = td.nn.relu(image * 2.0, name="features")
        bottleneck = td.placeholder_with_default(features, [None, 4], name="bottleneck")
        keep = td.placeholder_with_default(0.5, [], name="keep_prob")
        td.multiply(bottleneck, keep, name="scores")
        td.constant(["a", "b"], name="labels")
    small = td.graph_util.optimize(graph)
    x = np.array([[1.0, -1.0, 2.0, 3.0]], np.float32)
    with td.Session(graph=small) as session:
        assert session.run("scores:0", {"image:0": x}).tolist() == [[1, 0, 2, 3]]
        assert session.run("scores:0", {"image:0": x, "keep_prob:0": 1.0}).tolist() == [
            [2, 0, 4, 6]
        ]
        assert session.run("labels:0").tolist() == [b"a", b"b"]
    cut = td.graph_util.optimize(graph, ["bottleneck"], ["scores"])
    kinds = {op.name: op.type for op in cut.get_operations()}
    assert kinds["bottleneck"] == "Placeholder"
    assert kinds["keep_prob"] == "PlaceholderWithDefault"
    assert "image" not in kinds
