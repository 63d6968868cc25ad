"""LU factors, rank and pseudo-inverse, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
RNG = np.random.default_rng(3)
STACK = RNG.standard_normal((2, 3, 4, 4))


@pytest.mark.parametrize("matrices", [STACK, STACK[0, 0], STACK[0] + 1j * STACK[1], STACK[:0]])
def test_factors_make_the_matrix_its_inverse_and_solutions(
    session: td.Session, matrices: Any
) -> None:
    x = td.placeholder(matrices.dtype, matrices.shape)
    factors = td.linalg.lu(x)
    rhs = RNG.standard_normal((*matrices.shape[:-1], 2)).astype(matrices.dtype)
    found = (
        td.linalg.lu_reconstruct(*factors),
        td.linalg.lu_matrix_inverse(*factors),
        td.linalg.lu_solve(*factors, rhs),
    )
    assert found[2].shape.as_list() == [*rhs.shape]
    again, inverse, solutions = session.run(found, {x: matrices})
    np.testing.assert_allclose(again, matrices, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrices), rtol=1e-8)
    np.testing.assert_allclose(solutions, np.linalg.solve(matrices, rhs), rtol=1e-8)


def test_permutations_of_unknown_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="the rank of perm must be known"):
        td.linalg.lu_reconstruct(np.eye(2), td.placeholder(td.int32))


TALL, WIDE = RNG.standard_normal((3, 5, 2)), RNG.standard_normal((2, 4)).astype("f")
FLAT = np.outer([1.0, 2, 3], [1.0, 0, -1])


@pytest.mark.parametrize("matrices", [TALL, WIDE, FLAT, np.zeros((3, 2))])
def test_pseudo_inverse_and_rank(session: td.Session, matrices: Any) -> None:
    x = td.placeholder(matrices.dtype, [None] * matrices.ndim)
    inverse, rank = session.run([td.linalg.pinv(x), td.linalg.matrix_rank(x)], {x: matrices})
    assert inverse.dtype == matrices.dtype
    np.testing.assert_allclose(inverse, np.linalg.pinv(matrices, rcond=1e-6), rtol=1e-5, atol=1e-9)
    np.testing.assert_array_equal(rank, np.linalg.matrix_rank(matrices))
    assert rank.dtype == np.int32


def test_what_counts_as_zero_may_be_given(session: td.Session) -> None:
    x = np.diag([4.0, 1.0, 0.1])
    assert session.run(td.linalg.matrix_rank(x, tol=0.5)) == 2
    inverse = session.run(td.linalg.pinv(x, rcond=0.1))
    np.testing.assert_allclose(inverse, np.diag([0.25, 1.0, 0.0]), atol=1e-12)


@pytest.mark.parametrize(("order", "axis"), [("euclidean", None), (1, 1), (np.inf, 0), (3, 1)])
def test_normalized_vectors_have_norm_one(session: td.Session, order: Any, axis: Any) -> None:
    x = RNG.standard_normal((3, 4)).astype("f")
    whole, size = session.run(td.linalg.normalize(x, order, axis))
    expected = np.linalg.norm(
        x.ravel() if axis is None else x, 2 if order == "euclidean" else order, axis
    )
    np.testing.assert_allclose(size.ravel(), np.ravel(expected), rtol=1e-5)
    np.testing.assert_allclose(whole * size, x, rtol=1e-5)
    assert size.ndim == 2
