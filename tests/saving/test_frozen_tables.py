"""Models frozen with what their tables hold: one file, which needs no other."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td
from tensordraft.cli.main import main


def exported(folder: Path, table: Any, fill: Any = None) -> str:
    """A SavedModel that looks texts up in a table, and that fills it when it is loaded."""
    x = td.placeholder(td.string, [None], name="x")
    y = td.identity(table.lookup(x), name="y")
    with td.Session() as session:
        td.saved_model.simple_save(
            session,
            str(folder),
            {"x": x},
            {"y": y},
            legacy_init_op=td.tables_initializer() if fill is None else fill,
        )
    return str(folder)


def looked_up(frozen: Any) -> list[int]:
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(frozen, name="")
        runs = [session.run("y:0", {"x:0": ["b", "z", "a"]}).tolist() for _ in range(4)]
    assert runs == runs[:1] * 4
    return list(runs[0])


def of_tensors() -> Any:
    values = td.constant([10, 20], td.int64)
    return td.lookup.StaticHashTable(
        td.lookup.KeyValueTensorInitializer(td.constant(["a", "b"]), values), -1
    )


def test_a_table_of_tensors(tmp_path: Path) -> None:
    with td.Graph().as_default():
        frozen = td.graph_util.freeze_model(exported(tmp_path / "m", of_tensors()))
    assert looked_up(frozen) == [20, -1, 10]
    kinds = {node.name: node.op for node in frozen.node}
    assert kinds["hash_table/fill"] == "InitializeTableV2"


def test_a_vocabulary_from_an_asset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    with td.Graph().as_default():
        table = td.contrib.lookup.index_table_from_file(str(words), num_oov_buckets=1)
        folder = exported(tmp_path / "m", table)
    assert main(["freeze", folder, "--out", str(tmp_path / "one.pb")]) == 0
    words.unlink()
    shutil.rmtree(folder)
    assert looked_up(td.load_graph(tmp_path / "one.pb").as_graph_def()) == [1, 2, 0]
    capsys.readouterr()
    arguments = ["run", str(tmp_path / "one.pb"), "--fetch", "y:0"]
    assert main([*arguments, "--feed", 'x:0=["b", "a"]']) == 0
    assert "1" in capsys.readouterr().out


def test_a_table_that_can_be_changed(tmp_path: Path) -> None:
    with td.Graph().as_default():
        table = td.contrib.lookup.MutableHashTable(td.string, td.int64, -1)
        with td.control_dependencies([table.insert(["z"], td.constant([0], td.int64))]):
            td.identity(table.size(), name="changed")
        fill = table.insert(["a", "b"], td.constant([10, 20], td.int64))
        folder = exported(tmp_path / "m", table, fill)
    frozen = td.graph_util.freeze_model(folder)
    assert looked_up(frozen) == [20, -1, 10]
    assert "LookupTableImportV2" in {node.op for node in frozen.node}
    with pytest.raises(ValueError, match="which changes the table"):
        td.graph_util.freeze_model(folder, ["changed"])


def test_a_table_without_content_stays_as_it_is(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.string, [None], name="x")
        td.identity(of_tensors().lookup(x), name="y")
        td.save_graph(graph, tmp_path / "m.pb")
    frozen = td.graph_util.freeze_model(tmp_path / "m.pb", ["y"])
    assert "hash_table/fill" not in {node.name for node in frozen.node}
    with pytest.raises(td.errors.FailedPreconditionError, match="no content yet"):
        looked_up(frozen)
