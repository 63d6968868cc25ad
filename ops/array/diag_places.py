"""Positions of diagonals in matrices, and in the rows that hold them packed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...shape_inference.protocols import Array
from ...shape_inference.symbolic.symbolic import Dim, dim_min


class Band(NamedTuple):
    """The diagonals from `low` to `high`: 0 is the main one, 1 the one above it.

    Laid out, each is a row of its own, the highest first; `single` diagonals are just that row.
    Shorter ones are put to the left or to the right of their row, as `align` says first for those
    above the main one and then for those below.
    """

    low: int
    high: int
    single: bool
    align: bytes = b"LEFT_LEFT"

    def longest(self, rows: Dim, columns: Dim) -> Dim:
        """Length of the longest diagonal of a matrix."""
        return dim_min(rows + min(self.high, 0), columns - max(self.low, 0))

    def laid_out(self, rows: Dim, columns: Dim) -> tuple[Dim, ...]:
        """The sizes of the diagonals of a matrix, laid out."""
        longest = self.longest(rows, columns)
        return (longest,) if self.single else (self.high - self.low + 1, longest)

    def check(self, rows: Any, columns: Any) -> None:
        """Checks that a matrix has these diagonals.

        Raises:
            ValueError: it is known not to have them.
        """
        for k in (self.low, self.high):
            below = isinstance(rows, int) and k <= -max(rows, 1)
            above = isinstance(columns, int) and k >= max(columns, 1)
            if below or above:
                raise ValueError(f"k = {k} is no diagonal of a matrix of shape [{rows}, {columns}]")

    def places(self, rows: int, columns: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The indices of the elements in stacks of matrices, and of their diagonals laid out."""
        longest = int(self.longest(rows, columns))
        of_rows, of_columns, lines, slots = [], [], [], []
        above, _, below = self.align.partition(b"_")
        for line, k in enumerate(range(self.high, self.low - 1, -1)):
            length = min(rows + min(k, 0), columns - max(k, 0))
            along = np.arange(max(length, 0))
            left = (k >= 0 and above == b"LEFT") or (k <= 0 and below == b"LEFT")
            of_rows.append(along - min(k, 0))
            of_columns.append(along + max(k, 0))
            lines.append(np.full(len(along), line))
            slots.append(along + (0 if left else longest - length))
        at = [np.concatenate(slots)] if self.single else map(np.concatenate, (lines, slots))
        return (..., np.concatenate(of_rows), np.concatenate(of_columns)), (..., *at)


def band_of(k: Array, align: bytes = b"LEFT_LEFT") -> Band:
    """The band that argument `k` describes: one diagonal, or the lowest and the highest.

    Raises:
        ValueError: it is neither.
    """
    if k.ndim > 1 or k.size not in (1, 2):
        raise ValueError(f"k must have 1 or 2 elements, got shape {list(k.shape)}")
    low, high = int(k.flat[0]), int(k.flat[-1])
    if low > high:
        raise ValueError(f"k[0] = {low} is more than k[1] = {high}")
    return Band(low, high, low == high, align)
