"""Writing sorted tables, the LevelDB format in which TensorFlow keeps the index of a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .crc32c import masked_crc32c
from .sorted_table import MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCK_BYTES = 4096  # a block ends when it has reached this size
_FOOTER_HANDLES = 40  # bytes, filled up with zeros
_PLAIN = b"\0"


def table_bytes(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of some keys and values, not compressed.

    Args:
        entries: the keys and values, sorted by key.

    Example:
        >>> from tensordraft.graph.files.sorted_table import read_table
        >>> from tensordraft.graph.files.table_writer import table_bytes
        >>> list(read_table(table_bytes([(b"a", b"1"), (b"ab", b"2")])))
        [(b'a', b'1'), (b'ab', b'2')]
    """
    table = bytearray()
    index: list[tuple[bytes, bytes]] = []
    block: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in entries:
        block.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK_BYTES:
            index.append((key, _append(table, block)))
            block, size = [], 0
    if block or not index:
        last = block[-1][0] if block else b""
        index.append((last, _append(table, block)))
    meta = _append(table, [])
    handles = meta + _append(table, index)
    table += handles.ljust(_FOOTER_HANDLES, b"\0") + MAGIC.to_bytes(8, "little")
    return bytes(table)


def _append(table: bytearray, entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Adds a block, in which each key stands whole; returns where it is."""
    block = bytearray()
    restarts = [0]
    for i, (key, value) in enumerate(entries):
        if i:
            restarts.append(len(block))
        block += varint_bytes(0) + varint_bytes(len(key)) + varint_bytes(len(value)) + key + value
    for number in (*restarts, len(restarts)):
        block += number.to_bytes(4, "little")
    handle = varint_bytes(len(table)) + varint_bytes(len(block))
    block += _PLAIN
    table += block + masked_crc32c(bytes(block)).to_bytes(4, "little")
    return handle


def varint_bytes(number: int) -> bytes:
    """A number in groups of 7 bits, the lowest first."""
    result = bytearray()
    while number >= 0x80:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)
