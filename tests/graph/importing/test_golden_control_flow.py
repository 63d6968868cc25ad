"""Graphs with loops, branches and gradients as TensorFlow freezes them, in both forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from places import GOLDEN

import tensordraft as td

FOUND = np.load(GOLDEN / "control_flow.npz")
NAMES = [key.removesuffix("/graph") for key in FOUND if key.endswith("/graph")]
FETCHES = ["y:0", "dx:0"]


def read(name: str) -> Any:
    return td.GraphDef.FromString(FOUND[f"{name}/graph"].tobytes())


def runs(graph_def: Any) -> Any:
    """The three runs of a graph, each made twice: loops and branches get hot."""
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    assert td.check_graph(graph).ok
    results = []
    with td.Session(graph=graph) as session:
        for x, n in zip(FOUND["x"], FOUND["n"], strict=True):
            first, second = (session.run(FETCHES, {"x:0": x, "n:0": n}) for _ in range(2))
            np.testing.assert_array_equal(first, second)
            results.append(first)
    return np.array(results)


@pytest.mark.parametrize("name", NAMES)
def test_runs_are_those_of_tensorflow(name: str) -> None:
    np.testing.assert_allclose(runs(read(name)), FOUND[f"{name}/results"], 1e-5, 1e-6)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_v1")])
def test_frames_are_saved_as_they_were_read(name: str) -> None:
    graph_def = read(name)
    with td.Graph().as_default() as graph:
        td.import_graph_def(graph_def, name="")
    assert list(graph.as_graph_def().node) == list(graph_def.node)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_edited_computes_the_same(name: str) -> None:
    with td.Graph().as_default() as graph:
        td.import_graph_def(read(name), name="")
    for form in (None, "lowered"):
        graph_def = graph.as_graph_def(control_flow=form)
        np.testing.assert_allclose(runs(graph_def), FOUND[f"{name}/results"], 1e-5, 1e-6)


def test_stacks_of_old_versions() -> None:
    """The same gradient with stacks behind references, as TensorFlow before 1.2 writes it."""
    graph_def = read("branch_in_loop_v1")
    handles = {node.name for node in graph_def.node if node.op == "StackV2"}
    for node in graph_def.node:
        if node.op in ("StackV2", "StackPushV2", "StackPopV2"):
            node.op = node.op.removesuffix("V2")
        if node.op == "Stack":
            del node.input[:]
        elif node.op in ("Enter", "Switch") and node.input[0].split(":")[0] in handles:
            node.op = f"Ref{node.op}"
            node.attr["T"].type = td.string.as_datatype_enum
            handles.add(node.name)
    assert {"Stack", "StackPush", "StackPop", "RefEnter"} <= {node.op for node in graph_def.node}
    np.testing.assert_allclose(runs(graph_def), FOUND["branch_in_loop_v1/results"], 1e-5, 1e-6)
