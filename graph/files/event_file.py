"""Graphs in event files, which TensorBoard shows."""

from __future__ import annotations

import os
import struct
import time
from typing import TYPE_CHECKING

from ...protos.messages import GraphDef
from ..graph import Graph

if TYPE_CHECKING:
    from os import PathLike

public = {"td": "write_graph_events"}

_MOST_CONSTANT_BYTES = 1024
_VERSION = b"brain.Event:2"
_CASTAGNOLI = 0x82F63B78


def write_graph_events(graph: Graph | GraphDef, logdir: str | PathLike[str]) -> str:
    """Writes a graph to a new event file, for `tensorboard --logdir`.

    The values of large constants are left out, since TensorBoard does not show them.

    Args:
        graph: a Graph or a GraphDef.
        logdir: the folder; made if it is not there.

    Returns:
        The path of the file.

    Raises:
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> from tensordraft.graph.files.event_file import write_graph_events
        >>> with td.Graph().as_default() as graph:
        ...     y = td.constant(1, name="y")
        >>> os.path.basename(write_graph_events(graph, tempfile.mkdtemp()))[:19]
        'events.out.tfevents'
    """
    now = time.time()
    folder = os.fspath(logdir)
    os.makedirs(folder, exist_ok=True)
    message = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
    data = _without_large_values(message).SerializeToString(deterministic=True)
    path = os.path.join(folder, f"events.out.tfevents.{int(now)}.{time.time_ns()}")
    with open(path, "xb") as file:
        file.write(_record(_event(now, 3, _VERSION)))
        file.write(_record(_event(now, 4, data)))
    return path


def _without_large_values(graph_def: GraphDef) -> GraphDef:
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        if "value" in node.attr and node.attr["value"].ByteSize() > _MOST_CONSTANT_BYTES:
            tensor = node.attr["value"].tensor
            kept = type(tensor)(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape)
            tensor.CopyFrom(kept)
    return result


def _event(now: float, field: int, data: bytes) -> bytes:
    """An Event message: the time in field 1, and `data` in another field."""
    return b"\x09" + struct.pack("<d", now) + bytes([field << 3 | 2]) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _record(data: bytes) -> bytes:
    """A record: length, its checksum, data, and its checksum."""
    length = struct.pack("<Q", len(data))
    return length + _masked_checksum(length) + data + _masked_checksum(data)


def _masked_checksum(data: bytes) -> bytes:
    """CRC-32C, rotated and shifted as TensorFlow's record files have it."""
    table = _checksum_table()
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def _checksum_table() -> list[int]:
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (_CASTAGNOLI if number & 1 else 0)
        table.append(number)
    return table
