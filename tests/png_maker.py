"""PNG files of every kind, made from samples: any depth, colour type, filter and interlacing."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)]
PASSES.append((0, 1, 1, 2))


def png_of(
    samples: np.ndarray,
    depth: int,
    colour: int,
    filters: Sequence[int] = (0, 1, 2, 3, 4),
    interlaced: bool = False,
    chunks: Mapping[bytes, bytes] | None = None,
) -> bytes:
    """A file of samples [rows, columns, samples], whose rows take the filters in turn."""
    rows, columns, _ = samples.shape
    passes = PASSES if interlaced else [(0, 0, 1, 1)]
    data = b"".join(
        b"".join(filtered(packed(part, depth), filters, max(part.shape[2] * depth // 8, 1)))
        for left, top, across, down in passes
        if (part := samples[top::down, left::across]).size
    )
    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, interlaced)
    parts = {b"IHDR": header, **(chunks or {}), b"IDAT": zlib.compress(data), b"IEND": b""}
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in parts.items())


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed(samples: np.ndarray, depth: int) -> np.ndarray:
    """Samples as the bytes of rows."""
    flat = samples.reshape(len(samples), -1)
    if depth >= 8:
        return np.ascontiguousarray(flat, f">u{depth // 8}").view(np.uint8)
    bits = flat[..., None] >> np.arange(depth)[::-1] & 1
    return np.packbits(bits.reshape(len(flat), -1).astype(np.uint8), axis=1)


def filtered(rows: np.ndarray, filters: Sequence[int], step: int) -> Iterator[bytes]:
    """Each row with its filter, byte by byte as the specification has it."""
    above = [0] * rows.shape[1]
    for number, row in enumerate(rows.tolist()):
        kind = filters[number % len(filters)]
        line = bytearray([kind])
        for i, value in enumerate(row):
            a = row[i - step] if i >= step else 0
            c = above[i - step] if i >= step else 0
            line.append(value - guess(kind, a, above[i], c) & 255)
        yield bytes(line)
        above = row


def guess(kind: int, a: int, b: int, c: int) -> int:
    p = a + b - c
    nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
    return (0, a, b, (a + b) // 2, nearest)[kind]
