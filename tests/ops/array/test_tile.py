"""The gradient of tiles that TensorFlow wrote before 0.12."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check

X = np.arange(8, dtype="f").reshape(2, 4)
CASES = [
    Case("TileGrad", [X, [1, 2]], expected=np.array([[2, 4], [10, 12]], "f"), dynamic=True),
    Case("TileGrad", [X, [2, 4]], expected=np.array([[28]], "f"), id="all", dynamic=True),
    Case("TileGrad", [X.astype("u1"), [1, 1]], expected=X.astype("u1"), id="once", dynamic=True),
    Case("TileGrad", [np.float32(3), np.zeros(0, "i4")], expected=np.float32(3), id="scalar"),
    Case("TileGrad", [X, [1, 3]], expected=raises(r"multiples\[1\] = 3 does not divide 4")),
    Case("TileGrad", [X, [0, 1]], expected=raises(r"multiples\[0\] = 0 is not at least 1")),
    Case("TileGrad", [X, [1]], expected=raises("multiples")),
]
test_tile_gradient = check(CASES)
