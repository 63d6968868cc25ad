"""Files are replaced whole or not at all: by many writers, through links, with their modes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td
from tensordraft.formats.replacement import replacing

posix = pytest.mark.skipif(os.name != "posix", reason="modes and locks are those of POSIX")


def write(path: Path, data: bytes) -> None:
    with replacing(str(path)) as file:
        file.write(data)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_many_writers_of_one_file_leave_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"

    def save(letter: int) -> bool:
        write(path, bytes([letter]) * 100_000)
        return len(set(path.read_bytes())) == 1 and path.stat().st_size == 100_000

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(save, range(100)))
    assert list(tmp_path.iterdir()) == [path]


def test_one_graph_is_saved_by_many_threads(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        td.constant(list(range(1000)), name="c")

    def save(_: int) -> int:
        return len(td.load_graph(td.save_graph(graph, tmp_path / "g.pb")).get_operations())

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(save, range(40))) == {1}


def test_nothing_is_written_under_a_name_that_can_be_foretold(tmp_path: Path) -> None:
    path = tmp_path / "g.pb"
    names = set()
    for _ in range(2):
        with replacing(str(path)):
            names |= {entry.name for entry in tmp_path.iterdir()} - {"g.pb"}
    assert len(names) == 2
    assert not any(str(os.getpid()) == part for name in names for part in name.split("."))


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real", tmp_path / "link"
    link.symlink_to(real)
    for data in (b"new", b"newer"):  # the first time, the link leads nowhere yet
        write(link, data)
        assert link.is_symlink()
        assert real.read_bytes() == data
    assert [path.name for path in real.parent.iterdir()] == ["real"]


@posix
@pytest.mark.parametrize("wanted", [0o600, 0o640, 0o664, 0o444, 0o755])
def test_a_file_keeps_its_mode(wanted: int, tmp_path: Path) -> None:
    path = tmp_path / "g.pb"
    path.write_bytes(b"old")
    path.chmod(wanted)
    with replacing(str(path)) as file:
        assert (
            stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
        )  # no other user can read it before
    assert mode(path) == wanted


@posix
def test_a_new_file_has_the_mode_that_open_gives(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain", tmp_path / "g.pb"
    old = os.umask(0o027)
    try:
        plain.write_bytes(b"")
        write(path, b"")
    finally:
        os.umask(old)
    assert mode(path) == mode(plain) == 0o640


@posix
def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "full"
    os.mkfifo(pipe)
    link.symlink_to("/dev/full")
    for path in (pipe, link):
        with pytest.raises(OSError, match="not a regular file") as caught:
            write(path, b"data")
        assert caught.value.filename == str(path)
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"data")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "pipe"]


def test_errors_name_the_file_that_was_wanted(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere" / "g.pb")
    with pytest.raises(FileNotFoundError) as caught, replacing(path):
        pass
    assert caught.value.filename == path


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 125 + ".pb")
    write(path, b"data")
    assert path.read_bytes() == b"data"


@posix
@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_writer_that_fails_leaves_what_was_there(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.pb"
    path.write_bytes(b"old")

    def failing(*_: Any, **__: Any) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="no space left"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_file_and_folder_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []

    def fsync(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))

    monkeypatch.setattr(os, "fsync", fsync)
    write(tmp_path / "g.pb", b"data")
    assert synced == [False, True]


KILLED = """\
import os, sys
from tensordraft.formats.replacement import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    os._exit(0)
"""


@posix
def test_leftovers_of_killed_writers_are_swept_away(tmp_path: Path) -> None:
    path = tmp_path / "g.pb"
    for _ in range(2):  # the second sweeps away what the first has left
        subprocess.run([sys.executable, "-c", KILLED, str(path)], check=True)
    [left] = tmp_path.iterdir()
    with replacing(str(path)) as file:
        assert not left.exists()
        write(path, b"between")  # does not disturb writers that are not done
        file.write(b"last")
    assert path.read_bytes() == b"last"
    assert list(tmp_path.iterdir()) == [path]


def test_a_checkpoint_makes_one_level_of_folder(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        v = td.Variable(1, name="v")
        session.run(v.initializer)
        saver = td.train.Saver()
        path = saver.save(session, tmp_path / "new" / "m.ckpt")
        assert td.train.latest_checkpoint(tmp_path / "new") == path
        with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist, can't save"):
            saver.save(session, tmp_path / "very" / "new" / "m.ckpt")
