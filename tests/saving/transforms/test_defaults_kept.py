"""Defaults of placeholders, in whatever makes a graph smaller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.cli.main import main
from tensordraft.protos.messages import GraphDef
from tensordraft.tf1.private_modules.optimize_for_inference import optimize_for_inference

X = [[1.0, 2.0, 3.0, 4.0]]
WAYS: dict[str, Any] = {
    "optimize": td.graph_util.optimize,
    "optimize named": lambda g: td.graph_util.optimize(g, ["x"], ["y"]),
    "optimize_for_inference": lambda g: optimize_for_inference(
        g, ["x"], ["y"], td.float32.as_datatype_enum
    ),
    "remove_training_nodes": lambda g: td.graph_util.remove_training_nodes(g, ["y"]),
}


def network(form: str | None) -> GraphDef:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 4], name="x")
        keep = td.placeholder_with_default(td.constant(0.5) * 2.0, [], name="keep_prob")
        training = td.placeholder_with_default(False, [], name="training")
        hidden = td.matmul(x, td.constant([[1.0, 2.0]] * 4))
        td.identity(td.cond(training, lambda: hidden * keep * 3.0, lambda: hidden * keep), name="y")
        td.constant([1, 2, 3], name="labels")
    result: GraphDef = graph.as_graph_def(control_flow=form)
    return result


def results(graph_def: GraphDef) -> list[Any]:
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(graph_def, name="")
        feeds: list[dict[str, Any]] = [{}, {"training:0": True}, {"keep_prob:0": 0.25}]
        return [session.run("y:0", {"x:0": X, **more}) for more in feeds]


@pytest.mark.parametrize("form", ["lowered", None])
@pytest.mark.parametrize("way", WAYS)
def test_placeholders_keep_their_defaults(way: str, form: str | None) -> None:
    graph_def = network(form)
    small = WAYS[way](graph_def)
    assert len(small.node) < len(graph_def.node)
    np.testing.assert_allclose(results(small), results(graph_def), rtol=1e-6)


@pytest.mark.parametrize("form", ["lowered", None])
@pytest.mark.parametrize("command", ["optimize", "strip", "strip --fold --training"])
def test_commands_keep_defaults_and_outputs(command: str, form: str | None, tmp_path: Path) -> None:
    graph_def = network(form)
    source, target = str(tmp_path / "g.pb"), str(tmp_path / "small.pb")
    td.save_graph(graph_def, source)
    assert main([*command.split(), source, "--out", target]) == 0
    before, after = td.load(source), td.load(target)
    for name in ("inputs", "optional_inputs", "outputs"):
        assert list(getattr(after, name)) == list(getattr(before, name))
    assert list(after.outputs) == ["y", "labels"]
    np.testing.assert_allclose(results(after.graph.as_graph_def()), results(graph_def), rtol=1e-6)
