"""Files that hold one message: atomic writes, and reads with descriptive errors."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from os import PathLike
from typing import TypeVar

from google.protobuf import message as protobuf_message
from google.protobuf.message import Message

from ..runtime import errors
from ..runtime.load_budget import ask
from .replacement import replacing

TEXT_SUFFIXES = (".pbtxt", ".txt", ".textproto")
_MOST_BYTES = (1 << 31) - 1
_MOST_OF_NO_SIZE = 1 << 24  # bytes of a file of which the system states none, as in /proc

AnyMessage = TypeVar("AnyMessage", bound=Message)


def read_file(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        NotFoundError: there is no such file.
        InvalidArgumentError: it is a pipe or device, which need not end.
        ResourceExhaustedError: it is larger than a tensor may be, or there is not enough memory.
        OSError: it cannot be read.
    """
    with _opened(path, _without_waiting) as file, memory_for(path):
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            message = f"{path!r} is not a regular file, but a pipe or device"
            raise errors.InvalidArgumentError(None, None, message)
        ask(found.st_size, f"the file {path!r}")
        return file.read(found.st_size or _MOST_OF_NO_SIZE)


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file; a pipe, too, without waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def opened(path: str) -> Iterator[BufferedReader]:
    """Opens a file for reading; raises a descriptive error if it is missing."""
    with _opened(path, None) as file:
        yield file


@contextmanager
def _opened(path: str, opener: Callable[[str, int], int] | None) -> Iterator[BufferedReader]:
    try:
        with open(path, "rb", opener=opener) as file:
            yield file
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no file {path!r}") from None


@contextmanager
def memory_for(path: str | PathLike[str]) -> Iterator[None]:
    """Context of reading a file: out-of-memory errors name the file."""
    try:
        yield
    except MemoryError:
        message = f"{os.fsdecode(path)!r} takes more memory than is left"
        raise errors.ResourceExhaustedError(None, None, message) from None


def parse_message(
    kind: type[AnyMessage], data: bytes, source: str, *, as_text: bool = False
) -> AnyMessage:
    """The message that `data` holds.

    Args:
        kind: the class of the message.
        data: the message.
        source: the file that the data is from.
        as_text: whether the data is in text form.

    Raises:
        DataLossError: it is not such a message.
    """
    try:
        return _from_text(kind, data) if as_text else kind.FromString(data)
    except (ValueError, RecursionError, protobuf_message.DecodeError) as error:
        what = f"{source} is not a {kind.__name__}"
        raise errors.DataLossError(None, None, f"{what}: {error}") from error


def _from_text(kind: type[AnyMessage], data: bytes) -> AnyMessage:
    from google.protobuf import text_format

    try:
        message = text_format.Parse(data.decode(), kind())
    except text_format.ParseError as error:
        # Such as `1:1 : Message type "tensorflow.GraphDef" has no field named "Dear".`
        place, _, clause = str(error).partition(" : ")
        line = place.partition(":")[0]
        raise ValueError(f"line {line}: {clause}" if line.isdigit() else str(error)) from error
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
