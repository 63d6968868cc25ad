"""Counts of numbers, row by row."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers

NONE = np.zeros(0, np.int32)
ROWS = [[1, 1, 4], [0, 2, 2]]
CASES = [
    Case("DenseBincount", [[1, 1, 4, 9], 5, NONE], {}, [0, 2, 0, 0, 1]),
    Case("DenseBincount", [ROWS, 3, NONE], {}, [[0, 2, 0], [1, 0, 2]], id="rows"),
    Case("DenseBincount", [ROWS, 3, NONE], {"binary_output": True}, [[0, 1, 0], [1, 0, 1]], id="b"),
    Case("DenseBincount", [[1, 1, 4], 2, [0.5, 1.0, 2.0]], {}, [0.0, 1.5], id="weights"),
    Case("DenseBincount", [np.zeros((2, 0), np.int32), 2, NONE], {}, [[0, 0], [0, 0]], id="none"),
    Case("DenseBincount", [[-1], 2, NONE], {}, raises("must not be negative", "run"), id="sign"),
    Case("DenseBincount", [[1], -2, NONE], {}, raises("size = -2 is negative"), id="size"),
    Case("DenseBincount", [[1], 2, [1, 2]], {}, raises("shape of input", "run"), id="shape"),
]
test_dense_bincount = check(CASES)
SPLITS = np.array([0, 2, 2, 5])
VALUES = [1, 1, 4, 0, 2]
RAGGED = [
    Case("RaggedBincount", [SPLITS, VALUES, 3, NONE], {}, [[0, 2, 0], [0, 0, 0], [1, 0, 1]]),
    Case(
        "RaggedBincount",
        [SPLITS, VALUES, 2, NONE],
        {"binary_output": True},
        [[0, 1], [0, 0], [1, 0]],
        id="b",
    ),
    Case(
        "RaggedBincount",
        [SPLITS, VALUES, 2, [0.5, 1.0, 2.0, 3.0, 4.0]],
        {},
        [[0.0, 1.5], [0.0, 0.0], [3.0, 0.0]],
        id="weights",
    ),
    Case("RaggedBincount", [SPLITS, [1], 2, NONE], {}, raises("from 0 to 1", "run"), id="splits"),
    Case("RaggedBincount", [SPLITS[:1], NONE, -2, NONE], {}, raises("-2 is negative"), id="size"),
    Case("RaggedBincount", [SPLITS[:1], [[1]], 2, NONE], {}, raises("rank 1", "run"), id="rank"),
    Case("RaggedBincount", [SPLITS[:0], NONE, 2, NONE], {}, raises("not empty", "run"), id="empty"),
]
test_ragged_bincount = check(RAGGED)


def test_shapes() -> None:
    dtypes = {"Tidx": "int32"}
    infers("DenseBincount", "[b,n];;[0]", "[b,3]", values={"size": 3}, dtypes=dtypes)
    infers("DenseBincount", "[n];[];[0]", "[?]", dtypes=dtypes)
