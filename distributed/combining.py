"""Combination of parts: the results of two chunks as that of both together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ops.lists.tensor_list import TensorList

Array = np.ndarray[Any, Any]


def _mean(x: Array, m: int, y: Array, n: int) -> Any:
    wide = np.result_type(x.dtype, np.float64) if x.dtype.kind in "fc" else np.dtype(np.float64)
    return (x.astype(wide) * m + y.astype(wide) * n) / (m + n)


def _norm(x: Array, _: int, y: Array, __: int) -> Any:
    if x.dtype.kind == "c":
        return np.sqrt(x * np.conjugate(x) + y * np.conjugate(y))
    return np.hypot(x.astype(np.float64), y.astype(np.float64))


def _by(ufunc: np.ufunc) -> Callable[[Array, int, Array, int], Any]:
    return lambda x, _, y, __: ufunc(x, y)


_RULES: dict[str, Callable[[Array, int, Array, int], Any]] = {
    "sum": _by(np.add),
    "prod": _by(np.multiply),
    "max": _by(np.maximum),
    "min": _by(np.minimum),
    "any": _by(np.logical_or),
    "all": _by(np.logical_and),
    "mean": _mean,
    "norm": _norm,
}


def combined(
    hows: Sequence[str], x: Sequence[Array], rows_of_x: int, y: Sequence[Array], rows_of_y: int
) -> list[Array]:
    """Combines the results of two neighbouring ranges of rows; one without rows is ignored.

    Args:
        hows: the combination of each tensor, one of `split_parts.COMBINATIONS`.
        x: the values of the first.
        rows_of_x: its number of rows.
        y: the values of the second.
        rows_of_y: its number of rows.
    """
    if not rows_of_y:
        return list(x)
    if not rows_of_x:
        return list(y)
    with np.errstate(all="ignore"):
        return [
            a if how == "first" else _RULES[how](a, rows_of_x, b, rows_of_y).astype(a.dtype)
            for how, a, b in zip(hows, x, y, strict=True)
        ]


def joined(axis: int, *chunks: Any) -> Any:
    """Concatenates chunks, or lists of chunks; those without rows may have other shapes."""
    if isinstance(chunks[0], TensorList):
        lists = zip(*[chunk.items() for chunk in chunks], strict=True)
        return chunks[0].of([None if items[0] is None else joined(axis, *items) for items in lists])
    filled = [chunk for chunk in chunks if chunk.shape[axis]] or list(chunks[:1])
    return filled[0] if len(filled) == 1 else np.concatenate(filled, axis)


def tree(
    values: Sequence[Any], rows: Sequence[int], combine: Callable[[Any, int, Any, int], Any]
) -> Any:
    """Combines neighbours pairwise until one is left: the order depends only on their number."""
    level = list(zip(values, rows, strict=True))
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        rest = level[len(level) & ~1 :]
        level = [(combine(x, m, y, n), m + n) for (x, m), (y, n) in pairs] + rest
    return level[0][0]
