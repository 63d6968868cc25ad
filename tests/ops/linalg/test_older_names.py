"""The op types of linear algebra under their names of TensorFlow before 0.12."""

from __future__ import annotations

import numpy as np
from cases import Array, Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

SQUARE = np.array([[[4, 2], [2, 5]], [[9, 0], [3, 4]]], np.float32)
SYMMETRIC = np.array([[2, 0], [0, -1]], np.float32)
RHS = np.array([[[8], [9]], [[9], [7]]], np.float32)
WAVE = np.array([[1, 2j, -1, 0], [0, 1, 0, 0]], np.complex64)
LOWER = np.tril(SQUARE)


def solution(matrices: Array) -> Array:
    return np.linalg.solve(matrices, RHS)


def values_above_vectors(found: Array) -> bool:
    return (
        found.shape == (3, 2)
        and found[0].tolist() == [-1, 2]
        and np.allclose(abs(found[1:]), [[0, 1], [1, 0]])
    )


def close(op: str, inputs: list[object], expected: object, **attrs: object) -> Case:
    return Case(op, inputs, attrs, expected, rtol=1e-5, atol=1e-6)


CASES = [
    close("BatchMatrixDiag", [[[1, 2], [3, 4]]], [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]),
    close("BatchMatrixDiagPart", [SQUARE], np.array([[4, 5], [9, 4]], np.float32)),
    close("BatchMatrixSetDiag", [[[1, 2], [3, 4]], [8, 9]], [[8, 2], [3, 9]]),
    close("BatchMatrixBandPart", [SQUARE, (-1, td.int64), (0, td.int64)], LOWER),
    close("BatchMatrixDeterminant", [SQUARE], np.array([16, 36], np.float32)),
    close("BatchMatrixInverse", [SQUARE], np.linalg.inv(SQUARE)),
    close("BatchCholesky", [SQUARE[:1]], np.array([[[2, 0], [1, 2]]], np.float32)),
    close("BatchMatrixSolve", [SQUARE, RHS], solution(SQUARE)),
    close("BatchMatrixTriangularSolve", [SQUARE, RHS], solution(LOWER)),
    close("BatchMatrixSolveLs", [SQUARE, RHS, (0.0, td.float64)], solution(SQUARE)),
    Case("BatchMatrixInverse", [np.zeros((1, 2, 2), "f")], {}, raises("not invertible", "run")),
    close(
        "BatchSvd",
        [SYMMETRIC],
        (np.array([2, 1], np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32)),
        compute_uv=False,
    ),
    close(
        "BatchSelfAdjointEigV2",
        [SYMMETRIC],
        (np.array([-1, 2], np.float32), np.zeros(0, np.float32)),
        compute_v=False,
    ),
    Case("SelfAdjointEig", [SYMMETRIC], {}, values_above_vectors),
    Case("BatchSelfAdjointEig", [SYMMETRIC[np.newaxis]], {}, lambda x: values_above_vectors(x[0])),
    *(
        close(f"Batch{op}", [WAVE.reshape(shape)], function(WAVE.reshape(shape), axes=axes))
        for axes, shape in (((-1,), (2, 4)), ((-2, -1), (2, 2, 2)), ((-3, -2, -1), (1, 2, 2, 2)))
        for op, function in (
            (f"FFT{len(axes)}D".replace("1D", ""), np.fft.fftn),
            (f"IFFT{len(axes)}D".replace("1D", ""), np.fft.ifftn),
        )
    ),
]
for _case in CASES:
    if isinstance(_case.expected, np.ndarray) and _case.expected.dtype == np.complex128:
        object.__setattr__(_case, "expected", _case.expected.astype(np.complex64))

test_older_names = check(CASES)


def test_shapes() -> None:
    infers("SelfAdjointEig", "[b,n,n]", "[b,n+1,n]")
    infers("BatchMatrixSolve", "[b,n,n];[b,n,k]", "[b,n,k]")
    infers("BatchFFT2D", "[b,n,m]", "[b,n,m]")
    refuses("BatchSelfAdjointEig", "[2,3]", "must be equal")
