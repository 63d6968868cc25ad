"""Machine code on disk is read from nowhere but a folder that is the user's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordraft.acceleration import code_cache
from tensordraft.acceleration.code_cache import Code, CodeCache

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
    def fail(*_: object) -> None:
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
