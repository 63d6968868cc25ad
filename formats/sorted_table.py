"""Sorted tables, the LevelDB format in which TensorFlow keeps the index of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from .crc32c import masked_crc32c

MAGIC = 0xDB4775248B80FB57
_FOOTER_BYTES = 48
_TRAILER_BYTES = 5
_PLAIN, _SNAPPY = 0, 1
_MOST_BLOCK_BYTES = 1 << 28
_MOST_SHARING = 64
_KEY_BYTES = 1 << 20  # of a small file, whatever they share


def read_table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a table, in order.

    Args:
        data: the contents of the file.

    Raises:
        ValueError: it is not a table, or damaged.
    """
    if len(data) < _FOOTER_BYTES or int.from_bytes(data[-8:], "little") != MAGIC:
        raise ValueError("it is not a table: the magic number at its end is wrong")
    footer = len(data) - _FOOTER_BYTES
    _, position = _handle(data, footer)
    index, _ = _handle(data, position)
    end = 0
    budget = _KeyBytes()
    for _, handle in _entries(_block(data, *index), budget):
        (offset, size), _ = _handle(handle, 0)
        if offset < end:  # each is read once, so that it takes no longer than the file is
            raise ValueError("blocks are not in order, one behind the other")
        end = offset + size
        yield from _entries(_block(data, offset, size), budget)


class _KeyBytes:
    """Remaining length allowed for keys: with shared prefixes, few bytes could make many."""

    def __init__(self) -> None:
        self._left = _KEY_BYTES

    def read(self, block: bytes) -> None:
        """Takes note of a block, whose keys are to come."""
        self._left += len(block) * _MOST_SHARING

    def take(self, key: bytes) -> None:
        """Takes note of a key.

        Raises:
            ValueError: keys are out of proportion to the blocks that hold them.
        """
        self._left -= len(key)
        if self._left < 0:
            raise ValueError(f"keys take more than {_MOST_SHARING} times the bytes of their blocks")


def varint(data: bytes | bytearray, position: int) -> tuple[int, int]:
    """The number that begins at `position`, in groups of 7 bits, and where it ends.

    Raises:
        ValueError: it does not end.
    """
    number = shift = 0
    while shift < 64:
        if position >= len(data):
            raise ValueError("a number is cut off")
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
    raise ValueError("a number is too long")


def _handle(data: bytes, position: int) -> tuple[tuple[int, int], int]:
    """Offset and size of a block."""
    offset, position = varint(data, position)
    size, position = varint(data, position)
    return (offset, size), position


def _block(data: bytes, offset: int, size: int) -> bytes:
    """The contents of a block, checked."""
    end = offset + size
    if end + _TRAILER_BYTES > len(data):
        raise ValueError("a block reaches beyond the end")
    stored = int.from_bytes(data[end + 1 : end + _TRAILER_BYTES], "little")
    if masked_crc32c(data[offset : end + 1]) != stored:
        raise ValueError("the checksum of a block is wrong")
    if data[end] == _SNAPPY:
        return uncompressed(data[offset:end])
    if data[end] != _PLAIN:
        raise ValueError(f"a block is compressed in the unknown way {data[end]}")
    return data[offset:end]


def _entries(block: bytes, budget: _KeyBytes) -> Iterator[tuple[bytes, bytes]]:
    """Entries of a block: each key leaves out the prefix shared with the one before."""
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise ValueError("a block has more restarts than bytes")
    budget.read(block)
    key = b""
    position = 0
    while position < end:
        shared, position = varint(block, position)
        own, position = varint(block, position)
        size, position = varint(block, position)
        if shared > len(key) or position + own + size > end:
            raise ValueError("an entry reaches beyond its block")
        key = key[:shared] + block[position : position + own]
        position += own
        budget.take(key)
        yield key, block[position : position + size]
        position += size


def uncompressed(data: bytes) -> bytes:
    """Decompresses Snappy data.

    Raises:
        ValueError: the data is damaged.

    Example:
        >>> from tensordraft.formats.sorted_table import uncompressed
        >>> uncompressed(bytes([6, 4]) + b"ab" + bytes([1, 2]))
        b'ababab'
    """
    size, position = varint(data, 0)
    if size > _MOST_BLOCK_BYTES:
        raise ValueError(f"a block of {size} bytes is too large")
    result = bytearray()
    while position < len(data) and len(result) <= size:
        tag = data[position]
        position += 1
        kind, length = tag & 3, (tag >> 2) + 1
        if kind == 0:  # bytes as they are
            if length > 60:
                extra = length - 60
                length = int.from_bytes(data[position : position + extra], "little") + 1
                position += extra
            result += data[position : position + length]
            position += length
            continue
        if kind == 1:  # a copy of bytes before
            length = (tag >> 2 & 7) + 4
            extra, high = 1, (tag >> 5) << 8
        else:
            extra, high = (2, 0) if kind == 2 else (4, 0)
        back = high | int.from_bytes(data[position : position + extra], "little")
        position += extra
        start = len(result) - back
        if position > len(data):
            raise ValueError("a compressed block is cut off")
        if back == 0 or start < 0:
            raise ValueError("a compressed block copies from before its beginning")
        if back < length:  # the copy runs into what it is making
            result += (result[start:] * (length // back + 1))[:length]
        else:
            result += result[start : start + length]
    if len(result) != size:
        raise ValueError(f"a compressed block holds {len(result)} bytes, not {size}")
    return bytes(result)
