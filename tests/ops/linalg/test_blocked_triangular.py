"""Triangular systems and LU decompositions whose matrices are cut into blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

SIDES = [1, 15, 16, 17, 40, 64]


def _matrices(side: int, *lead: int) -> Any:
    rng = np.random.default_rng(side)
    return rng.standard_normal((*lead, side, side)) + 2 * side**0.5 * np.eye(side)


def _run(op: str, **attrs: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(getattr(td.raw_ops, op)(**attrs))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_one_triangle_is_read(side: int, lower: bool, adjoint: bool) -> None:
    triangle = np.tril if lower else np.triu
    matrix = _matrices(side, 3, 1) + 1j * _matrices(side, 3, 1)
    rhs = _matrices(side, 3, 1)[..., :2] + 1j
    part = triangle(matrix)
    wanted = np.linalg.solve(part.conj().swapaxes(-1, -2) if adjoint else part, rhs)
    with_nan = np.where(part == 0, np.nan, matrix)
    given = with_nan if side > 1 else matrix
    found = _run("MatrixTriangularSolve", matrix=given, rhs=rhs, lower=lower, adjoint=adjoint)
    np.testing.assert_allclose(found, np.broadcast_to(wanted, found.shape), 1e-9, 1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_the_rows_of_a_matrix_are_the_product_of_its_triangles(side: int) -> None:
    matrix = _matrices(side, 3)[:, ::-1] if side > 1 else _matrices(side, 3)
    found, order = _run("Lu", input=matrix)
    lower = np.tril(found, -1) + np.eye(side)
    np.testing.assert_allclose(
        lower @ np.triu(found), np.take_along_axis(matrix, order[:, :, np.newaxis], 1), 1e-9, 1e-9
    )
    assert np.abs(lower).max() <= 1  # the largest of a column stands on the diagonal
    assert np.array_equal(np.sort(order, 1), np.broadcast_to(np.arange(side), (3, side)))


def test_a_zero_far_down_on_the_diagonal_is_refused() -> None:
    matrix = np.eye(40)
    matrix[30, 30] = 0
    for op, names in (("Lu", ["input"]), ("MatrixTriangularSolve", ["matrix", "rhs"])):
        with pytest.raises(td.errors.InvalidArgumentError, match="is not invertible"):
            _run(op, **dict.fromkeys(names, matrix))
