"""Sums and maxima of sparse tensors along axes, dense and sparse."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers

import tensordraft as td

PLACES = ([[0, 0, 1], [0, 1, 0], [0, 1, 1], [2, 0, 1]], "int64")
SHAPE = ([3, 2, 2], "int64")
VALUES = [1.0, 2.0, -4.0, -3.0]
NONE: list[object] = [(np.zeros((0, 3)), "int64"), np.zeros(0, np.float32), SHAPE]
X: list[object] = [PLACES, VALUES, SHAPE]
KEPT = {"keep_dims": True}


def sparse(indices: object, values: object, shape: object) -> tuple[object, ...]:
    return (indices, "int64"), values, (shape, "int64")


CASES = [
    Case("SparseReduceMax", [*X, [1, 2]], {}, [2.0, 0.0, -3.0], id="two"),
    Case("SparseReduceMax", [*X, [-1]], {}, [[1.0, 2.0], [0, 0], [-3, 0]], id="last"),
    Case("SparseReduceMax", [*X, [0, 1, 2]], KEPT, [[[2.0]]], id="kept"),
    Case("SparseReduceMax", [*NONE, [2]], {}, np.zeros((3, 2), "f"), id="none"),
    Case(
        "SparseReduceMax",
        [*X, ([], "int32")],
        {},
        [[[0.0, 1], [2, -4]], [[0, 0], [0, 0]], [[0, -3], [0, 0]]],
        id="no-axes",
    ),
    Case("SparseReduceMax", [*X, [3]], {}, raises(r"\[0\] = 3 is not in \[-3, 3\)"), id="axis"),
    Case(
        "SparseReduceSumSparse",
        [*X, [1, 2]],
        {},
        sparse([[0], [2]], [-1.0, -3.0], [3]),
        id="two",
    ),
    Case(
        "SparseReduceSumSparse",
        [*X, [2]],
        KEPT,
        sparse([[0, 0, 0], [0, 1, 0], [2, 0, 0]], [1.0, -2.0, -3.0], [3, 2, 1]),
        id="kept",
    ),
    Case(
        "SparseReduceSumSparse",
        [([[1, 0], [0, 1], [1, 0]], "int64"), [1, 2, 3], ([2, 2], "int64"), ([], "int32")],
        {},
        sparse([[0, 1], [1, 0]], [2, 4], [2, 2]),
        id="repeated",
    ),
    Case(
        "SparseReduceSumSparse",
        [*NONE, [0]],
        {},
        sparse(np.zeros((0, 2)), np.zeros(0, "f"), [2, 2]),
        id="none",
    ),
    Case(
        "SparseReduceMaxSparse",
        [*X, [0, 1]],
        {},
        sparse([[0], [1]], [2.0, 1.0], [2]),
        id="two",
    ),
    Case(
        "SparseReduceMaxSparse",
        [*X, [2]],
        KEPT,
        sparse([[0, 0, 0], [0, 1, 0], [2, 0, 0]], [1.0, 2.0, -3.0], [3, 2, 1]),
        id="kept",
    ),
    Case("SparseReduceMaxSparse", [*X, [-4]], {}, raises("-4 is not in"), id="axis"),
    Case(
        "SparseReduceMaxSparse",
        [([[0, 2]], "int64"), [1], ([1, 2], "int64"), [0]],
        {},
        raises(r"\[0, 2\] is not inside of the shape \[1, 2\]", "run"),
        id="outside",
    ),
]

test_sparse_reductions = check(
    dataclasses.replace(case, dynamic=case.op.endswith("Sparse")) for case in CASES
)


def test_shapes() -> None:
    infers(
        "SparseReduceMaxSparse",
        "[n,3];[n];[3];",
        "[?,1];[?];[1]",
        values={"reduction_axes": [0, 2]},
    )
    infers("SparseReduceSumSparse", "[n,3];[n];[3];[2]", "[?,?];[?];[?]")
    infers("SparseReduceSumSparse", "[n,3];[n];[3];[2]", "[?,3];[?];[3]", keep_dims=True)


@pytest.mark.parametrize("known", [True, False])
def test_all_axes_go_where_none_is_named(known: bool) -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.sparse_placeholder(td.float32, [3, 2, 2] if known else None)
        value = td.SparseTensorValue(PLACES[0], VALUES, [3, 2, 2])
        largest, total = td.sparse_reduce_max(x), td.sparse_reduce_sum(x, keepdims=True)
        parts = td.sparse_reduce_sum_sparse(x), td.sparse_reduce_max_sparse(x, [1, 2])
        results = session.run([largest, total, *parts], {x: value})
        assert results[0] == 2
        assert results[1].tolist() == [[[-4]]]
        assert results[2].indices.shape == (1, 0)
        assert results[2].values.tolist() == [-4]
        assert results[3].values.tolist() == [2, -3]
