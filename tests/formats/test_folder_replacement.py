"""Folders are replaced whole or not at all, and only where nothing else would be lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tensordraft.formats.folder_replacement import replacing_folder

posix = pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")


def ours(names: Sequence[str]) -> bool:
    return set(names) <= {"a", "b"}


def write(path: Path, name: str = "a", text: str = "new") -> None:
    with replacing_folder(str(path), ours) as temporary:
        Path(temporary, name).write_text(text)


def test_a_folder_takes_the_place_of_another(tmp_path: Path) -> None:
    write(tmp_path / "model", "a")
    write(tmp_path / "model", "b")
    assert list(tmp_path.iterdir()) == [tmp_path / "model"]
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["b"]


def test_other_files_and_plain_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis").write_text("old")
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileExistsError, match="thesis"):
        write(tmp_path / "folder")
    with pytest.raises(NotADirectoryError, match="It is a file"):
        write(tmp_path / "file")
    with pytest.raises(FileNotFoundError, match="make it first"):
        write(tmp_path / "nowhere" / "model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write(path, text="old")

    def fill(temporary: str) -> None:
        Path(temporary, "a").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with (
        pytest.raises(OSError, match=r"No space left on device: .*model"),
        replacing_folder(str(path), ours) as temporary,
    ):
        fill(temporary)
    assert (path / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_moved_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    write(path, text="old")
    rename = os.rename

    def failing(source: str, target: str) -> None:
        if target == str(path) and not source.endswith(".old.part"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), source)
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(PermissionError, match="/model'"):
        write(path)
    assert (path / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_an_error_of_the_disk_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="error"):
        write(tmp_path / "model")
    assert not list(tmp_path.iterdir())


@posix
def test_leftovers_of_killed_writers_are_swept_away(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "from tensordraft.formats.folder_replacement import replacing_folder\n"
        "with replacing_folder('model', lambda _: True) as temporary:\n"
        "    open(os.path.join(temporary, 'a'), 'w').close(); os._exit(9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=tmp_path)
    assert done.returncode == 9
    assert [path.name.endswith(".part") for path in tmp_path.iterdir()] == [True]
    with replacing_folder(str(tmp_path / "one"), ours):  # locked, so no leftover for the next
        write(tmp_path / "two")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_many_writers_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: write(tmp_path / f"model{number}"), range(40)))
    assert len(list(tmp_path.iterdir())) == 40
