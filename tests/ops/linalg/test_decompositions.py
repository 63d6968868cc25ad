"""Decompositions of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cases import Array, Case, raises
from harness import check
from shape_language import infers, refuses

RANDOM = np.random.default_rng(3)
TALL = RANDOM.normal(size=(2, 4, 3))
WIDE = RANDOM.normal(size=(3, 5)).astype(np.float32)
COMPLEX = (WIDE + 1j * WIDE[::-1]).astype(np.complex64)


def factors_of(x: Array, columns: int) -> Callable[..., bool]:
    """Checks that q has orthogonal columns, r is upper triangular, and their product is x."""

    def right(q: Array, r: Array) -> bool:
        identity = np.swapaxes(q.conj(), -1, -2) @ q
        return bool(
            q.dtype == r.dtype == x.dtype
            and q.shape == (*x.shape[:-1], columns)
            and np.allclose(identity, np.eye(columns), atol=1e-5)
            and np.allclose(np.tril(r, -1), 0)
            and np.allclose(q @ r, x, atol=1e-5)
        )

    return right


def case(x: Any, expected: Any, id: str, **attrs: Any) -> Case:
    return Case("Qr", [x], attrs, expected, id=id)


CASES = [
    case(TALL, factors_of(TALL, 3), "tall"),
    case(TALL, factors_of(TALL, 4), "full", full_matrices=True),
    case(WIDE, factors_of(WIDE, 3), "wide"),
    case(COMPLEX, factors_of(COMPLEX, 3), "complex"),
    case(np.zeros((0, 2)), (np.zeros((0, 0)), np.zeros((0, 2))), "empty"),
    case([1.0, 2.0], raises("input must have rank at least 2"), "vector"),
]


test_decompositions = check(CASES)


def test_shapes() -> None:
    infers("Qr", "[n,4,3]", "[n,4,3];[n,3,3]")
    infers("Qr", "[a,b]", "[a,min(a, b)];[min(a, b),b]")
    infers("Qr", "[4,b]", "[4,4];[4,b]", full_matrices=True)
    infers("Qr", "?", "?;?")
    refuses("Qr", "[3]", "rank at least 2")
