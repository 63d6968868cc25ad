"""Atomic replacement of folders: written beside, and put in place when whole."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

if os.name == "posix":
    import fcntl

_SUFFIX = ".part"
_MOST_CHARACTERS = 50  # of the name, so that what is put around it fits whatever their bytes


@contextmanager
def replacing_folder(path: str, is_replaceable: Callable[[Sequence[str]], bool]) -> Iterator[str]:
    """A new folder to be filled in a `with` block, which takes the place of `path` at its end.

    Whatever happens, `path` is not there, or is what it was, or what was written, whole. If the
    process is killed between the two renames that replace a folder, the old one is beside it.

    Args:
        path: the folder; it may be there, if it is empty, or of a kind that may be replaced.
        is_replaceable: whether a folder with files of these names may be replaced.

    Raises:
        OSError: the folder cannot be written, or `path` must not be replaced.
    """
    target = os.path.realpath(path)
    _check(target, path, is_replaceable)
    parent, name = os.path.split(target)
    try:
        _sweep(parent)
        temporary = os.path.join(parent, f".{name[:_MOST_CHARACTERS]}.{secrets.token_hex(8)}")
        temporary += _SUFFIX
        os.mkdir(temporary)
    except OSError as error:
        error.filename = path
        if isinstance(error, FileNotFoundError):
            error.strerror = f"There is no folder {os.path.dirname(path)!r}; make it first"
        raise
    lock = _locked(temporary)
    try:
        yield temporary
        for folder, _, names in os.walk(temporary, topdown=False):
            for each in names:
                _sync(os.path.join(folder, each))
            _sync(folder)
        if os.path.isdir(target):
            _check(target, path, is_replaceable)
            old = f"{temporary.removesuffix(_SUFFIX)}.old{_SUFFIX}"
            os.rename(target, old)
            try:
                os.rename(temporary, target)
            except BaseException:
                os.rename(old, target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            os.rename(temporary, target)
        _sync(parent)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError) and str(error.filename or "").startswith(temporary):
            error.filename = path
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _check(target: str, path: str, is_replaceable: Callable[[Sequence[str]], bool]) -> None:
    """Checks that nothing would be lost."""
    if not os.path.lexists(target):
        return
    if not os.path.isdir(target):
        raise NotADirectoryError(errno.ENOTDIR, "It is a file, where a folder is to be", path)
    names = sorted(os.listdir(target))
    if names and not is_replaceable(names):
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        raise FileExistsError(
            errno.EEXIST,
            f"The folder holds other files ({shown}), which would be lost; name a new folder",
            path,
        )


def _sweep(parent: str) -> None:
    """Removes what killed writers have left in a folder; a lock ends with its process."""
    named = re.compile(
        rf"\..{{0,{_MOST_CHARACTERS}}}\.[0-9a-f]{{16}}{re.escape(_SUFFIX)}", re.DOTALL
    )
    with os.scandir(parent or os.curdir) as entries:
        left = [
            entry.path
            for entry in entries
            if named.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
        ]
    for path in left:
        with suppress(OSError):
            lock = _locked(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _locked(folder: str) -> int | None:
    """Locks a folder until it is closed; None where that is not possible."""
    if os.name != "posix":
        return None
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another, or a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def _sync(path: str) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # where the system does not do it
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
