"""Loops of TensorFlow 1.x on the wire are stripped and compared node for node."""

from __future__ import annotations

import pytest
from cli_harness import Cli

import tensordraft as td
from tensordraft.saving.editing.difference import diff
from tensordraft.saving.editing.graph_editing import remove_training_nodes


@pytest.fixture(scope="module")
def lowered() -> td.GraphDef:
    """A loop in a branch and a branch in a loop, by Switch, Merge and Enter."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [], name="x")

        def body(i: td.Tensor, v: td.Tensor) -> list[td.Tensor]:
            return [i + 1, td.cond(v > 9.0, lambda: v / 2.0, lambda: v * 3.0)]

        def rounds() -> td.Tensor:
            last: td.Tensor = td.while_loop(lambda i, v: i < 5, body, [0, td.identity(x)])[1]
            return last

        td.cond(x > 0.0, rounds, lambda: x - 1.0, name="choice")
    return graph.as_graph_def(control_flow="lowered")


def result(graph_def: td.GraphDef, value: float) -> float:
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    with td.Session(graph=graph) as session:
        return float(session.run("choice/Merge:0", {"x:0": value}))


def test_nothing_differs_from_itself(lowered: td.GraphDef) -> None:
    assert not diff(lowered, lowered)


def test_only_the_nodes_in_question_go(lowered: td.GraphDef) -> None:
    stripped = remove_training_nodes(lowered)
    gone = {node.name for node in lowered.node} - {node.name for node in stripped.node}
    ops = {node.name: node.op for node in lowered.node}
    assert {ops[name] for name in gone} <= {"Identity"}
    assert [result(stripped, v) for v in (2.0, -1.0)] == [result(lowered, v) for v in (2.0, -1.0)]


def test_a_change_in_a_loop_is_found(lowered: td.GraphDef) -> None:
    other = td.GraphDef()
    other.CopyFrom(lowered)
    [node] = [node for node in other.node if node.op == "RealDiv"]
    node.op = "Mul"
    assert "became Mul" in str(diff(lowered, other))


def test_files(lowered: td.GraphDef, tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    cli = Cli(capsys)
    first, second = f"{tmp_path}/a.pb", f"{tmp_path}/b.pb"
    td.save_graph(lowered, first)
    assert cli("strip", first, "--out", second).code == 0
    assert cli("diff", first, second).out.strip() == "no difference"


def test_constants_are_folded_around_loops(lowered: td.GraphDef) -> None:
    whole = td.GraphDef()
    whole.CopyFrom(lowered)
    with td.Graph().as_default() as graph:
        td.import_graph_def(whole, name="")
        y = graph.get_tensor_by_name("choice/Merge:0")
        td.multiply(y, td.constant(2.0) * 3.0, name="scaled")
    whole = graph.as_graph_def(control_flow="lowered")
    folded = td.graph_util.optimize(whole, outputs=["scaled", "choice/Merge"])
    assert [result(folded, v) for v in (2.0, -1.0)] == [result(lowered, v) for v in (2.0, -1.0)]
    [product] = [node for node in folded.node if node.name == "scaled"]
    names = {node.name: node for node in folded.node}
    assert "Const" in [names[text].op for text in product.input]


def test_no_node_is_to_stand_with_one_that_is_gone() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2], name="x")
        aside = td.identity(x, name="aside")
        with td.colocate_with(aside):
            td.exp(x, name="y")
    part = td.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    assert [node.name for node in part.node] == ["x", "y"]
    assert "_class" not in part.node[1].attr
    assert "_class" in graph.as_graph_def().node[2].attr
