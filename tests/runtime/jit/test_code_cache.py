"""Machine code on disk is read from nowhere but a folder that is the user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordraft.runtime.jit import code_cache
from tensordraft.runtime.jit.code_cache import Code, CodeCache

CODE = Code("name", bytes(range(256)))


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path / "a" / "loops")
    assert not cache.holds_anything()
    assert cache.read("key") is None
    cache.keep("key", CODE)
    assert cache.holds_anything()
    assert CodeCache(cache.folder).read("key") == CODE
    assert cache.read("other") is None


def test_nobody_else_may_enter_the_folder(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    cache.folder.chmod(0o755)
    assert cache.read("key") is None
    cache.keep("later", CODE)
    assert [path.name for path in cache.folder.iterdir()] == ["key"]


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.read("key") is None


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    CodeCache(tmp_path / "loops").keep("key", CODE)
    (tmp_path / "link").symlink_to(tmp_path / "loops")
    assert CodeCache(tmp_path / "link").read("key") is None


def test_a_link_to_a_file_is_not_followed(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    (cache.folder / "key").rename(tmp_path / "elsewhere")
    (cache.folder / "key").symlink_to(tmp_path / "elsewhere")
    assert cache.read("key") is None


def test_a_file_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    (cache.folder / "key").chmod(0o622)
    assert cache.read("key") is None


@pytest.mark.parametrize(("mode", "used"), [(0o777, False), (0o1777, True), (0o755, True)])
def test_parents_that_others_may_write(tmp_path: Path, mode: int, used: bool) -> None:
    cache = CodeCache(tmp_path / "caches" / "loops")
    cache.keep("key", CODE)
    cache.folder.parent.chmod(mode)
    assert (cache.read("key") == CODE) is used


def test_a_parent_may_be_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "home")
    cache = CodeCache(tmp_path / "link" / "loops")
    cache.keep("key", CODE)
    assert cache.read("key") == CODE


def test_a_folder_that_is_exchanged_after_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted code is not read, even if files are swapped between two system calls."""
    planted = Code("name", b"planted")
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    other = CodeCache(tmp_path / "planted")
    other.keep("key", planted)
    other.folder.chmod(0o755)
    real, seen = os.fstat, set()
    for exchanged_at in range(1, 30):
        calls = iter(range(1, 1000))

        def fstat(descriptor: int, calls: object = calls, at: int = exchanged_at) -> object:
            found = real(descriptor)
            if next(calls) == at:  # type: ignore[call-overload]
                os.rename(tmp_path / "loops", tmp_path / "aside")
                os.rename(tmp_path / "planted", tmp_path / "loops")
            return found

        monkeypatch.setattr(os, "fstat", fstat)
        found = cache.read("key")
        monkeypatch.undo()
        if (tmp_path / "aside").exists():
            os.rename(tmp_path / "loops", tmp_path / "planted")
            os.rename(tmp_path / "aside", tmp_path / "loops")
        seen.add(found)
    assert seen <= {CODE, None}
    assert CODE in seen


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_damaged_code_is_not_used(tmp_path: Path, damage: str) -> None:
    cache = CodeCache(tmp_path / "loops")
    cache.keep("key", CODE)
    file = cache.folder / "key"
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    damaged: dict[str, bytes] = {"cut": bytes(data[:-1]), "changed": bytes(data), "empty": b""}
    file.write_bytes(damaged[damage])
    assert cache.read("key") is None


def test_what_cannot_be_kept_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = CodeCache(tmp_path / "file" / "loops")
    cache.keep("key", CODE)
    assert cache.read("key") is None


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("full")

    cache = CodeCache(tmp_path / "loops")
    monkeypatch.setattr(os, "replace", fail)
    cache.keep("key", CODE)
    assert list(cache.folder.iterdir()) == []


def test_the_oldest_code_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "_MOST_FILES", 2)
    cache = CodeCache(tmp_path / "loops")
    for age, key in enumerate("abcd"):
        cache.keep(key, CODE)
        os.utime(cache.folder / key, (age, age))
    assert sorted(path.name for path in cache.folder.iterdir()) == ["b", "c", "d"]


def test_the_folder_is_among_the_caches_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert CodeCache().folder == Path("/caches/tensordraft/loops")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert CodeCache().folder == Path("/home/somebody/.cache/tensordraft/loops")
