"""Loads that find no memory, at each of their allocations, one after the other.

They fail with an error of the library and leave graph and session as they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import effort
import numpy as np
import pytest
from failing_memory import failing

import tensordraft as td

ERRORS = (td.errors.OpError, ValueError, MemoryError)


def _model(value: float) -> tuple[Any, Any]:
    x = td.placeholder(td.float32, [None, 3], name="x")
    w = td.Variable(np.full((3, 2), value, np.float32), name="w")
    n = td.Variable(np.int64(value), name="n")
    words = td.constant(["a", "b"], name="words")
    big = td.constant(np.arange(100.0), td.float32, name="big")
    y = td.add(td.matmul(x, w), td.reduce_sum(big) + td.cast(n, td.float32), name="y")
    return x, [y, words]


class Files:
    """Files of one model in every form."""

    def __init__(self, folder: Path) -> None:
        self.graph, self.text = folder / "graph.pb", folder / "graph.pbtxt"
        self.model, self.checkpoint = folder / "model", folder / "checkpoint" / "model"
        self.old = folder / "checkpoint" / "old"
        self.arrays = folder / "arrays.npz"
        with td.Graph().as_default() as graph, td.Session() as session:
            x, [y, _] = _model(2.0)
            session.run(td.global_variables_initializer())
            td.save_graph(graph, self.graph)
            td.save_graph(graph, self.text)
            td.saved_model.simple_save(session, self.model, {"x": x}, {"y": y})
            td.train.Saver().save(session, self.checkpoint)
            td.train.Saver(write_version=td.train.SaverDef.V1).save(session, self.old)
        np.savez(self.arrays, w=np.ones((3, 2), np.float32), n=np.int64(3))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("files"))


def _import(files: Files) -> Any:
    with td.gfile.GFile(str(files.graph), "rb") as file:
        message = td.GraphDef.FromString(file.read())
    return td.import_graph_def(message, return_elements=["y:0"], name="loaded")


def _import_meta(files: Files) -> Any:
    return td.train.import_meta_graph(f"{files.checkpoint}.meta")


def _run_model(files: Files) -> Any:
    with td.load(files.model).session() as session:
        return session.run("y:0", {"x:0": [[1.0, 2.0, 3.0]]})


INTO_GRAPH: dict[str, Callable[[Files], Any]] = {
    "import_graph_def": _import,
    "import_meta_graph": _import_meta,
}
ALONE: dict[str, Callable[[Files], Any]] = {
    "load_graph": lambda files: len(td.load_graph(files.graph).get_operations()),
    "load_graph of text": lambda files: len(td.load_graph(files.text).get_operations()),
    "load of a SavedModel": _run_model,
    "load_variable": lambda files: td.train.load_variable(str(files.checkpoint), "w"),
    "load_variable of version 1": lambda files: td.train.load_variable(str(files.old), "w"),
    "run_graph": lambda files: td.run_graph(files.model, {"x": [[1.0, 2.0, 3.0]]}),
}


@pytest.mark.parametrize("name", INTO_GRAPH)
def test_a_failed_import_leaves_the_graph_as_it_was(name: str, files: Files) -> None:
    load = INTO_GRAPH[name]
    with td.Graph().as_default(), failing(None) as allocations:
        load(files)
    assert allocations.count > 3
    failed = 0
    for number in effort.some(allocations.count, 8):
        with td.Graph().as_default() as graph:
            td.constant(1, name="before")
            before = _content(graph)
            try:
                with failing(number):
                    load(files)
            except ERRORS:
                failed += 1
                assert _content(graph) == before, number
                load(files)
    assert failed


def _failure(function: Callable[[], Any]) -> str | None:
    """Message of the error of a function; None where it raises none."""
    try:
        function()
    except ERRORS as error:
        return str(error)
    return None


def _content(graph: td.Graph) -> Any:
    """Nodes, functions and collections."""
    keys = graph.get_all_collection_keys()
    message = graph.as_graph_def()
    return message, {key: len(graph.get_collection(key)) for key in keys}


@pytest.mark.parametrize("name", ALONE)
def test_a_failed_load_can_be_repeated(name: str, files: Files) -> None:
    load = ALONE[name]
    expected = load(files)
    with failing(None) as allocations:
        load(files)
    for number in effort.some(allocations.count, 8):
        with failing(number):
            message = _failure(lambda: load(files))
        assert message is None or re.search("llocate|memory", message), number
        td.contrib.framework.nest.map_structure(
            np.testing.assert_array_equal, load(files), expected
        )


@pytest.mark.parametrize("kind", ["checkpoint", "old"])
def test_a_failed_restore_leaves_values_whole(kind: str, files: Files) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x, [y, _] = _model(5.0)
        saver = td.train.Saver()
        variables = td.global_variables()
        session.run(td.global_variables_initializer())
        with failing(None) as allocations:
            saver.restore(session, getattr(files, kind))
        expected = session.run(y, {x: np.ones((1, 3))})
        assert allocations.count > 1
        for number in effort.some(allocations.count, 8):
            session.run(td.global_variables_initializer())
            with failing(number), suppress(td.errors.OpError):
                saver.restore(session, getattr(files, kind))
            for value in session.run(variables):
                assert len(set(value.ravel().tolist())) == 1
                assert value.ravel()[0] in (2, 5)
            saver.restore(session, getattr(files, kind))
            np.testing.assert_array_equal(session.run(y, {x: np.ones((1, 3))}), expected)
