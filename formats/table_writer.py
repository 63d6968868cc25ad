"""Writing sorted tables, the LevelDB format in which TensorFlow keeps the index of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import IO

from .crc32c import masked_crc32c
from .sorted_table import MAGIC

_BLOCK_BYTES = 4096  # a block ends when it has reached this size
_FOOTER_HANDLES = 40  # bytes, filled up with zeros
_PLAIN = b"\0"


def table_bytes(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of some keys and values, not compressed.

    Args:
        entries: the keys and values, sorted by key.

    Example:
        >>> from tensordraft.formats.sorted_table import read_table
        >>> from tensordraft.formats.table_writer import table_bytes
        >>> list(read_table(table_bytes([(b"a", b"1"), (b"ab", b"2")])))
        [(b'a', b'1'), (b'ab', b'2')]
    """
    file = BytesIO()
    write_table(file, entries)
    return file.getvalue()


def write_table(file: IO[bytes], entries: Iterable[tuple[bytes, bytes]]) -> None:
    """Writes a table into an open file, block by block.

    Args:
        file: the file, at its beginning.
        entries: the keys and values, sorted by key.
    """
    position = 0
    index: list[tuple[bytes, bytes]] = []

    def put(rows: list[tuple[bytes, bytes]]) -> bytes:
        """Adds a block; returns where it is."""
        nonlocal position
        block = _block(rows)
        handle = varint_bytes(position) + varint_bytes(len(block) - len(_PLAIN))
        file.write(block)
        file.write(masked_crc32c(block).to_bytes(4, "little"))
        position += len(block) + 4
        return handle

    rows: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in entries:
        rows.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK_BYTES:
            index.append((key, put(rows)))
            rows, size = [], 0
    if rows or not index:
        index.append((rows[-1][0] if rows else b"", put(rows)))
    handles = put([]) + put(index)
    file.write(handles.ljust(_FOOTER_HANDLES, b"\0") + MAGIC.to_bytes(8, "little"))


def _block(rows: list[tuple[bytes, bytes]]) -> bytes:
    """A block without shared prefixes of keys, and the byte that marks it as not compressed."""
    parts: list[bytes] = []
    restarts = [0]
    size = 0
    for key, value in rows:
        head = b"\0" + varint_bytes(len(key)) + varint_bytes(len(value))
        parts += [head, key, value]
        size += len(head) + len(key) + len(value)
        restarts.append(size)
    if rows:
        restarts.pop()
    for number in (*restarts, len(restarts)):
        parts.append(number.to_bytes(4, "little"))
    return b"".join([*parts, _PLAIN])


def varint_bytes(number: int) -> bytes:
    """A number in groups of 7 bits, the lowest first; a negative one as its 64 bits."""
    number &= (1 << 64) - 1
    result = bytearray()
    while number >= 0x80:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)
