"""Products of matrices, kept on one core where a second one would not help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..shape_inference.protocols import Array

# OpenBLAS shares a product of so many multiplications among threads. Where a core is busy with
# something else, each such product waits for it: a millisecond's work then takes ten.
_SHARED = 1 << 19
# Above this, sharing saves more than that.
_WORTH_SHARING = 1 << 26
_FEWEST_ROWS = 8
_FEWEST_COLUMNS = 32


def multiply_into(out: Array, x: Array, y: Array) -> None:
    """Writes the product of two matrices to `out`."""
    rows, inner = x.shape
    columns = y.shape[1]
    if not _SHARED <= rows * inner * columns < _WORTH_SHARING:
        np.matmul(x, y, out=out)
        return
    while inner * columns * _FEWEST_COLUMNS >= _SHARED and columns > _FEWEST_COLUMNS:
        columns //= 2
    count = (_SHARED - 1) // (inner * columns)
    if count < _FEWEST_ROWS:
        np.matmul(x, y, out=out)
        return
    for start in range(0, y.shape[1], columns):
        some = slice(start, start + columns)
        part, result = y[:, some], out[:, some]
        for row in range(0, rows, count):
            np.matmul(x[row : row + count], part, out=result[row : row + count])
