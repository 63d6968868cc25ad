"""GIF files: frames put over each other as TensorFlow does; Pillow unpacks each of them."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...shape_inference.protocols import Array
from ..common.allocation import check_read
from .pillow import reading

_IMAGE, _EXTENSION, _TRAILER = 0x2C, 0x21, 0x3B
_CONTROL = 0xF9
_TABLE, _INTERLACED = 0x80, 0x40


class _Frame(NamedTuple):
    """A frame: its place, its colours, the index that is transparent, and its packed indices."""

    left: int
    top: int
    width: int
    height: int
    interlaced: bool
    palette: bytes
    clear: int
    data: bytes


def read_gif(contents: bytes, all_frames: bool = True) -> Array:
    """The frames of a GIF file, uint8 [frames, rows, columns, 3].

    Args:
        contents: the file.
        all_frames: whether to read them all; else the first one.

    Raises:
        ValueError: the file is damaged.
        ResourceExhaustedError: it has too many pixels.
    """
    if len(contents) < 13:
        raise ValueError("the GIF file is damaged: it ends too early")
    width, height = struct.unpack_from("<HH", contents, 6)
    frames: list[_Frame] = []
    try:
        for frame in _frames(contents):
            frames.append(frame)
            if not all_frames:
                break
    except (struct.error, IndexError) as error:
        if not frames:  # as in TensorFlow, frames before the damage count
            raise ValueError("the GIF file is damaged: it ends too early") from error
    if not frames or not width or not height:
        raise ValueError("the GIF file is damaged: it holds no image")
    shape = (len(frames), height, width, 3)
    result = np.zeros(check_read(shape, np.dtype(np.uint8), "the images of a GIF file"), np.uint8)
    for number, frame in enumerate(frames):
        if number:
            result[number] = result[number - 1]
        _put(result[number], frame)
    return result


def _frames(contents: bytes) -> Iterator[_Frame]:
    flags, place, clear = contents[10], 13, -1
    shared, place = _palette(contents, flags, place)
    while place < len(contents) and contents[place] != _TRAILER:
        kind = contents[place]
        if kind == _EXTENSION:
            label = contents[place + 1]
            data, place = _blocks(contents, place + 2)
            if label == _CONTROL and len(data) >= 5:
                clear = data[4] if data[1] & 1 else -1
        elif kind == _IMAGE:
            left, top, width, height, flags = struct.unpack_from("<HHHHB", contents, place + 1)
            own, start = _palette(contents, flags, place + 10)
            data, place = _blocks(contents, start + 1)
            data = contents[start : start + 1] + data
            interlaced = bool(flags & _INTERLACED)
            yield _Frame(left, top, width, height, interlaced, own or shared, clear, data)
            clear = -1
        else:
            raise ValueError(f"the GIF file is damaged: unknown block {kind:#x} at {place}")


def _palette(contents: bytes, flags: int, place: int) -> tuple[bytes, int]:
    size = 3 * (2 << (flags & 7)) if flags & _TABLE else 0
    if place + size > len(contents):
        raise IndexError
    return contents[place : place + size], place + size


def _blocks(contents: bytes, place: int) -> tuple[bytes, int]:
    """Blocks with their lengths, up to the empty one, and the place behind it."""
    start = place
    while length := contents[place]:
        place += 1 + length
    return contents[start : place + 1], place + 1


def _put(canvas: Array, frame: _Frame) -> None:
    """Puts a frame on what is there: all of its pixels but the transparent ones."""
    if not frame.palette:
        raise ValueError("the GIF file is damaged: a frame has no colours")
    if not frame.width or not frame.height:
        return
    index = _indices(frame)
    part = canvas[frame.top : frame.top + frame.height, frame.left : frame.left + frame.width]
    index = index[: part.shape[0], : part.shape[1]]
    colours = np.frombuffer(frame.palette, np.uint8).reshape(-1, 3)
    opaque = index != frame.clear
    if index[opaque].max(initial=0) >= len(colours):
        raise ValueError(
            "the GIF file is damaged: expected colors below "
            f"{len(colours)}, got {index[opaque].max()}"
        )
    part[opaque] = colours[index[opaque]]


def _indices(frame: _Frame) -> Array:
    """The indices of a frame, unpacked by Pillow from a file that holds nothing else."""
    size = frame.width, frame.height
    grey = bytes(value for i in range(256) for value in (i, i, i))
    file = b"".join(
        [
            b"GIF89a",
            struct.pack("<HHBBB", *size, 0xF7, 0, 0),
            grey,
            struct.pack("<BHHHHB", _IMAGE, 0, 0, *size, frame.interlaced * _INTERLACED),
            frame.data,
            bytes([_TRAILER]),
        ]
    )
    with reading("GIF") as module:
        image = module.open(io.BytesIO(file), formats=["GIF"])
        return np.array(image, np.uint8).reshape(frame.height, frame.width)
