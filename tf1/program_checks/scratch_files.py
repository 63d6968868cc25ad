"""Files of a checked program: it reads existing files, and writes to a scratch folder."""

from __future__ import annotations

import builtins
import io
import os
import shutil
import stat
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Self

_WRITING = set("wax+")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Functions of `os`, by their effect on their first arguments, which are paths.
_READ = ("stat", "lstat", "access", "readlink", "chdir")
_CHANGE = ("mkdir", "utime", "chmod", "truncate")
_REMOVE = ("rmdir", "remove", "unlink")
_CHANGE_TWO = ("rename", "replace", "link", "symlink")
_REFUSED = {
    "socket.connect": "connects to {1!r}",
    "socket.getaddrinfo": "looks up the host {0!r}",
    "subprocess.Popen": "starts {0!r}",
    "os.system": "starts {0!r}",
    "os.exec": "starts {0!r}",
    "os.posix_spawn": "starts {0!r}",
}


class RefusedError(PermissionError):
    """The program attempted an action that a check does not allow."""


class _Entries(list[Any]):
    """The entries of a folder, as `os.scandir` returns them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if not self:
            raise StopIteration
        return self.pop(0)

    def close(self) -> None:
        """Does nothing: no folder is open."""


class ScratchFiles:
    """Redirects all writes to a scratch folder, and reads of what was written there.

    A file that is changed is copied there first; of one that is removed, it is noted that it is
    gone. File access inside of C libraries is not redirected.

    Args:
        root: the folder.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._removed: set[str] = set()
        self._stat = os.stat
        self._open = io.open
        self._mkdir = os.mkdir

    def install(self) -> None:
        """From now on, in this process, for good."""
        self._makedirs(self._root)
        builtins.open = io.open = self._opening(io.open)
        os.open = self._os_opening(os.open)
        os.listdir = self._listing(os.listdir, list, str)
        os.scandir = self._listing(os.scandir, _Entries, _name)
        for name in _READ:
            setattr(os, name, _through(getattr(os, name), self._read_path, 1))
        for name in _CHANGE:
            setattr(os, name, _through(getattr(os, name), self._written_path, 1))
        for name in _CHANGE_TWO:
            setattr(os, name, self._moving(getattr(os, name), name.startswith("re")))
        for name in _REMOVE:
            setattr(os, name, self._removing(getattr(os, name)))
        vars(shutil)["_use_fd_functions"] = False  # it names files by descriptors of folders
        sys.addaudithook(self._refuse)

    def _read_path(self, path: Any) -> Any:
        """The path to read from: in the scratch folder if it was written or removed."""
        inside = self._inside(path)
        if inside is None or not (self._exists(inside) or self._is_removed(path)):
            return path
        return inside

    def _written_path(self, path: Any) -> Any:
        """The path to write to: in the scratch folder, with the earlier content."""
        inside = self._inside(path)
        if inside is None:
            return path
        if not self._exists(inside):
            if not self._exists(os.path.dirname(inside)):
                folder = os.path.dirname(os.path.abspath(os.fsdecode(path)))
                if self._is_removed(folder) or not self._exists(folder):
                    return inside  # which is not writable either
                self._makedirs(os.path.dirname(inside))
            if not self._is_removed(path):
                self._copied(path, inside)
        return inside

    def _inside(self, path: Any) -> str | None:
        """The path in the scratch folder; None if it is not a path, or is there already."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            return None
        full = os.path.abspath(os.fsdecode(path))
        if full.startswith((self._root, "/dev/", "/proc/")):
            return None
        return self._root + os.path.splitdrive(full)[1]

    def _is_removed(self, path: Any) -> bool:
        full = Path(os.path.abspath(os.fsdecode(path)))
        return any(str(folder) in self._removed for folder in (full, *full.parents))

    def _exists(self, path: Any) -> bool:
        try:
            self._stat(path)
        except OSError:
            return False
        return True

    def _makedirs(self, path: str) -> None:
        for folder in reversed([Path(path), *Path(path).parents]):
            if not self._exists(folder):
                self._mkdir(folder)

    def _copied(self, source: Any, target: str) -> None:
        try:
            mode = self._stat(source).st_mode
        except OSError:
            return
        if stat.S_ISDIR(mode):
            self._mkdir(target)
            return
        with self._open(source, "rb") as old, self._open(target, "wb") as new:
            shutil.copyfileobj(old, new)

    def _opening(self, function: Any) -> Any:
        @wraps(function)
        def open_file(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            path_of = self._written_path if _WRITING & set(mode) else self._read_path
            return function(path_of(file), mode, *args, **kwargs)

        return open_file

    def _os_opening(self, function: Any) -> Any:
        @wraps(function)
        def open_file(path: Any, flags: int, *args: Any, **kwargs: Any) -> Any:
            path_of = self._written_path if flags & _WRITE_FLAGS else self._read_path
            return function(path_of(path), flags, *args, **kwargs)

        return open_file

    def _listing(self, function: Any, kind: Any, name_of: Any) -> Any:
        """Wraps a function that lists a folder, to add written and hide removed entries."""

        @wraps(function)
        def listed(path: Any = ".") -> Any:
            inside = self._inside(path)
            if inside is None or not (self._exists(inside) or self._is_removed(path)):
                return function(path)
            entries = list(function(inside))
            names = {name_of(item) for item in entries}
            if self._exists(path) and not self._is_removed(path):
                for item in function(path):
                    name = name_of(item)
                    if name not in names and not self._is_removed(os.path.join(path, name)):
                        entries.append(item)
            return kind(entries)

        return listed

    def _moving(self, function: Any, leaves: bool) -> Any:
        """Wraps a function of two paths; `leaves` if the first is gone afterwards."""

        @wraps(function)
        def moved(source: Any, target: Any, **kwargs: Any) -> None:
            function(self._written_path(source), self._written_path(target), **kwargs)
            if leaves:
                self._removed.add(os.path.abspath(os.fsdecode(source)))

        return moved

    def _removing(self, function: Any) -> Any:
        @wraps(function)
        def removed(path: Any, **kwargs: Any) -> None:
            inside = self._inside(path)
            if inside is None:
                function(path, **kwargs)
            elif self._exists(inside) or self._is_removed(path) or not self._exists(path):
                function(inside, **kwargs)
            if inside is not None:
                self._removed.add(os.path.abspath(os.fsdecode(path)))

        return removed

    def _refuse(self, event: str, arguments: tuple[Any, ...]) -> None:
        what = _REFUSED.get(event)
        if what is not None:
            raise RefusedError(f"the program {what.format(*arguments)}, which checks do not allow")
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITE_FLAGS:
            path = arguments[0]
            if self._inside(path) is not None:
                message = f"the program writes {path!r} in a way that a check does not follow"
                raise RefusedError(message)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _through(function: Any, path_of: Callable[[Any], Any], paths: int) -> Any:
    """Wraps a function of `os`, redirecting its first arguments, which are paths."""

    @wraps(function)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        return function(*map(path_of, args[:paths]), *args[paths:], **kwargs)

    return replaced
