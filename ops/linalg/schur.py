"""Schur decomposition, which NumPy lacks: a unitary and an upper triangular matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...shape_inference.protocols import Array

_ROUNDS = 40  # for one eigenvalue, on average


def schur(a: Array) -> tuple[Array, Array]:
    """Complex matrices U, unitary, and T, upper triangular, with `a = U T U*`.

    By Hessenberg's form and the QR algorithm with Wilkinson's shifts, as in Golub and Van Loan,
    "Matrix computations", chapter 7.

    Args:
        a: a square matrix of finite complex numbers.

    Raises:
        ValueError: the algorithm does not come to an end.
    """
    t, u = _hessenberg(a)
    least = np.finfo(t.real.dtype).eps
    high, tried = len(t) - 1, 0
    while high > 0:
        sizes = np.abs(t.diagonal())
        below = np.abs(t.diagonal(-1)[:high])
        small = below <= least * (sizes[:high] + sizes[1 : high + 1])
        rows = np.flatnonzero(small) + 1
        low = int(rows[-1]) if rows.size else 0
        t[rows, rows - 1] = 0
        if low == high:
            high, tried = high - 1, 0
            continue
        tried += 1
        if tried > _ROUNDS:
            raise ValueError("the eigenvalues of input do not converge")
        shift = abs(t[high, high - 1]) if tried % 10 == 0 else _shift(t[high - 1 :, high - 1 :])
        _sweep(t, u, low, high, shift)
    return u, np.triu(t)


def _hessenberg(a: Array) -> tuple[Array, Array]:
    """A matrix with zeros below its first subdiagonal, and the unitary one that makes it."""
    t, u = a.copy(), np.eye(len(a), dtype=a.dtype)
    for k in range(len(a) - 2):
        v = t[k + 1 :, k].copy()
        length = np.linalg.norm(v)
        if not np.linalg.norm(v[1:]):
            continue
        v[0] += length * (v[0] / abs(v[0]) if v[0] else 1)
        v /= np.linalg.norm(v)
        t[k + 1 :, k:] -= 2 * np.outer(v, v.conj() @ t[k + 1 :, k:])
        t[:, k + 1 :] -= 2 * np.outer(t[:, k + 1 :] @ v, v.conj())
        u[:, k + 1 :] -= 2 * np.outer(u[:, k + 1 :] @ v, v.conj())
        t[k + 2 :, k] = 0
    return t, u


def _shift(corner: Array) -> Any:
    """That eigenvalue of the first two rows and columns which is nearer to the last element."""
    (a, b), (c, d) = corner[:2, :2]
    half = (a - d) / 2
    root = np.sqrt(half * half + b * c)
    root = root if (half * np.conj(root)).real >= 0 else -root
    return d - b * c / (half + root) if half + root else d


def _sweep(t: Array, u: Array, low: int, high: int, shift: Any) -> None:
    """A step of the QR algorithm on the rows from `low` to `high`, in place."""
    places = np.arange(low, high + 1)
    t[places, places] -= shift
    turns = []
    for k in range(low, high):
        x, y = t[k, k], t[k + 1, k]
        size = np.hypot(abs(x), abs(y))
        turn = np.array([[np.conj(x), np.conj(y)], [-y, x]]) / size if size else np.eye(2)
        t[k : k + 2, k:] = turn @ t[k : k + 2, k:]
        turns.append(turn.conj().T)
    for k, back in zip(range(low, high), turns, strict=True):
        t[: min(k + 2, high) + 1, k : k + 2] = t[: min(k + 2, high) + 1, k : k + 2] @ back
        u[:, k : k + 2] = u[:, k : k + 2] @ back
    t[places, places] += shift
