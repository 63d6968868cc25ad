"""Square roots and logarithms of matrices: the numbers are those of TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td
from tensordraft.ops.linalg.schur import schur

PAIR = np.array([[4.0, 1], [2, 3]])
EXPECTED = [[2.5068844506543453, 2.7777410259370727], [4.6505366769728615, -0.4292320750138286]]
ROOT = [[1.962116505790891, 0.273951471708898], [0.5479029434177962, 1.6881650340819927]]
LOGARITHM = [[1.3040076684760482, 0.30543024395805174], [0.6108604879161034, 0.9985774245179967]]
STEPS = np.array([[1.0, 2, 3], [0, 4, 5], [0, 0, 1]])
NAN = np.full((2, 2), np.nan)


def close(op: str, given: object, expected: object, id: str) -> Case:
    return Case(op, [given], {}, np.asarray(expected), id=id, rtol=1e-9, atol=1e-9)


CASES = [
    close("MatrixSquareRoot", PAIR, ROOT, "real"),
    close("MatrixSquareRoot", STEPS, [[1, 2 / 3, 17 / 18], [0, 2, 5 / 3], [0, 0, 1]], "triangular"),
    close("MatrixSquareRoot", np.array([[-1 + 0j]]), [[1j]], "complex"),
    close("MatrixSquareRoot", -np.eye(2), NAN, "negative"),
    close("MatrixSquareRoot", np.zeros((1, 2, 2)), NAN[None], "zeros"),
    close("MatrixSquareRoot", np.full((2, 2), np.inf), NAN, "infinite"),
    close("MatrixSquareRoot", np.zeros((2, 0, 0)), np.zeros((2, 0, 0)), "empty"),
    Case("MatrixSquareRoot", [np.zeros((2, 3))], {}, raises("must be equal"), id="sides"),
    close("MatrixLogarithm", PAIR + 0j, np.array(LOGARITHM) + 0j, "complex"),
    close(
        "MatrixLogarithm",
        np.array([[[1, 5], [0, 1]], [[3, 0], [0, 1j]]]),
        [[[0, 5], [0, 0]], [[np.log(3), 0], [0, np.pi / 2 * 1j]]],
        "several",
    ),
    close("MatrixLogarithm", np.diag([1, 0j]), NAN * (1 + 1j), "singular"),
]
test_matrix_exponentials = check(CASES)


@pytest.mark.parametrize("side", [1, 2, 3, 12, 40])
def test_triangular_forms(side: int) -> None:
    random = np.random.default_rng(side)
    for matrix in (
        random.normal(size=(side, side)) + 1j * random.normal(size=(side, side)),
        random.normal(size=(side, side)).astype(np.complex128),
        np.triu(np.ones((side, side), np.complex128)),
        np.roll(np.eye(side, dtype=np.complex128), 1, 0),
        np.zeros((side, side), np.complex128),
    ):
        u, t = schur(matrix)
        np.testing.assert_allclose(u @ t @ u.conj().T, matrix, atol=1e-12)
        np.testing.assert_allclose(u @ u.conj().T, np.eye(side), atol=1e-12)
        assert not np.tril(t, -1).any()


def test_roots_and_logarithms_are_inverse() -> None:
    matrix = np.random.default_rng(5).normal(size=(2, 9, 9)) + 9 * np.eye(9)
    with td.Graph().as_default(), td.Session() as session:
        root = td.linalg.sqrtm(matrix)
        np.testing.assert_allclose(session.run(td.matmul(root, root)), matrix, rtol=1e-9)
        again = td.linalg.expm(td.linalg.logm(matrix + 0j))
        np.testing.assert_allclose(session.run(again), matrix, rtol=1e-9)


def test_gradient_of_roots() -> None:
    with td.Graph().as_default(), td.Session() as session:
        matrices = td.constant(np.stack([PAIR, [[1.0, 2], [0.5, 5]]]))
        total = td.reduce_sum(td.linalg.sqrtm(matrices) * np.array([[1.0, 2], [3, -1]]))
        (slope,) = td.gradients(total, matrices)
        np.testing.assert_allclose(
            session.run(slope),
            [
                [
                    [0.09366020490668421, 0.6064174332687092],
                    [0.8511116600521513, -0.4834999834366],
                ],
                [[0.2332179774374178, 0.6383848026464913], [0.97240038050178, -0.3518033896937321]],
            ],
            rtol=1e-9,
        )


def test_gradient_of_exponentials() -> None:
    """That of TensorFlow's own expm, whose ops have gradients."""
    with td.Graph().as_default(), td.Session() as session:
        matrix = td.constant([[0.5, 1.0], [-0.25, 0.3]], td.float64)
        total = td.reduce_sum(td.linalg.expm(matrix) * np.array([[1.0, 2], [3, -1]]))
        (slope,) = td.gradients(total, matrix)
        np.testing.assert_allclose(session.run(slope), EXPECTED, rtol=1e-9)
