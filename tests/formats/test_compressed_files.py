"""Graphs in compressed files: read by content, within budgets, and what goes wrong."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tensordraft as td
from tensordraft.formats import compressed_files

COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress}


@pytest.fixture
def graph() -> td.Graph:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None], name="x")
        td.multiply(x, td.constant(np.arange(1000, dtype=np.float32)[:1] + 2.0), name="y")
        td.constant(np.zeros(100_000, np.float32), name="zeros")
    return graph


def packed(graph: td.Graph, path: Path, kind: str = "gzip") -> Path:
    path.write_bytes(COMPRESS[kind](graph.as_graph_def().SerializeToString()))
    return path


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("name", ["g.pb", "g.pb.gz"])
def test_compressed_graphs_are_read_by_content(
    graph: td.Graph, tmp_path: Path, kind: str, name: str
) -> None:
    path = packed(graph, tmp_path / name, kind)
    assert td.run_graph(path, {"x": [2.0]}, "y")["y"].tolist() == [4.0]
    assert len(td.load_graph(path).get_operations()) == 4


def test_a_compressed_meta_file_keeps_its_checkpoint(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.identity(td.Variable([1.0, 2.0], name="v"), name="y")
        session.run(td.global_variables_initializer())
        path = Path(td.train.Saver().save(session, str(tmp_path / "model")) + ".meta")
    whole = path.with_name("model.meta.gz")
    whole.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    with td.load(whole) as model, model.session() as session:
        assert session.run("y:0").tolist() == [1.0, 2.0]


def test_text_may_be_compressed(graph: td.Graph, tmp_path: Path) -> None:
    path = tmp_path / "g.pbtxt.gz"
    path.write_bytes(gzip.compress(str(graph.as_graph_def()).encode()))
    assert len(td.load(path).graph.get_operations()) == 4


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_damaged_file_is_data_loss(graph: td.Graph, tmp_path: Path, kind: str) -> None:
    path = packed(graph, tmp_path / "g.pb", kind)
    data = path.read_bytes()
    for damaged in (data[:-20], data[:12], data[:20] + b"\xff" * 30 + data[50:]):
        path.write_bytes(damaged)
        with pytest.raises(td.errors.DataLossError, match=f"compressed with {kind}, and cut off"):
            td.load(path)


def test_unpacking_ends_at_the_budget(graph: td.Graph, tmp_path: Path) -> None:
    path = packed(graph, tmp_path / "g.pb")
    assert path.stat().st_size < 10_000
    with pytest.raises(td.errors.ResourceExhaustedError, match="unpacked, takes"):
        td.load(path, progress=td.LoadBudget(bytes=100_000))
    assert td.load(path, progress=td.LoadBudget(bytes=500_000)).inputs  # which counts it once


def test_unpacking_ends_at_what_a_graph_may_have(
    graph: td.Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(graph, tmp_path / "g.pb")
    monkeypatch.setattr(compressed_files, "_MOST_BYTES", 300_000)
    with pytest.raises(td.errors.ResourceExhaustedError, match="more than 2 GiB"):
        td.load_graph(path)


def test_a_file_that_was_compressed_twice_is_named(graph: td.Graph, tmp_path: Path) -> None:
    path = packed(graph, tmp_path / "g.pb")
    path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(td.errors.DataLossError, match="compressed with gzip; unpack it first"):
        td.load(path)
