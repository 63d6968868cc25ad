"""Every writer of files, with a failure at each of its file operations.

Afterwards there is what was there before, or what was to be written, whole; and what writes next
succeeds and leaves nothing of the failed write.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import effort
import numpy as np
import pytest
from failing_files import KINDS, failing

import tensordraft as td
from tensordraft.cli.main import main
from tensordraft.formats.checkpoints.bundle_writer import Saved, write_bundle
from tensordraft.formats.checkpoints.v1_checkpoint_writer import write_old_checkpoint
from tensordraft.runtime.jit.code_cache import Code, CodeCache


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


def _write_meta_graph(_: Any, folder: Path, version: int) -> None:
    with td.Graph().as_default():
        td.constant(version, name="n")
        td.train.export_meta_graph(str(folder / "graph.meta"), as_text=True)


def _read_meta_graph(_: Any, folder: Path) -> int:
    with td.Graph().as_default(), td.Session() as session:
        td.train.import_meta_graph(str(folder / "graph.meta"))
        return int(session.run("n:0"))


def _network(_: Path) -> Any:
    with td.Graph().as_default() as graph, td.Session(graph=graph).as_default() as session:
        model = td.keras.Sequential([td.keras.layers.Dense(2, input_shape=(3,))])
        model.set_weights([np.zeros((3, 2)), np.zeros(2)])
    return model, graph, session


def _of_network(
    write: Callable[[Any, str], Any], read: Callable[[Any, str], Any]
) -> tuple[Callable[[Any, Path, int], None], Callable[[Any, Path], int]]:
    """Writer of a network's version, and its reader."""

    def written(network: Any, folder: Path, version: int) -> None:
        model, graph, session = network
        with graph.as_default(), session.as_default():
            model.set_weights([np.full((3, 2), version), np.full(2, version)])
            write(model, str(folder / "model"))

    def read_back(network: Any, folder: Path) -> int:
        model, graph, session = network
        with graph.as_default(), session.as_default():
            found = read(model, str(folder / "model"))
            model = found if hasattr(found, "get_weights") else model
            [version] = {x for w in model.get_weights() for x in w.ravel().tolist()}
        return int(version)

    return written, read_back


def _copy(_: Any, folder: Path, version: int) -> None:
    source = folder.parent / f"{folder.name}.source"
    source.write_bytes(b"%d" % version * 100_000)
    td.gfile.Copy(source, folder / "copy", overwrite=True)


def _read_copy(_: Any, folder: Path) -> int:
    data = (folder / "copy").read_bytes()
    [digit] = set(data)
    assert len(data) == 100_000
    return digit - ord("0")


def _keep_code(_: Any, folder: Path, version: int) -> None:
    CodeCache(folder / "loops").keep("key", Code("f", b"%d" % version * 10_000))


def _read_code(_: Any, folder: Path) -> int:
    code = CodeCache(folder / "loops").read("key")
    assert code is not None
    return int(code.code[:1])


def _by_command(*arguments: str, out: str) -> Callable[[Any, Path, int], None]:
    """Writer by a command, of a graph whose constant is the version."""

    def write(_: Any, folder: Path, version: int) -> None:
        source = folder.parent / f"{folder.name}.pb"
        with td.Graph().as_default() as graph:
            td.identity(td.constant([version] * 3, name=f"version{version}"), name="n")
        source.write_bytes(graph.as_graph_def().SerializeToString())
        words = [{"IN": str(source), "OUT": str(folder / out)}.get(x, x) for x in arguments]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            if main(words):
                raise ValueError("the command failed")

    return write


def _version_in(name: str, end: bytes) -> Callable[[Any, Path], int]:
    """Reader of the version that a text states, which must be whole."""

    def read(_: Any, folder: Path) -> int:
        text = (folder / name).read_bytes()
        assert text.rstrip().endswith(end)
        [version] = set(re.findall(rb"version(\d)", text))
        return int(version)

    return read


def _read_results(_: Any, folder: Path) -> int:
    with np.load(folder / "out.npz") as arrays:
        [version] = {x for name in arrays for x in arrays[name].tolist()}
    return int(version)


def _read_optimized(_: Any, folder: Path) -> int:
    with td.Session(graph=td.load_graph(folder / "out.pb")) as session:
        [version] = set(session.run("n:0").tolist())
    return int(version)


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
    "a meta graph": Writer(_none, _write_meta_graph, _read_meta_graph),
    "a network": Writer(
        _network,
        *_of_network(
            lambda model, path: model.save(f"{path}.h5"),
            lambda _, path: td.keras.models.load_model(f"{path}.h5"),
        ),
    ),
    "weights": Writer(
        _network,
        *_of_network(
            lambda model, path: model.save_weights(f"{path}.h5"),
            lambda model, path: model.load_weights(f"{path}.h5"),
        ),
    ),
    "weights in a checkpoint": Writer(
        _network,
        *_of_network(
            lambda model, path: model.save_weights(path),
            lambda model, path: model.load_weights(path),
        ),
    ),
    "a copy": Writer(_none, _copy, _read_copy),
    "machine code": Writer(_none, _keep_code, _read_code),
    "a drawing": Writer(
        _none,
        _by_command("draw", "IN", "--out", "OUT", out="out.html"),
        _version_in("out.html", b"</html>"),
    ),
    "results of a run": Writer(
        _none, _by_command("run", "IN", "--out", "OUT", out="out.npz"), _read_results
    ),
    "an optimized graph": Writer(
        _none, _by_command("optimize", "IN", "--out", "OUT", out="out.pb"), _read_optimized
    ),
}


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize(("what", "kind"), effort.sample(product(WRITERS, KINDS), 30))
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
    for number in effort.some(operations.count, 4):
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
