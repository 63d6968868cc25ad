"""Products of matrices, shared among threads where they are large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .allocation import new_array
from .sharing import blas_on_one_thread, share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...shape_inference.protocols import Array

    Product = tuple[Array, Array, Array]  # where it goes, and its factors

# OpenBLAS uses several threads from so many multiplications on; with a vector, from fewer.
_LEAST_THREADED = 1 << 19
_LEAST_THREADED_WITH_VECTOR = 9216
# A thread that takes fewer is done before another one has begun to help.
_LEAST_SHARED = 1 << 22
# Each thread takes about two parts: a thread that is held up leaves one of them to another. Each
# part packs a factor anew, so that more of them would cost more than they are worth.
_PARTS_OF_THREAD = 2
_ROUND = 16  # rows or columns that BLAS works on at once


def multiply(x: Array, y: Array) -> Any:
    """`np.matmul(x, y)` of arrays of one dtype and of rank 2 or more."""
    rows, columns = x.shape[-2], y.shape[-1]
    empty = not (x.size and y.size) and x.shape[-1] == y.shape[-2]
    if not empty and x.size * columns < _least_threaded(rows, columns):
        return np.matmul(x, y)
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2]) if x.ndim + y.ndim > 4 else ()
    out = new_array((*stack, rows, columns), x.dtype)
    multiply_into(out, x, y)
    return out


def multiply_into(out: Array, x: Array, y: Array) -> None:
    """Writes `np.matmul(x, y)` to `out`."""
    count = out.size * x.shape[-1]
    if not count:
        out[...] = 0  # np.matmul would go through a stack of empty matrices, however long
    elif count < _least_threaded(*out.shape[-2:]):
        np.matmul(x, y, out=out)
    elif count < 2 * _LEAST_SHARED:
        with blas_on_one_thread:
            np.matmul(x, y, out=out)
    else:
        with blas_on_one_thread as threads:
            parts = min(count // _LEAST_SHARED, _PARTS_OF_THREAD * threads)
            if threads == 1:
                np.matmul(x, y, out=out)
            else:
                share(_multiply_each, _divided(out, x, y, parts))


def _least_threaded(rows: int, columns: int) -> int:
    return _LEAST_THREADED_WITH_VECTOR if 1 in (rows, columns) else _LEAST_THREADED


def _multiply_each(products: Iterator[Product]) -> None:
    for out, x, y in products:
        np.matmul(x, y, out=out)


def _divided(out: Array, x: Array, y: Array, parts: int) -> Iterator[Product]:
    """A product as several ones, which make parts of `out` along its longest dimension."""
    axis = int(np.argmax(out.shape)) - out.ndim
    size = out.shape[axis]
    length = -(-size // min(parts, size))
    if length > _ROUND:
        length += -length % _ROUND
    after: Any = (slice(None),) * (-1 - axis)

    def cut(array: Array, some: slice, summed: int) -> Any:
        whole = axis == summed or array.ndim < -axis or array.shape[axis] == 1
        return array if whole else array[..., some, *after]

    for start in range(0, size, length):
        some = slice(start, start + length)
        yield cut(out, some, 0), cut(x, some, -1), cut(y, some, -2)
