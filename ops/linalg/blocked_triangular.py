"""Triangular systems and LU decompositions by blocked matrix products."""

from __future__ import annotations

import numpy as np

from ...shape_inference.protocols import Array

_SIDE = 16  # of the triangles that are inverted
_PANEL = 16  # columns that are decomposed one by one


def solve_lower(matrix: Array, rhs: Array) -> Array:
    """The solutions of `matrix @ x = rhs` for lower triangles [..., n, n]; the rest is not read.

    The small triangles on the diagonal are inverted; all else is products. A zero on the diagonal
    must have been refused.
    """
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    x = np.empty((*lead, *rhs.shape[-2:]), matrix.dtype)
    x[...] = rhs
    _solve_in_place(matrix, _inverses(matrix), x, 0, matrix.shape[-1])
    return x


def _solve_in_place(matrix: Array, inverses: list[Array], x: Array, start: int, end: int) -> None:
    if end - start <= _SIDE:
        rows = x[..., start:end, :]
        rows[...] = inverses[start // _SIDE] @ rows
        return
    middle = start + (end - start + 2 * _SIDE - 1) // (2 * _SIDE) * _SIDE
    _solve_in_place(matrix, inverses, x, start, middle)
    x[..., middle:end, :] -= matrix[..., middle:end, start:middle] @ x[..., start:middle, :]
    _solve_in_place(matrix, inverses, x, middle, end)


def _inverses(matrix: Array) -> list[Array]:
    """Those of the triangles on the diagonal, the last of which may be smaller."""
    side = matrix.shape[-1]
    blocks = []
    for start in range(0, side, _SIDE):
        part = matrix[..., start : start + _SIDE, start : start + _SIDE]
        number = part.shape[-1]
        # All matrices side by side, so that loops are long.
        wide = np.ascontiguousarray(np.moveaxis(part, (-2, -1), (0, 1)))
        inverse = np.zeros_like(wide)
        for row in range(number):
            inverse[row, row] = 1 / wide[row, row]
            partial = (wide[row, :row, np.newaxis] * inverse[:row, :row]).sum(0)
            inverse[row, :row] = -partial * inverse[row, row]
        blocks.append(np.moveaxis(inverse, (0, 1), (-2, -1)).copy())
    return blocks


def decompose(batch: Array, order: Array) -> None:
    """Turns matrices [number, n, n] into their LU decompositions, with pivots, in place.

    Args:
        batch: the matrices.
        order: the number of each row, [number, n]; it becomes that of the row which stands there.

    Raises:
        ValueError: a matrix is not invertible.
    """
    side, every = batch.shape[-1], np.arange(len(batch))
    for start in range(0, side, _PANEL):
        end = min(start + _PANEL, side)
        # Columns lie along the last dimension, so that loops are long.
        panel = batch[:, start:, start:end].swapaxes(1, 2).copy()
        below = batch[:, start:]
        for k, pivot in enumerate(_decompose_panel(panel)):
            for rows in (below, order[:, start:]):
                rows[every, k], rows[every, pivot] = rows[every, pivot], rows[every, k].copy()
        columns = panel.swapaxes(1, 2)
        below[:, :, start:end] = columns
        if end < side:
            own = end - start
            triangle = np.tril(columns[:, :own], -1) + np.eye(own, dtype=batch.dtype)
            right = solve_lower(triangle, below[:, :own, end:])
            below[:, :own, end:] = right
            below[:, own:, end:] -= np.ascontiguousarray(columns[:, own:]) @ right


def _decompose_panel(panel: Array) -> list[Array]:
    """Decomposes columns [number, columns, n]; returns the row that each was exchanged with."""
    number, columns, _ = panel.shape
    every, exchanged = np.arange(number), []
    for k in range(columns):
        pivot = k + np.abs(panel[:, k, k:]).argmax(1)
        exchanged.append(pivot)
        held = panel[every, :, pivot]
        panel[every, :, pivot] = panel[:, :, k]
        panel[:, :, k] = held
        if not held[:, k].all():
            raise ValueError("input is not invertible")
        panel[:, k, k + 1 :] /= held[:, k, np.newaxis]
        if k + 1 < columns:
            panel[:, k + 1 :, k + 1 :] -= (
                held[:, k + 1 :, np.newaxis] * panel[:, k, np.newaxis, k + 1 :]
            )
    return exchanged
