"""Every writer of files, with a failure at each of its file operations.

Afterwards there is what was there before, or what was to be written, whole; and what writes next
succeeds and leaves nothing of the failed write.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import effort
import numpy as np
import pytest
from failing_files import KINDS, failing

import tensordraft as td
from tensordraft.formats.checkpoints.bundle_writer import Saved, write_bundle
from tensordraft.formats.checkpoints.v1_checkpoint_writer import write_old_checkpoint


class Writer(NamedTuple):
    """Writer of a version number into a folder, and its reader."""

    prepare: Callable[[Path], Any]
    write: Callable[[Any, Path, int], None]
    read: Callable[[Any, Path], int]


def _saved(version: int) -> list[Saved]:
    values = {"v": np.full(3, version, np.float32), "n": np.full((), version, np.int32)}
    return [Saved(name, td.as_dtype(value.dtype), value) for name, value in values.items()]


def _loaded(_: Any, folder: Path) -> int:
    """The version that a checkpoint holds, in both of its variables."""
    v = td.train.load_variable(str(folder / "model"), "v")
    n = td.train.load_variable(str(folder / "model"), "n")
    assert v.tolist() == [n] * 3
    return int(n)


class _Program:
    """A session with two variables of one value, and what saves them."""

    def __init__(self, **settings: Any) -> None:
        with td.Graph().as_default():
            self.v = td.Variable(np.zeros(3, np.float32), name="v")
            with td.device("/cpu:0"):
                self.n = td.Variable(np.int32(0), name="n")
            self.saver = td.train.Saver(**settings)
            self.objects = td.train.Checkpoint(v=self.v, n=self.n)
            _ = self.objects.save_counter
            self.session = td.Session()
            self.session.run(td.global_variables_initializer())
        self.set(0)

    def set(self, version: int) -> None:
        self.v.load(np.full(3, version, np.float32), self.session)
        self.n.load(np.int32(version), self.session)

    def save(self, folder: Path, version: int) -> None:
        self.set(version)
        self.saver.save(self.session, folder / "model")

    def save_step(self, folder: Path, version: int) -> None:
        self.set(version)
        self.saver.save(self.session, folder / "model", global_step=version)

    def write(self, folder: Path, version: int) -> None:
        self.set(version)
        self.objects.write(folder / "model", self.session)

    def restored(self, folder: Path) -> int:
        path = td.train.latest_checkpoint(folder)
        assert path is not None
        self.saver.restore(self.session, path)
        return self._value()

    def reread(self, folder: Path) -> int:
        self.objects.restore(folder / "model").run_restore_ops(self.session)
        return self._value()

    def _value(self) -> int:
        v, n = self.session.run([self.v, self.n])
        assert v.tolist() == [n] * 3
        return int(n)


def _write_graph(_: Any, folder: Path, version: int) -> None:
    with td.Graph().as_default() as graph:
        td.constant(version, name="n")
    td.save_graph(graph, folder / "graph.pb")


def _read_graph(_: Any, folder: Path) -> int:
    graph = td.load_graph(folder / "graph.pb")
    with td.Session(graph=graph) as session:
        return int(session.run("n:0"))


def _none(_: Path) -> None:
    return None


def _program(_: Path) -> _Program:
    return _Program()


WRITERS = {
    "a checkpoint": Writer(
        _none, lambda _, folder, n: write_bundle(str(folder / "model"), _saved(n)), _loaded
    ),
    "a checkpoint of version 1": Writer(
        _none, lambda _, folder, n: write_old_checkpoint(str(folder / "model"), _saved(n)), _loaded
    ),
    "a Saver": Writer(_program, _Program.save, _Program.restored),
    "a Saver with shards": Writer(
        lambda _: _Program(sharded=True), _Program.save, _Program.restored
    ),
    "a Saver of steps": Writer(
        lambda _: _Program(max_to_keep=1), _Program.save_step, _Program.restored
    ),
    "a Saver of steps with shards": Writer(
        lambda _: _Program(max_to_keep=1, sharded=True), _Program.save_step, _Program.restored
    ),
    "a Checkpoint of objects": Writer(_program, _Program.write, _Program.reread),
    "a graph": Writer(_none, _write_graph, _read_graph),
}


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", WRITERS)
def test_a_failure_leaves_the_old_or_the_new(
    what: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # it takes long
    writer = WRITERS[what]
    clean = tmp_path / "clean"
    clean.mkdir()
    state = writer.prepare(clean)
    writer.write(state, clean, 1)
    with failing(None) as operations:
        writer.write(state, clean, 2)
    assert writer.read(state, clean) == 2
    writer.write(state, clean, 3)
    expected = _names(clean)
    assert operations.count > 5
    for number in effort.some(operations.count, 6):
        folder = tmp_path / str(number)
        folder.mkdir()
        state = writer.prepare(folder)
        writer.write(state, folder, 1)
        where = f"operation {number}, {operations.names[number]}"
        with failing(number, kind) as failed:
            try:
                writer.write(state, folder, 2)
            except (OSError, td.errors.OpError, ValueError):
                assert kind != "kill", where
        assert failed.count > number, where
        assert writer.read(state, folder) in (1, 2), where
        writer.write(state, folder, 3)
        assert writer.read(state, folder) == 3, where
        assert _names(folder) == expected, where
