"""JPEG files: pixels by Pillow, sizes from the header."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from ...shape_inference.protocols import Array
from ..common.allocation import check_read
from .pillow import reading

_MODES = {1: "L", 3: "RGB"}
_END = b"\xff\xd9"  # after which there are no pixels
_ALONE = {0x01, *range(0xD0, 0xD9)}  # markers without a length behind them
_NO_FRAME = {0xC4, 0xC8, 0xCC}  # of those in [0xC0, 0xCF]


def read_jpeg(
    contents: bytes, channels: int, ratio: int = 1, recovers: bool = False, window: Any = None
) -> Array:
    """The pixels of a JPEG file, uint8 [rows, columns, channels].

    Args:
        contents: the file.
        channels: 1, 3, or 0 for what the file has.
        ratio: how many times smaller to read it: 1, 2, 4 or 8.
        recovers: whether a file that ends too early is taken for what there is of it.
        window: y, x, rows and columns of the part to give; by default all.

    Raises:
        ValueError: the file is damaged, has too many pixels, or the window is not within it.
    """
    if channels == 4:
        raise ValueError("channels = 4, which no JPEG file has")
    with reading("JPEG") as module:
        image = module.open(io.BytesIO(contents + _END if recovers else contents), formats=["JPEG"])
        wanted = channels or (1 if image.mode == "L" else 3)
        width, height = (-(-size // ratio) for size in image.size)
        check_read((height, width, wanted), np.dtype(np.uint8), "the image of a JPEG file")
        scaled = tuple(max(size // ratio, 1) for size in image.size)
        image.draft(_MODES[wanted] if image.mode != "CMYK" else "CMYK", scaled)
        if image.mode == "CMYK":
            ink = 255 - np.asarray(image).astype(np.int32)
            image = module.fromarray((ink[..., :3] * ink[..., 3:] // 255).astype(np.uint8))
        pixels = np.array(image.convert(_MODES[wanted]), np.uint8)
    pixels = pixels.reshape(*pixels.shape[:2], wanted)
    return pixels if window is None else _part(pixels, window)


def _part(pixels: Array, window: Array) -> Array:
    if window.shape != (4,):
        raise ValueError(f"crop_window must have shape [4], got {list(window.shape)}")
    top, left, rows, columns = window.tolist()
    height, width = pixels.shape[:2]
    inside = min(top, left) >= 0 and min(rows, columns) > 0
    if not (inside and top + rows <= height and left + columns <= width):
        raise ValueError(
            f"crop_window = {window.tolist()} is not within the image of {height} x {width} pixels"
        )
    return pixels[top : top + rows, left : left + columns].copy()


def jpeg_shape(contents: bytes) -> tuple[int, int, int]:
    """Rows, columns and channels, as the header of a JPEG file states them.

    Raises:
        ValueError: it is not a JPEG file, or has no header.
    """
    if not contents.startswith(b"\xff\xd8\xff"):
        raise ValueError(f"contents is not a JPEG file: it begins with {contents[:8]!r}")
    place = 2
    while place + 4 <= len(contents):
        marker = contents[place + 1]
        if contents[place] != 0xFF:
            break
        if marker == 0xFF or marker in _ALONE:
            place += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(contents[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME and place + 10 <= len(contents):
            rows, columns = (
                int.from_bytes(contents[place + i : place + i + 2], "big") for i in (5, 7)
            )
            return rows, columns, contents[place + 9]
        place += 2 + length
    raise ValueError("the JPEG file is damaged: it has no header that states its size")
