"""Reading sorted tables: in a time and in memory that their files are worth."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensordraft.formats.checkpoints.checkpoint_slices import Extent, assembled
from tensordraft.formats.crc32c import masked_crc32c
from tensordraft.formats.sorted_table import MAGIC, read_table, uncompressed
from tensordraft.formats.table_writer import table_bytes, varint_bytes
from tensordraft.protos.dtypes import float32


def block(entries: list[tuple[int, bytes, bytes]]) -> bytes:
    """A block of keys, each with how much it shares with the one before, and values."""
    parts = [
        varint_bytes(shared) + varint_bytes(len(own)) + varint_bytes(len(value)) + own + value
        for shared, own, value in entries
    ]
    return b"".join(parts) + bytes(4) + (1).to_bytes(4, "little")


def stored(content: bytes) -> bytes:
    return content + b"\0" + masked_crc32c(content + b"\0").to_bytes(4, "little")


def table(contents: list[bytes], handles: list[int]) -> bytes:
    """A table of blocks; its index names them by their numbers."""
    data, places = b"", []
    for content in contents:
        places.append(varint_bytes(len(data)) + varint_bytes(len(content)))
        data += stored(content)
    index = block([(0, b"%09d" % i, places[number]) for i, number in enumerate(handles)])
    footer = (varint_bytes(0) * 2 + varint_bytes(len(data)) + varint_bytes(len(index))).ljust(40)
    return data + stored(index) + footer + MAGIC.to_bytes(8, "little")


def test_blocks_come_one_behind_the_other() -> None:
    contents = [block([(0, b"a", b"1")]), block([(0, b"b", b"2")])]
    assert list(read_table(table(contents, [0, 1]))) == [(b"a", b"1"), (b"b", b"2")]
    for handles in ([0, 0], [1, 0], [0, 1, 1]):
        with pytest.raises(ValueError, match="blocks are not in order"):
            list(read_table(table(contents, handles)))


def test_keys_in_proportion_to_their_blocks() -> None:
    most = 1 << 16
    entries = [(0, b"k" * most, b"")] + [(most, b"", b"")] * most
    data = table([block(entries)], [0])
    tracemalloc.start()
    with pytest.raises(ValueError, match="64 times the bytes of their blocks"):
        list(read_table(data))
    assert tracemalloc.get_traced_memory()[1] < 200 * len(data)
    tracemalloc.stop()


def test_keys_that_share_much_are_read() -> None:
    entries = [(b"scope/" * 100 + b"%08d" % i, b"0123456789") for i in range(5000)]
    assert list(read_table(table_bytes(entries))) == entries


@pytest.mark.parametrize("back", [1, 2, 3, 63, 64, 65, 200])
def test_copies_of_snappy(back: int) -> None:
    """Against the definition: byte by byte from what is there, be it from the copy itself."""
    rng = np.random.default_rng(back)
    result = bytearray(rng.bytes(back))
    literal = (bytes([back - 1 << 2]) if back <= 60 else bytes([60 << 2, back - 1])) + bytes(result)
    copies = b""
    for length in rng.integers(1, 65, 50).tolist():
        copies += bytes([length - 1 << 2 | 2, back, 0])
        for _ in range(length):
            result.append(result[-back])
    assert uncompressed(varint_bytes(len(result)) + literal + copies) == bytes(result)


def test_parts_that_overlap() -> None:
    whole = (Extent(0, 4),)
    part = np.ones(4, np.float32)
    assert assembled([4], float32, iter([(whole, part)]), "v").tolist() == [1, 1, 1, 1]

    def endless() -> Iterator[Any]:
        while True:
            yield whole, part

    with pytest.raises(ValueError, match="overlap"):
        assembled([4], float32, endless(), "v")
