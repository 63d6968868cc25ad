"""The rows of a PNG file: unpacked, unfiltered and put together, by NumPy.

Each row is filtered by what is to its left, above it, or both, so that a sample depends on those
before it. Rows that depend in only one direction are sums; where both occur, all samples on a
diagonal are worked out at once, since they depend on the two diagonals before it.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...shape_inference.protocols import Array
from ..common.allocation import check_size
from .png_chunks import Png

_NONE, _LEFT, _ABOVE, _MEAN, _PAETH = range(5)
_DENSEST = 1032  # bytes that one of deflate makes at most
# The first column and row of each pass of an interlaced file, and the steps between.
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)


def samples_of(png: Png) -> Array:
    """The samples as they are in the file: [rows, columns, samples] of uint8 or uint16.

    Raises:
        ValueError: the rows are damaged.
    """
    passes = _PASSES if png.interlaced else ((0, 0, 1, 1),)
    dtype = np.dtype(np.uint16 if png.depth == 16 else np.uint8)
    shape = check_size((png.height, png.width, png.samples), dtype)
    parts = [
        (-(-(png.height - top) // down), -(-(png.width - left) // across))
        for left, top, across, down in passes
    ]
    parts = [(rows, columns) if rows > 0 and columns > 0 else (0, 0) for rows, columns in parts]
    bits = png.samples * png.depth
    lengths = [rows * (1 + (columns * bits + 7) // 8) for rows, columns in parts]
    data = _inflated(png.data, sum(lengths))
    result, place = np.zeros(shape, dtype), 0
    for (left, top, across, down), (rows, columns), length in zip(
        passes, parts, lengths, strict=True
    ):
        if rows:
            lines = data[place : place + length].reshape(rows, -1)
            unfiltered = _unfiltered(lines, max(bits // 8, 1))
            result[top::down, left::across] = _unpacked(unfiltered, columns, png)
        place += length
    return result


def _inflated(data: bytes, size: int) -> Array:
    if size > _DENSEST * len(data) + 64:
        raise ValueError(f"the PNG file is damaged: {len(data)} bytes cannot hold its {size}")
    try:
        raw = zlib.decompressobj().decompress(data, size)
    except zlib.error as error:
        raise ValueError(f"the PNG file is damaged: {error}") from error
    if len(raw) < size:
        raise ValueError(f"the PNG file is damaged: it holds {len(raw)} bytes of {size}")
    return np.frombuffer(raw, np.uint8)


def _unfiltered(lines: Array, step: int) -> Array:
    """Rows without their filters.

    Args:
        lines: rows that begin with the number of their filter.
        step: how many bytes a pixel takes.
    """
    kinds, rows = lines[:, 0], lines[:, 1:].copy()
    if kinds.max() > _PAETH:
        raise ValueError(f"the PNG file is damaged: unknown filter {kinds.max()}")
    if kinds.max() > _ABOVE:
        return _by_diagonals(kinds, rows, step)
    above = np.zeros_like(rows[0])
    for row, kind in zip(rows, kinds.tolist(), strict=True):
        if kind == _LEFT:
            pixels = row.reshape(-1, step)
            np.cumsum(pixels, 0, np.uint8, out=pixels)
        elif kind == _ABOVE:
            row += above
        above = row
    return rows


def _by_diagonals(kinds: Array, rows: Array, step: int) -> Array:
    height, width = len(rows), rows.shape[1] // step
    by = [(kinds == kind)[:, None] for kind in range(_PAETH + 1)]
    # The last three diagonals, by row; the first entry is above the first row.
    now, before, long_before = np.zeros((3, height + 1, step), np.int16)
    for number in range(height + width - 1):
        start, end = max(0, number - width + 1), min(height, number + 1)
        first = start * width * step + (number - start) * step
        view = as_strided(
            rows.reshape(-1)[first:], (end - start, step), (max(width - 1, 1) * step, 1)
        )
        left, above = before[start + 1 : end + 1], before[start:end]
        corner = long_before[start:end]
        part = slice(start, end)
        guess = np.where(by[_PAETH][part], _paeth(left, above, corner), 0)
        np.copyto(guess, left + above >> 1, where=by[_MEAN][part])
        np.copyto(guess, above, where=by[_ABOVE][part])
        np.copyto(guess, left, where=by[_LEFT][part])
        guess += view
        guess &= 255
        now[start + 1 : end + 1] = guess
        view[...] = guess
        now, before, long_before = long_before, now, before
    return rows


def _paeth(left: Array, above: Array, corner: Array) -> Array:
    """Whichever of three is next to left + above - corner; the first of those as near."""
    to_left, to_above = np.abs(above - corner), np.abs(left - corner)
    to_corner = np.abs(left + above - 2 * corner)
    either = np.where(to_above <= to_corner, above, corner)
    return np.where((to_left <= to_above) & (to_left <= to_corner), left, either)


def _unpacked(rows: Array, columns: int, png: Png) -> Array:
    if png.depth == 16:
        samples = rows.view(">u2")
    elif png.depth == 8:
        samples = rows
    else:
        bits = np.unpackbits(rows, axis=1).reshape(len(rows), -1, png.depth)
        weights = (1 << np.arange(png.depth)[::-1]).astype(np.uint8)
        samples = (bits * weights).sum(2, np.uint8)[:, :columns]
    return np.asarray(samples.reshape(len(rows), columns, png.samples))
