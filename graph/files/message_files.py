"""Files that hold one message: written whole or not at all, read with an error that tells."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from google.protobuf import message as protobuf_message
from google.protobuf.message import Message

from ...protos.messages import GraphDef
from .. import errors
from .large_constants import read_apart
from .replacement import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from os import PathLike

    from .progress import Progress

TEXT_SUFFIXES = (".pbtxt", ".txt", ".textproto")
_MOST_BYTES = (1 << 31) - 1
_WORTH_A_LOOK = 1 << 24  # bytes of a file: what can be won in a smaller one is too little

AnyMessage = TypeVar("AnyMessage", bound=Message)


def load_graph_def(path: str | PathLike[str]) -> GraphDef:
    """Reads a GraphDef message from a file.

    Args:
        path: the file; text form if it ends in `.pbtxt`, else binary.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no GraphDef.
        OSError: the file cannot be read.
    """
    path = os.fspath(path)
    return parse_message(GraphDef, read_file(path), path)


def read_graph_def(
    path: str | PathLike[str], progress: Progress | None = None
) -> tuple[GraphDef, dict[str, memoryview]]:
    """A GraphDef from a file, without the content of large constants, which come beside it.

    Args:
        path: as for `load_graph`.
        progress: as for `load_graph`.

    Returns:
        The message, and the content of large constants by the names of their nodes.

    Raises:
        NotFoundError, DataLossError, ResourceExhaustedError, OSError: as `load_graph`.
    """
    path = os.fspath(path)
    with _opened(path) as file, memory_for(path):
        size = os.fstat(file.fileno()).st_size
        if size < _WORTH_A_LOOK or path.endswith(TEXT_SUFFIXES):
            return parse_message(GraphDef, file.read(), path), {}
        data, contents = read_apart(file, size, progress)
        return parse_message(GraphDef, data, path), contents


def read_file(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        NotFoundError: there is no such file.
        ResourceExhaustedError: there is not enough memory.
        OSError: it cannot be read.
    """
    with _opened(path) as file, memory_for(path):
        return file.read()


@contextmanager
def _opened(path: str) -> Iterator[BufferedReader]:
    try:
        with open(path, "rb") as file:
            yield file
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None


@contextmanager
def memory_for(path: str | PathLike[str]) -> Iterator[None]:
    """What reads a file: an error of its memory names the file."""
    try:
        yield
    except MemoryError:
        message = f"{os.fspath(path)!r} takes more memory than is left"
        raise errors.ResourceExhaustedError(None, None, message) from None


def parse_message(kind: type[AnyMessage], data: bytes, source: str) -> AnyMessage:
    """The message that `data` holds.

    Args:
        kind: the class of the message.
        data: the message, in text form if `source` ends like the name of a text file.
        source: the file that the data is from.

    Raises:
        DataLossError: it is no such message.
    """
    try:
        return _from_text(kind, data) if source.endswith(TEXT_SUFFIXES) else kind.FromString(data)
    except (ValueError, RecursionError, protobuf_message.DecodeError) as error:
        what = f"{source} is not a {kind.__name__}"
        raise errors.DataLossError(None, None, f"{what}: {error}") from error


def _from_text(kind: type[AnyMessage], data: bytes) -> AnyMessage:
    from google.protobuf import text_format

    try:
        message = text_format.Parse(data.decode(), kind())
    except text_format.ParseError as error:
        raise ValueError(str(error)) from error
    # In binary form, messages may be nested less deep; what cannot be saved is not loaded.
    return kind.FromString(message.SerializeToString())


def write_message(message: Message, path: str, *, as_text: bool) -> str:
    """Writes a message to a file, which is complete or absent; returns the path.

    Raises:
        ValueError: the message is larger than 2 GiB, the most that protobuf can read.
        OSError: the file cannot be written.
    """
    data = _encoded(message, as_text=as_text)
    with replacing(path) as file:
        file.write(data)
    return path


def _encoded(message: Message, *, as_text: bool) -> bytes:
    if as_text:
        from google.protobuf import text_format

        return text_format.MessageToString(message).encode()
    try:
        data: bytes = message.SerializeToString(deterministic=True)
    except protobuf_message.EncodeError as error:
        raise _too_large(message) from error
    if len(data) > _MOST_BYTES:  # some versions of protobuf write what none of them reads
        raise _too_large(message)
    return data


def _too_large(message: Message) -> ValueError:
    name = type(message).__name__
    return ValueError(f"the {name} is larger than 2 GiB, the most that protobuf can read")
