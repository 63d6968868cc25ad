"""CRC-32C, the checksum in TensorFlow's files, at the speed of NumPy."""

from __future__ import annotations

import numpy as np

_POLYNOMIAL = 0x82F63B78  # reflected
_MOST_STREAMS = 4096
_SHORT = 256


def _made_table() -> list[int]:
    table = []
    for byte in range(256):
        state = byte
        for _ in range(8):
            state = (state >> 1) ^ (_POLYNOMIAL if state & 1 else 0)
        table.append(state)
    return table


_TABLE = _made_table()
_TABLE_ARRAY = np.array(_TABLE, np.uint32)


def crc32c(data: bytes) -> int:
    """The CRC-32C of `data`.

    Example:
        >>> from tensordraft.graph.files.crc32c import crc32c
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    return _advanced(0xFFFFFFFF, data) ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """The CRC-32C of `data` as TensorFlow stores it, so that a checksum can itself be summed."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _advanced(state: int, data: bytes) -> int:
    """The state of the checksum after `data`."""
    if len(data) < _SHORT:
        return _advanced_by_bytes(state, data)
    streams = min(_MOST_STREAMS, len(data) // (_SHORT // 4))
    length = len(data) // streams
    head = len(data) - streams * length
    state = _advanced_by_bytes(state, data[:head])
    # The data is cut into streams of one length, which advance side by side from state 0; only the
    # first goes on from `state`. Beside them, each single bit advances over as many zeros, which
    # tells how to put the streams together: a checksum is linear.
    columns = np.frombuffer(data, np.uint8, offset=head).reshape(streams, length).T
    states = np.zeros(streams + 32, np.uint32)
    states[0] = state
    states[streams:] = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for column in np.ascontiguousarray(columns):
        index = states & np.uint32(0xFF)
        index[:streams] ^= column
        states = _TABLE_ARRAY[index] ^ (states >> np.uint32(8))
    first, *others = states[:streams].tolist()
    bits = states[streams:].tolist()
    tables = [_combinations(bits[i : i + 8]) for i in range(0, 32, 8)]
    for other in others:
        first = (
            tables[0][first & 0xFF]
            ^ tables[1][first >> 8 & 0xFF]
            ^ tables[2][first >> 16 & 0xFF]
            ^ tables[3][first >> 24]
            ^ other
        )
    return int(first)


def _advanced_by_bytes(state: int, data: bytes) -> int:
    for byte in data:
        state = _TABLE[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def _combinations(bits: list[int]) -> list[int]:
    """The sums, bit by bit, of each of the 256 subsets of eight numbers."""
    sums = [0]
    for bit in bits:
        sums += [total ^ bit for total in sums]
    return sums
