"""BMP files that are not packed, as TensorFlow reads them."""

from __future__ import annotations

import struct

import numpy as np

from ...shape_inference.protocols import Array
from ..common.allocation import check_read


def read_bmp(contents: bytes, channels: int) -> Array:
    """The pixels of a BMP file, uint8 [rows, columns, channels].

    Args:
        contents: the file.
        channels: 3, 4, or 0 for what the file has.

    Raises:
        ValueError: the file is damaged, or of a kind that TensorFlow does not read either.
    """
    if channels == 1:
        raise ValueError("channels = 1, which is none of 0, 3 and 4 of a BMP file")
    if len(contents) < 32:
        raise ValueError(f"the BMP file is damaged: it has {len(contents)} bytes, and no header")
    (start,) = struct.unpack_from("<i", contents, 10)
    width, height, _, bits = struct.unpack_from("<iihh", contents, 18)
    if bits not in (8, 24, 32):
        raise ValueError(f"the BMP file has {bits} bits for a pixel, and not 8, 24 or 32")
    if width < 1 or not height or start < 0:
        raise ValueError(f"the BMP file is damaged: it has {height} x {width} pixels at {start}")
    own, rows = bits // 8, abs(height)
    wanted = channels or own
    line = (own * width + 3) // 4 * 4
    if len(contents) != start + line * rows:
        raise ValueError(
            f"the BMP file is damaged: it has {len(contents)} bytes and not {start + line * rows}"
        )
    check_read((rows, width, wanted), np.dtype(np.uint8), "the image of a BMP file")
    data = np.frombuffer(contents, np.uint8, offset=start).reshape(rows, line)
    pixels = data[:, : own * width].reshape(rows, width, own)
    if height > 0:
        pixels = pixels[::-1]
    colours = pixels[..., 2::-1] if own > 1 else pixels
    if wanted == 1:
        return colours.copy()
    result = np.full((rows, width, wanted), 255, np.uint8)
    result[..., :3] = colours
    if own == 4 and wanted == 4:
        result[..., 3] = pixels[..., 3]
    return result
