"""Fingerprints of rows."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers

import tensordraft as td

FARM = "farmhash64"
BYTES = td.uint8
X = np.arange(6, dtype=np.int32).reshape(2, 3)
WORDS = [[227, 117, 223, 182, 101, 66, 69, 179], [200, 74, 159, 100, 11, 173, 12, 180]]
PAIR = [[122, 64, 59, 169, 136, 60, 55, 83]]
NUMBERS = [[226, 97, 231, 35, 137, 217, 164, 52], [135, 205, 247, 214, 112, 21, 177, 81]]
CASES = [
    Case("Fingerprint", [["a", "text of some length"], FARM], {}, (WORDS, BYTES)),
    Case("Fingerprint", [[["a", "b"]], FARM], {}, (PAIR, BYTES), id="several"),
    Case("Fingerprint", [X, FARM], {}, (NUMBERS, BYTES), id="numbers"),
    Case("Fingerprint", [X[:0], FARM], {}, (np.zeros((0, 8)), BYTES), id="none"),
    Case("Fingerprint", [["a"], "md5"], {}, raises("must be 'farmhash64'", "run"), id="method"),
]
test_fingerprints = check(CASES)


def test_shapes() -> None:
    infers("Fingerprint", "[n,3];[]", "[n,8]")
