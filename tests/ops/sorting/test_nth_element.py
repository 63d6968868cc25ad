"""The n-th smallest element, comparisons as bits, and fingerprints."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

X = np.array([[3, 1, 2], [9, 7, 8]], np.float32)
BITS = np.array([[1, -1, 0, 5, 0, 0, 0, 2, 9, 9, 9, 9, 0, 0, 0, 0]], np.float32)
CASES = [
    Case("NthElement", [X, 1], {}, [2.0, 8.0]),
    Case("NthElement", [X, 0], {"reverse": True}, [3.0, 9.0], id="reverse"),
    Case("NthElement", [[3, 1, 2, 2], 3], {}, 3, id="vector"),
    Case("NthElement", [X, 3], {}, raises(r"n = 3 is not in \[0, 3\)"), id="outside"),
    Case("NthElement", [X, -1], {}, raises(r"n = -1 is not in \[0, "), id="negative"),
    Case("CompareAndBitpack", [BITS, 0.5], {}, ([[0b10010001, 0b11110000]], td.uint8)),
    Case("CompareAndBitpack", [X[:, :0], 0.0], {}, (np.zeros((2, 0)), td.uint8), id="none"),
    Case("CompareAndBitpack", [X, 0.0], {}, raises("multiple of 8"), id="size"),
]
test_nth_element = check(CASES)


def test_shapes() -> None:
    infers("NthElement", "[n,3];[]", "[n]")
    infers("CompareAndBitpack", "[n,16];[]", "[n,2]")
    refuses("NthElement", "[n,3];[1]", "rank 0")
