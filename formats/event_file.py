"""Event files, which TensorBoard shows: records that hold Event messages."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from os import PathLike
from typing import Any

from google.protobuf.message import DecodeError

from ..protos.messages import Event, GraphDef, MetaGraphDef
from ..runtime.errors import DataLossError
from .appended_file import AppendedFile
from .record_file import framed, tf_record_iterator

public = {"td.train": "summary_iterator"}

_MOST_CONSTANT_BYTES = 1024
_OPENING = threading.Lock()


def opened_event_file(logdir: str | PathLike[str], suffix: str = "") -> tuple[str, AppendedFile]:
    """A new event file in a folder, which is made: its path, and the file with its first event."""
    folder = os.fsdecode(logdir)
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError as error:
        error.strerror = "There is a file of that name, where a folder is due"
        raise
    now = time.time()
    stem = os.path.join(folder, f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}")
    version = Event(wall_time=now, file_version="brain.Event:2")
    with _OPENING:
        number = 0
        while os.path.exists(path := f"{stem}{f'.{number}' if number else ''}{suffix}"):
            number += 1
        file = AppendedFile(path, exclusive=True)
    file.write(framed(version.SerializeToString()))
    return path, file


def graph_events(graph_def: GraphDef, *, with_meta_graph: bool) -> Iterator[Event]:
    """The events that show a graph, without the values of large constants."""
    small = _without_large_values(graph_def)
    yield Event(graph_def=small.SerializeToString(deterministic=True))
    if with_meta_graph:
        message = MetaGraphDef(graph_def=small)
        yield Event(meta_graph_def=message.SerializeToString(deterministic=True))


def _without_large_values(graph_def: GraphDef) -> GraphDef:
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        if "value" in node.attr and node.attr["value"].ByteSize() > _MOST_CONSTANT_BYTES:
            tensor = node.attr["value"].tensor
            kept = type(tensor)(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape)
            tensor.CopyFrom(kept)
    return result


def summary_iterator(path: str | PathLike[str]) -> Iterator[Event]:
    """The events of an event file, one after the other.

    Args:
        path: the file.

    Yields:
        Each Event; the first holds the version of the format.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is damaged.

    Example:
        >>> import tempfile
        >>> with td.Graph().as_default() as graph:
        ...     path = td.write_graph_events(graph, tempfile.mkdtemp())
        >>> [event.WhichOneof("what") for event in td.train.summary_iterator(path)]
        ['file_version', 'graph_def']
    """
    for record in tf_record_iterator(path):
        yield _event(record, path)


def _event(record: bytes, path: Any) -> Event:
    try:
        return Event.FromString(record)
    except DecodeError as error:
        raise DataLossError(None, None, f"{os.fsdecode(path)!r} holds no events") from error
