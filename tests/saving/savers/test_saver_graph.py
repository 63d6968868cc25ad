"""The nodes that a Saver makes: those that TensorFlow 2.21's Saver makes for the same variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from places import GOLDEN

import tensordraft as td

RECORDED: dict[str, Any] = json.loads((GOLDEN / "saver_nodes.json").read_text())
# TensorFlow looks at the path of a sharded checkpoint as it runs, for Amazon's storage.
NOT_MADE = {"save/StaticRegexFullMatch", "save/Const_1", "save/Const_2", "save/Select"}


def built(settings: dict[str, Any]) -> tuple[td.Graph, td.train.Saver]:
    with td.Graph().as_default() as graph:
        td.get_variable("a", [2])
        td.get_variable("b", [3], use_resource=True)
        with td.device("/job:ps/task:1"):
            td.get_variable("c", [2])
        return graph, td.train.Saver(**settings)


@pytest.mark.parametrize("name", RECORDED)
def test_the_nodes_are_those_of_tensorflow(name: str) -> None:
    recorded = RECORDED[name]
    graph, saver = built(recorded["settings"])
    made = {
        node.name: [node.op, sorted(node.input)]
        for node in graph.as_graph_def().node
        if node.name.startswith("save/")
    }
    wanted = {key: value for key, value in recorded["nodes"].items() if key not in NOT_MADE}
    if "save/StringJoin" in wanted:
        wanted["save/StringJoin/inputs_1"] = ["Const", []]
        wanted["save/StringJoin"][1] = ["save/Const", "save/StringJoin/inputs_1"]
    assert made == wanted
    names = [saver.saver_def.filename_tensor_name, saver.saver_def.save_tensor_name]
    assert names == recorded["saver_def"]


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_saved_is_restored_by_the_nodes_of_the_file(name: str, tmp_path: Path) -> None:
    graph, saver = built(RECORDED[name]["settings"])
    with td.Session(graph=graph) as session, graph.as_default():
        session.run(td.global_variables_initializer())
        values = [v.tolist() for v in session.run(td.global_variables())]
        path = saver.save(session, tmp_path / "m", 3)
    with td.Graph().as_default(), td.Session() as session:
        copy = td.train.import_meta_graph(tmp_path / "m-3.meta", import_scope="within")
        assert copy is not None
        copy.restore(session, path)
        restored = session.run(td.global_variables())
        assert [v.tolist() for v in restored] == values
        again = copy.save(session, tmp_path / "again", write_meta_graph=False)
        assert sorted(td.train.list_variables(again)) == [("a", [2]), ("b", [3]), ("c", [2])]
