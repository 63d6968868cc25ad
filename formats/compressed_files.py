"""Compressed files, unpacked into a temporary file before they are read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from tempfile import TemporaryFile
from typing import IO, Any, cast

from ..runtime import errors
from ..runtime.load_budget import check_room
from .other_files import is_tar

_GZIP, _BZIP2 = b"\x1f\x8b\x08", b"BZh"
_STEP = 1 << 20
_MOST_BYTES = (1 << 31) - 1  # of a message of protobuf, and of a flatbuffer


@contextmanager
def uncompressed(file: BufferedIOBase, title: str) -> Iterator[BufferedIOBase]:
    """A file that is not compressed: `file` itself, or a temporary one with its content.

    What is unpacked never exceeds 2 GiB, the most that a graph message may have, nor what the
    budgets in force have left.

    Args:
        file: the file, open for reading; compressed with gzip, bzip2, or not.
        title: its name, for errors.

    Raises:
        DataLossError: it is compressed, and cut off or damaged; or a tar archive is inside.
        ResourceExhaustedError: it unpacks to more than is allowed.
        OSError: there is no space for the temporary file.

    Example:
        >>> import gzip, os, tempfile
        >>> from tensordraft.formats.compressed_files import uncompressed
        >>> path = os.path.join(tempfile.mkdtemp(), "text.gz")
        >>> with gzip.open(path, "wb") as packed:
        ...     _ = packed.write(b"content")
        >>> with open(path, "rb") as file, uncompressed(file, path) as plain:
        ...     plain.read()
        b'content'
    """
    file.seek(0)
    head = file.read(len(_GZIP))
    file.seek(0)
    if not head.startswith((_GZIP, _BZIP2)):
        yield file
        return
    with TemporaryFile() as plain:
        kind, unpacked = ("gzip", _gzip(file)) if head == _GZIP else ("bzip2", _bzip2(file))
        _copy(unpacked, plain, kind, title)
        plain.seek(0)
        yield cast("BufferedIOBase", plain)


def _gzip(file: BufferedIOBase) -> IO[bytes]:
    import gzip

    return cast("IO[bytes]", gzip.GzipFile(fileobj=file))


def _bzip2(file: BufferedIOBase) -> IO[bytes]:
    import bz2

    return cast("IO[bytes]", bz2.BZ2File(cast("Any", file)))


def _copy(source: IO[bytes], target: IO[bytes], kind: str, title: str) -> None:
    """Unpacks a file, piece by piece."""
    size = 0
    while piece := _next_piece(source, kind, title):
        if not size and is_tar(piece):
            raise errors.DataLossError(
                None,
                None,
                f"{title} is not a graph: it is a tar archive compressed with {kind}; "
                f"unpack it (tar xf), and name the file or folder in it",
            )
        size += len(piece)
        what = f"the content of {title!r}, unpacked,"
        if size > _MOST_BYTES:
            message = f"{what} takes more than 2 GiB, the most that a graph may have"
            raise errors.ResourceExhaustedError(None, None, message)
        check_room(size, what)
        target.write(piece)


def _next_piece(source: IO[bytes], kind: str, title: str) -> bytes:
    try:
        return source.read(_STEP)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        message = f"{title} is compressed with {kind}, and cut off or damaged: {error}"
        raise errors.DataLossError(None, None, message) from error
