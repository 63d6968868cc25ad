"""Checks of the heaps in which HDF5 files keep strings: the library walks damaged ones forever."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from io import BufferedIOBase

_longest: dict[tuple[int, ...], int] = {}  # of the last file
_MAGIC = b"GCOL\x01"
_HEAD = 16  # bytes before the first object of a heap, and before the content of each object
_WIDTHS = {0: 14, 1: 14, 2: 10, 3: 10}  # where a superblock of a version holds the width of sizes


def damaged_heap(file: BufferedIOBase) -> str | None:
    """Description of what is wrong with the heaps of a file; None if all can be walked.

    A heap is a row of objects, each with its size. The library moves on by these sizes, and one
    of 0 keeps it at the same place; an object that ends behind the heap it reports by itself.

    Args:
        file: the file, which has a descriptor.
    """
    with _mapped(file.fileno()) as data:
        width = _width(data)
        if width not in (2, 4, 8):
            return f"sizes are of {width} bytes, where 2, 4 or 8 are legal"
        for start in _heaps(data):
            stop = start + int.from_bytes(data[start + 8 : start + 8 + width], "little")
            if stop > len(data):
                continue  # the library reports it
            for at, step in _steps(data, start + _HEAD, stop, width):
                if not step:
                    return f"the heap at byte {start} has an object of size 0 at byte {at}"
    return None


def longest_string(descriptor: int) -> int:
    """Size of the longest string in the heaps of a file that `damaged_heap` found nothing in."""
    status = os.fstat(descriptor)
    key = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    if key not in _longest:  # each look takes a walk through the file
        _longest.clear()
        _longest[key] = _walked(descriptor)
    return _longest[key]


def _walked(descriptor: int) -> int:
    longest = 0
    with _mapped(descriptor) as data:
        for start in _heaps(data):
            stop = start + int.from_bytes(data[start + 8 : start + 8 + _width(data)], "little")
            steps = _steps(data, start + _HEAD, min(stop, len(data)), _width(data))
            longest = max(longest, max((step for _, step in steps), default=0))
    return longest


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


def _width(data: mmap.mmap) -> int:
    """Width of a size in bytes."""
    return data[_WIDTHS.get(data[8], 14)] if len(data) > _HEAD else 8


def _heaps(data: mmap.mmap) -> Iterator[int]:
    """The places of heaps, or of what looks like them."""
    at = data.find(_MAGIC)
    while at >= 0:
        yield at
        at = data.find(_MAGIC, at + 1)


def _steps(data: mmap.mmap, at: int, stop: int, width: int) -> Iterator[tuple[int, int]]:
    """The places of the objects of a heap, and how far it is to the next."""
    while at + _HEAD <= stop:
        size = int.from_bytes(data[at + 8 : at + 8 + width], "little")
        is_free = data[at : at + 2] == b"\0\0"
        step = size if is_free else _HEAD + (size + 7) // 8 * 8
        yield at, step
        if not step:
            return
        at += step
