"""Decoding of images of any format, and helpers shared by all decoders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...shape_inference.protocols import Array
from ..common.shared_docs import shared_docs
from .bmp_reading import read_bmp
from .file_signatures import kind_of
from .gif_reading import read_gif
from .jpeg_reading import read_jpeg
from .png_reading import read_png


def check_channels(channels: int, allowed: Sequence[int]) -> int:
    """The channels that an op asks for.

    Raises:
        ValueError: its files have no such number.
    """
    if channels not in allowed:
        names = ", ".join(map(str, allowed[:-1])) + f" or {allowed[-1]}"
        raise ValueError(f"channels must be {names}, got {channels}")
    return channels


def bytes_of(contents: Array) -> bytes:
    """The file that a scalar holds.

    Raises:
        ValueError: it is not a scalar.
    """
    if contents.ndim:
        raise ValueError(f"contents must be a scalar, got shape {list(contents.shape)}")
    return contents.item()


def decoded(
    data: bytes,
    channels: int,
    dtype: np.dtype[Any] | None = None,
    all_frames: bool = True,
    takes_bmp: bool = False,
) -> Array:
    """An image of any kind; a GIF file gives [frames, rows, columns, 3].

    Args:
        data: the file.
        channels: how many are asked for; 0 for what the file has.
        dtype: uint8, by default, uint16 or float32.
        all_frames: whether a GIF file gives more than its first frame.
        takes_bmp: whether a BMP file is taken, which TensorFlow's older ops refuse.

    Raises:
        ValueError: the file is not an image, or is damaged.
    """
    kind, wanted = kind_of(data), dtype or np.dtype(np.uint8)
    if kind == "PNG":
        pixels = read_png(data, channels, wide=wanted != np.uint8)
    elif kind == "GIF":
        if channels not in (0, 3):
            raise ValueError(f"channels must be 0 or 3 of a GIF file, got {channels}")
        pixels = read_gif(data, all_frames)
    elif kind == "JPEG":
        pixels = read_jpeg(data, channels)
    elif takes_bmp:
        pixels = read_bmp(data, channels)
    else:
        raise ValueError("contents is a BMP image, which decode_bmp and decode_image take")
    return _in_dtype(pixels, wanted)


def _in_dtype(pixels: Array, dtype: np.dtype[Any]) -> Array:
    if pixels.dtype == dtype:
        return pixels
    if dtype == np.uint16:
        return np.asarray(pixels.astype(np.uint16) * np.uint16(256))
    scale = np.float32(1 / np.iinfo(pixels.dtype).max)
    return np.asarray(pixels.astype(np.float32) * scale)


def one_frame(pixels: Array) -> Array:
    """An image, which may also be a GIF file of one frame.

    Raises:
        ValueError: there are more frames.
    """
    if pixels.ndim == 4:
        if len(pixels) > 1:
            raise ValueError(
                f"the GIF file has {len(pixels)} frames, which decode_gif and decode_image take"
            )
        return np.asarray(pixels[0])
    return pixels


documented = shared_docs(
    args={
        "contents": "a scalar string: the file.",
        "channels": "1 for grey, 3 for colours, 4 for colours with alpha, 0 for what the file has.",
        "ratio": "2, 4 or 8 to read a JPEG image so many times smaller, faster.",
        "fancy_upscaling": "kept in the graph; Pillow always smooths the colours.",
        "try_recover_truncated": "whether to take what there is of a file that ends too early.",
        "acceptable_fraction": "kept in the graph; any part is taken.",
        "dct_method": "kept in the graph; Pillow always takes the exact one.",
        "name": "a name for the op.",
    },
    raises="ValueError: there are no such channels, or no such ratio; if detected at run time, "
    "such as a damaged file, an InvalidArgumentError.",
)
