"""Stretches of what a stream of random numbers gives: those of the whole, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, raises
from harness import check, covers

from tensordraft.ops.random.distributions import drawn
from tensordraft.ops.random.philox import Philox

covers("RandomStretch")

WHOLE = drawn("uniform", Philox(7, 9), 2 * 6 * 5, np.dtype(np.float32)).reshape(2, 6, 5)
ROWS = {"kind": "uniform", "axis": 1, "dtype": "float32"}
KEY, COUNTER = np.array([7], np.uint64), np.array([9, 0], np.uint64)


def stretch(shape: Any, start: int, total: int, *rest: Any, alg: int = 1) -> list[Any]:
    return [shape, np.int64(start), np.int64(total), KEY, COUNTER, alg, list(rest)]


CASES = [
    Case("RandomStretch", stretch([2, 2, 5], 3, 6), ROWS, WHOLE[:, 3:5], id="rows"),
    Case("RandomStretch", stretch([2, 6, 5], 0, 6), ROWS, WHOLE, id="all"),
    Case("RandomStretch", stretch([2, 0, 5], 6, 6), ROWS, WHOLE[:, 6:], id="none"),
    Case(
        "RandomStretch",
        stretch([3], 4, 9, np.int32(2), np.int32(8)),
        {"kind": "integers", "axis": 0, "dtype": "int32"},
        drawn("integers", Philox(7, 9), 9, np.dtype("i4"), [np.array(2), np.array(8)])[4:7],
        id="integers",
    ),
    Case(
        "RandomStretch",
        stretch([2, 2, 5], 5, 6),
        ROWS,
        raises(r"start = 5 is not in \[0, 4\]", "run"),
        id="beyond",
    ),
    Case(
        "RandomStretch", stretch([2], 0, 2), ROWS, raises(r"axis = 1 is not in \[0, 1\)"), id="axis"
    ),
    Case(
        "RandomStretch",
        stretch([2, 2, 5], 0, 6, alg=2),
        ROWS,
        raises("alg must be 1", "run"),
        id="alg",
    ),
]
test_cases = check(CASES)
