"""Tables that can be changed are saved with the variables, as in TensorFlow."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordraft as td

Mutable = td.contrib.lookup.MutableHashTable


def test_a_saver_saves_tables_by_itself(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = Mutable(td.string, td.int64, -1, name="words")
        dense = td.contrib.lookup.MutableDenseHashTable(
            td.int64, td.float32, 0.0, empty_key=-1, deleted_key=-2, name="dense"
        )
        Mutable(td.string, td.int64, -1, checkpoint=False)
        variable = td.Variable(1.0, name="v")
        saver = td.train.Saver()
        fill = td.group(
            variable.initializer,
            table.insert(["a", "b"], td.constant([10, 20], td.int64)),
            dense.insert(td.constant([5], td.int64), [0.5]),
        )
        session.run(fill)
        path = saver.save(session, str(tmp_path / "m"))
        session.run(table.insert(["a", "c"], td.constant([0, 0], td.int64)))
        saver.restore(session, path)
        assert session.run(table.lookup(["a", "b", "c"])).tolist() == [10, 20, -1]
        assert session.run(dense.lookup(td.constant([5, 6], td.int64))).tolist() == [0.5, 0.0]
    assert sorted(name for name, _ in td.train.list_variables(path)) == [
        "dense-keys",
        "dense-values",
        "v",
        "words-keys",
        "words-values",
    ]


def test_tables_are_saved_under_other_names(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = Mutable(td.string, td.int64, -1)
        saver = td.train.Saver({"other": table})
        session.run(table.insert(["a"], td.constant([1], td.int64)))
        path = saver.save(session, str(tmp_path / "m"))
        with pytest.raises(TypeError, match="tables that can be changed, got 'x'"):
            td.train.Saver(["x"])
    assert [name for name, _ in td.train.list_variables(path)] == ["other-keys", "other-values"]


def test_dense_tables_of_words_are_saved_and_restored(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        table = td.contrib.lookup.MutableDenseHashTable(
            td.string, td.int64, -1, empty_key="", deleted_key="<gone>", name="words"
        )
        saver = td.train.Saver([table])
        session.run(table.insert(["a", "b"], td.constant([1, 2], td.int64)))
        path = saver.save(session, str(tmp_path / "m"))
        session.run(table.remove(["a"]))
        saver.restore(session, path)
        assert session.run(table.lookup(["a", "b", "c"])).tolist() == [1, 2, -1]
