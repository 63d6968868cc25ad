"""Files, under the names that TensorFlow gives to this: `td.gfile`. Paths are local ones.

Instead of `OSError`, they raise the errors of `td.errors`.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..runtime import errors
from .local_files import FileStatistics, told_as_op_error
from .replacement import copy_file

if TYPE_CHECKING:
    from .local_files import Path

public = {
    "td.gfile": (
        "Copy DeleteRecursively Exists Glob IsDirectory ListDirectory MakeDirs MkDir Remove Rename "
        "Stat Walk"
    ),
    "td.io.gfile": (
        "copy=Copy exists=Exists glob=Glob isdir=IsDirectory listdir=ListDirectory "
        "makedirs=MakeDirs mkdir=MkDir remove=Remove rename=Rename rmtree=DeleteRecursively "
        "stat=Stat walk"
    ),
}


def Exists(filename: Path) -> bool:
    """Returns whether there is a file or folder of that name.

    Example:
        >>> import tempfile
        >>> td.gfile.Exists(tempfile.mkdtemp())
        True
    """
    return os.path.exists(filename)


def IsDirectory(dirname: Path) -> bool:
    """Returns whether there is a folder of that name.

    Example:
        >>> import tempfile
        >>> td.gfile.IsDirectory(tempfile.mkdtemp())
        True
    """
    return os.path.isdir(dirname)


def ListDirectory(dirname: Path) -> list[str]:
    """Names of the entries of a folder, in no particular order.

    Raises:
        NotFoundError: there is no such folder.

    Example:
        >>> import tempfile
        >>> td.gfile.ListDirectory(tempfile.mkdtemp())
        []
    """
    with told_as_op_error():
        return os.listdir(dirname)


def MkDir(dirname: Path) -> None:
    """Makes a folder in one that exists; no error if it is there, or a file of that name.

    Raises:
        NotFoundError: the folder around does not exist.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "models")
        >>> td.gfile.MkDir(path)
        >>> td.gfile.IsDirectory(path)
        True
    """
    if not Exists(dirname):
        with told_as_op_error():
            os.mkdir(dirname)


def MakeDirs(dirname: Path) -> None:
    """Makes a folder, and those around it that do not exist; no error if it is there.

    Raises:
        FailedPreconditionError: one of them is a file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "models", "new")
        >>> td.gfile.MakeDirs(path)
        >>> td.gfile.IsDirectory(path)
        True
    """
    try:
        with told_as_op_error():
            os.makedirs(dirname, exist_ok=True)
    except (errors.AlreadyExistsError, errors.NotFoundError) as error:
        message = f"{error.message}: a part of {os.fspath(dirname)!r} is not a folder"
        raise errors.FailedPreconditionError(None, None, message) from error


def Remove(filename: Path) -> None:
    """Deletes a file.

    Raises:
        NotFoundError: there is no such file.
        FailedPreconditionError: it is a folder.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "notes")
        >>> with td.gfile.GFile(path, "w") as file:
        ...     file.write("one")
        >>> td.gfile.Remove(path)
        >>> td.gfile.Exists(path)
        False
    """
    with told_as_op_error():
        os.remove(filename)


def DeleteRecursively(dirname: Path) -> None:
    """Deletes a folder and all that is in it.

    Raises:
        NotFoundError: there is no such folder.

    Example:
        >>> import tempfile
        >>> path = tempfile.mkdtemp()
        >>> td.gfile.DeleteRecursively(path)
        >>> td.gfile.Exists(path)
        False
    """
    with told_as_op_error():
        shutil.rmtree(dirname)


def Rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    Args:
        oldname: the path.
        newname: the new path.
        overwrite: whether a file of the new name is replaced.

    Raises:
        NotFoundError: there is no such file.
        AlreadyExistsError: the new name is taken.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> td.gfile.MkDir(os.path.join(folder, "old"))
        >>> td.gfile.Rename(os.path.join(folder, "old"), os.path.join(folder, "new"))
        >>> td.gfile.ListDirectory(folder)
        ['new']
    """
    _check_free(newname, overwrite)
    with told_as_op_error():
        os.replace(oldname, newname)


def Copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        oldpath: the file.
        newpath: the path of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        NotFoundError: there is no such file.
        AlreadyExistsError: the new name is taken.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "notes")
        >>> with td.gfile.GFile(path, "w") as file:
        ...     file.write("one")
        >>> td.gfile.Copy(path, path + ".old")
        >>> with td.gfile.GFile(path + ".old") as file:
        ...     file.read()
        'one'
    """
    _check_free(newpath, overwrite)
    with told_as_op_error():
        copy_file(oldpath, newpath)


def _check_free(path: Path, overwrite: bool) -> None:
    if not overwrite and Exists(path):
        raise errors.AlreadyExistsError(None, None, f"{path!r} exists already")


def Glob(filename: Path | Sequence[Path]) -> list[str]:
    """The paths that fit a pattern with `*`, `?` and `[...]`, or one of several, in order.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in ("a.txt", "b.txt", "c.png"):
        ...     with td.gfile.GFile(os.path.join(folder, name), "w") as file:
        ...         file.write(name)
        >>> [os.path.basename(path) for path in td.gfile.Glob(os.path.join(folder, "*.txt"))]
        ['a.txt', 'b.txt']
    """
    patterns: Any = filename if isinstance(filename, (list, tuple)) else [filename]
    return [path for pattern in patterns for path in sorted(glob.glob(os.fsdecode(pattern)))]


def Walk(top: Path, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders under a folder: for each its path, the folders in it and the files in it.

    Args:
        top: the folder.
        in_order: whether a folder comes before those inside it.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> td.gfile.MakeDirs(os.path.join(folder, "models", "new"))
        >>> [inner for _, inner, _ in td.gfile.Walk(folder)]
        [['models'], ['new'], []]
    """
    yield from os.walk(os.fsdecode(top), topdown=in_order)


def walk(
    top: Path, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders under a folder: for each its path, the folders in it and the files in it.

    Args:
        top: the folder.
        topdown: whether a folder comes before those inside it.
        onerror: called with the error where a folder cannot be read, which is left out.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> td.io.gfile.makedirs(os.path.join(folder, "models", "new"))
        >>> [inner for _, inner, _ in td.io.gfile.walk(folder, topdown=False)]
        [[], ['new'], ['models']]
    """

    def report(error: OSError) -> None:
        try:
            with told_as_op_error():
                raise error
        except errors.OpError as converted:
            if onerror is not None:
                onerror(converted)

    yield from os.walk(os.fsdecode(top), topdown, report)


def Stat(filename: Path) -> FileStatistics:
    """The size of a file, and when it was last changed.

    Raises:
        NotFoundError: there is no such file.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "notes")
        >>> with td.gfile.GFile(path, "w") as file:
        ...     file.write("one")
        >>> td.gfile.Stat(path).length
        3
    """
    with told_as_op_error():
        found = os.stat(filename)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(filename))
