"""Machine code on disk, in a folder that is the user's own, so that a process need not wait."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MARK = b"tensordraft machine code 1\n"
_MOST_FILES = 2000


class Code(NamedTuple):
    """Object code, and the name of the function in it."""

    symbol: str
    code: bytes


class CodeCache:
    """The folder. What is in it is run, so that nobody else may be able to write there.

    Args:
        folder: where it is; made when something is kept. By default in the user's folder of
            caches.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder

    @property
    def folder(self) -> Path:
        """Where it is."""
        if self._given is not None:
            return self._given
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return Path(caches) / "tensordraft" / "loops"

    def holds_anything(self) -> bool:
        """Whether it is worth a look."""
        return self.folder.is_dir()

    def read(self, key: str) -> Code | None:
        """What was kept under `key`; None if there is nothing, or it is damaged."""
        try:
            if not self._is_ours():
                return None
            data = (self.folder / key).read_bytes()
        except OSError:
            return None
        import hashlib

        mark, digest, rest = data[: len(_MARK)], data[len(_MARK) :][:32], data[len(_MARK) + 32 :]
        if mark != _MARK or hashlib.sha256(rest).digest() != digest:
            return None
        symbol, _, code = rest.partition(b"\n")
        return Code(symbol.decode(), code)

    def keep(self, key: str, code: Code) -> None:
        """Keeps code, if that can be done; a process that reads sees all of it or nothing."""
        import hashlib
        import tempfile

        rest = code.symbol.encode() + b"\n" + code.code
        data = _MARK + hashlib.sha256(rest).digest() + rest
        with suppress(OSError):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if not self._is_ours():
                return
            self._make_room()
            handle, name = tempfile.mkstemp(dir=self.folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(name, self.folder / key)
            except OSError:
                os.unlink(name)

    def _is_ours(self) -> bool:
        """Whether the folder belongs to the user, and nobody else may enter it."""
        if not hasattr(os, "geteuid"):
            return False  # there is no telling
        found = os.lstat(self.folder)
        owned = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        return owned and not found.st_mode & 0o077

    def _make_room(self) -> None:
        """Drops what was made first, where there is too much."""
        files = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - _MOST_FILES)]:
            path.unlink(missing_ok=True)
