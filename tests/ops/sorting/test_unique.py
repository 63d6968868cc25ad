"""Unique elements and differences of lists. The examples are those of the documents."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

NAN = float("nan")
NOTHING = np.zeros(0, np.int32)
SAME_ROWS = [[1, 2, 1], [1, 2, 1]]
LONG = {"out_idx": "int64"}
COUNTED = [1, 1, 2, 4, 4, 4, 7, 8, 8]


def case(op: str, inputs: list[object], expected: object, id: str, **attrs: object) -> Case:
    return Case(op, inputs, attrs, expected, id=id, dynamic=True)


CASES = [
    case("Unique", [[7, 1, 7, 2]], ([7, 1, 2], [0, 1, 0, 2]), "ints"),
    case("Unique", [[5, -(2**31), 5]], ([5, -(2**31)], [0, 1, 0]), "far-apart"),
    case("Unique", [[b"b", b"a", b"b"]], ([b"b", b"a"], ([0, 1, 0], "int64")), "strings", **LONG),
    case("Unique", [[True, False, True]], ([True, False], [0, 1, 0]), "bools"),
    case("Unique", [NOTHING], (NOTHING, NOTHING), "none"),
    case("Unique", [np.zeros(0)], (np.zeros(0), NOTHING), "no-floats"),
    # Each NaN is unlike all others, in TensorFlow; zeros are alike whatever their sign.
    case("Unique", [[NAN, 0.0, -0.0, NAN, 1.0]], ([NAN, 0.0, NAN, 1.0], [0, 1, 1, 2, 3]), "nan"),
    case("Unique", [[[1, 2]]], raises("x must have rank 1"), "matrix"),
    case("UniqueV2", [[2, 1, 2], np.zeros(0, np.int64)], ([2, 1], [0, 1, 0]), "vector"),
    case("UniqueV2", [SAME_ROWS, [0]], ([[1, 2, 1]], [0, 0]), "rows"),
    case("UniqueV2", [SAME_ROWS, [-1]], ([[1, 2], [1, 2]], [0, 1, 0]), "columns"),
    case("UniqueV2", [np.zeros((2, 0)), [0]], (np.zeros((1, 0)), [0, 0]), "empty-rows"),
    case("UniqueV2", [SAME_ROWS, [2]], raises(r"axis\[0\] = 2 is not in \[-2, 2\)"), "axis"),
    case(
        "UniqueV2", [SAME_ROWS, NOTHING], raises("x must have rank 1 where axis is empty"), "rank"
    ),
    case(
        "UniqueWithCounts",
        [COUNTED],
        ([1, 2, 4, 7, 8], [0, 0, 1, 2, 2, 2, 3, 4, 4], [2, 1, 3, 1, 2]),
        "ints",
    ),
    case("UniqueWithCounts", [[0.5, 1.5, 0.5]], ([0.5, 1.5], [0, 1, 0], [2, 1]), "floats"),
    case("UniqueWithCounts", [[[1, 2]]], raises("x must have rank 1", "run"), "matrix"),
    case("UniqueWithCountsV2", [SAME_ROWS, [1]], ([[1, 2], [1, 2]], [0, 1, 0], [2, 1]), "columns"),
    case("ListDiff", [[1, 2, 3, 4, 5, 6], [1, 3, 5]], ([2, 4, 6], [1, 3, 5]), "ints"),
    case("ListDiff", [[3, 2, 3, 1], [1]], ([3, 2, 3], ([0, 1, 2], "int64")), "repeated", **LONG),
    case("ListDiff", [[b"a", b"b"], [b"a"]], ([b"b"], [1]), "strings"),
    case("ListDiff", [[NAN, 0.0, 2.5], [NAN, -0.0]], ([NAN, 2.5], [0, 2]), "nan"),
    case("ListDiff", [[1.5, 2.5], np.zeros(0, np.float32)], ([1.5, 2.5], [0, 1]), "from-nothing"),
    case("ListDiff", [[1], [[1]]], raises("y must have rank 1"), "matrix"),
]


test_sets = check(CASES)


def test_shapes() -> None:
    infers("Unique", "[n]", "[?];[n]")
    infers("Unique", "[1]", "[1];[1]")
    infers("UniqueWithCounts", "?", "[?];?;[?]")
    infers("UniqueV2", "[a,b,c];", "[a,?,c];[b]", values={"axis": [1]})
    infers("ListDiff", "[n];[m]", "[?];[?]")
    refuses("Unique", "[]", "rank 1")


def test_index_dtype_of_setdiff1d() -> None:
    with td.Graph().as_default():
        assert td.setdiff1d([1], [2]).idx.dtype is td.int32
        assert td.setdiff1d([1], [2], index_dtype=td.int64).idx.dtype is td.int64
        assert td.listdiff([1], [2], td.int64).idx.dtype is td.int64


@pytest.mark.parametrize("scale", [1, 1 << 40, 0.25], ids=["table", "sorted", "floats"])
def test_many(scale: float) -> None:
    random = np.random.default_rng(0)
    x, y = (np.asarray(random.integers(-3000, 3000, n) * scale) for n in (20_000, 9_000))
    with td.Graph().as_default(), td.Session() as session:
        unique, index, count = session.run(td.unique_with_counts(x))
        out, places = session.run(td.setdiff1d(x, y))
    assert unique.tolist() == list(dict.fromkeys(x.tolist()))
    np.testing.assert_array_equal(unique[index], x)
    np.testing.assert_array_equal(count, np.bincount(index))
    np.testing.assert_array_equal(places, np.flatnonzero(~np.isin(x, y)))
    np.testing.assert_array_equal(out, x[places])
