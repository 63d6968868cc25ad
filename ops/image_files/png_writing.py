"""PNG files written: rows filtered, whichever way they pack best."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ...shape_inference.protocols import Array
from .png_chunks import GREY, GREY_ALPHA, RGB, RGB_ALPHA, SIGNATURE, chunk

_COLOUR_TYPES = {1: GREY, 2: GREY_ALPHA, 3: RGB, 4: RGB_ALPHA}
_BLOCK_BYTES = 1 << 18  # of rows that are filtered at once, every way


def png(pixels: Array, compression: int = -1) -> bytes:
    """A PNG file.

    Args:
        pixels: [rows, columns, 1 to 4 channels] of uint8 or uint16; not empty.
        compression: from 0, none, to 9, the best; -1 for zlib's own choice.
    """
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, depth, _COLOUR_TYPES[channels], 0, 0, 0)
    samples = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">"))
    rows = samples.view(np.uint8).reshape(height, -1)
    packer = zlib.compressobj(compression)
    step = max(_BLOCK_BYTES // rows.shape[1], 1)
    parts = [
        packer.compress(_filtered(rows, start, start + step, channels * depth // 8))
        for start in range(0, height, step)
    ]
    data = b"".join([*parts, packer.flush()])
    chunks = [(b"IHDR", header), (b"IDAT", data), (b"IEND", b"")]
    return SIGNATURE + b"".join(chunk(*each) for each in chunks)


def _filtered(rows: Array, start: int, end: int, step: int) -> bytes:
    """Some rows, each with the filter that leaves the least numbers, and its number before it."""
    part = rows[start:end]
    above = np.zeros_like(part)
    above[1:] = part[:-1]
    if start:
        above[0] = rows[start - 1]
    left, corner = np.zeros_like(part), np.zeros_like(part)
    left[:, step:], corner[:, step:] = part[:, :-step], above[:, :-step]
    a, b, c = (x.astype(np.int16) for x in (left, above, corner))
    to_a, to_b, to_c = np.abs(b - c), np.abs(a - c), np.abs(a + b - 2 * c)
    nearest = np.where((to_a <= to_b) & (to_a <= to_c), left, np.where(to_b <= to_c, above, corner))
    guesses = (np.zeros_like(part), left, above, (a + b >> 1).astype(np.uint8), nearest)
    ways = np.stack([part - guess for guess in guesses])
    weights = np.minimum(ways, 0 - ways).sum(2, dtype=np.int64)  # distances from 0, as bytes wrap
    best = weights.argmin(0)
    lines = np.empty((len(part), 1 + part.shape[1]), np.uint8)
    lines[:, 0], lines[:, 1:] = best, ways[best, np.arange(len(part))]
    return lines.tobytes()
