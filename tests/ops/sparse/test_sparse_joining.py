"""Sparse tensors joined, split, reshaped, crossed, and as strings."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

I: td.DType = td.int64  # noqa: E741
X = (([[0, 1], [1, 2]], I), [5, 6], ([2, 3], I))
Y = (([[0, 0], [1, 1]], I), [7, 8], ([2, 2], I))
NOTHING = ((np.zeros((0, 2)), I), np.zeros(0, np.int32), ([2, 1], I))


def lists(*several: tuple[object, ...]) -> list[object]:
    return [list(parts) for parts in zip(*several, strict=True)]


def row(strings: list[object]) -> object:
    return strings


WORDS = (([[0, 0], [0, 1], [1, 0]], I), ["a", "b", "c"], ([2, 2], I))
CROSS = {"hashed_output": False, "num_buckets": 0, "hash_key": 956888297470}
TEXT = {**CROSS, "out_type": td.string, "internal_type": td.string}
HASH = {**CROSS, "hashed_output": True, "out_type": td.int64, "internal_type": td.string}

CASES = [
    Case(
        "SparseConcat",
        lists(X, Y, NOTHING),
        {"concat_dim": 1},
        (([[0, 1], [0, 3], [1, 2], [1, 4]], I), [5, 7, 6, 8], ([2, 6], I)),
        id="columns",
    ),
    Case(
        "SparseConcat",
        lists(X, X),
        {"concat_dim": -2},
        (([[0, 1], [1, 2], [2, 1], [3, 2]], I), [5, 6, 5, 6], ([4, 3], I)),
        id="rows",
    ),
    Case(
        "SparseConcat",
        lists(X, Y),
        {"concat_dim": 0},
        raises(r"shapes\[1\] = \[2, 2\] must be \[2, 3\] but for dimension 0", "run"),
        id="sizes",
    ),
    Case("SparseConcat", lists(X, Y), {"concat_dim": 2}, raises("is not in"), id="axis"),
    Case(
        "SparseSplit",
        [(1, I), *X],
        {"num_split": 2},
        (
            ([[0, 1]], I),
            ([[1, 0]], I),
            [5],
            [6],
            ([2, 2], I),
            ([2, 1], I),
        ),
        id="uneven",
        dynamic=True,
    ),
    Case(
        "SparseSplit",
        [(-2, I), *Y],
        {"num_split": 1},
        (*Y,),
        id="one",
        dynamic=True,
    ),
    Case("SparseSplit", [(1, I), *X], {"num_split": 4}, raises(r"not in \[1, 3\]", "run"), id="n"),
    Case("SparseSplit", [(2, I), *X], {"num_split": 1}, raises("is not in", "run"), id="axis"),
    Case(
        "SparseReshape",
        [X[0], X[2], ([3, -1], I)],
        {},
        (([[0, 1], [2, 1]], I), ([3, 2], I)),
        id="inferred",
    ),
    Case(
        "SparseReshape",
        [X[0], X[2], ([6], I)],
        {},
        (([[1], [5]], I), ([6], I)),
        id="vector",
    ),
    Case(
        "SparseReshape",
        [(np.zeros((0, 2)), I), ([0, 3], I), ([3, 0], I)],
        {},
        ((np.zeros((0, 2)), I), ([3, 0], I)),
        id="empty",
    ),
    Case("SparseReshape", [X[0], X[2], ([4], I)], {}, raises("6 elements", "run"), id="sizes"),
    Case(
        "SparseReshape",
        [X[0], X[2], ([-1, -1], I)],
        {},
        raises("may hold one -1", "run"),
        id="unknowns",
    ),
    Case(
        "SparseCross",
        [[WORDS[0]], [WORDS[1]], [WORDS[2]], [[["x"], ["y"]]]],
        TEXT,
        (([[0, 0], [0, 1], [1, 0]], I), ["a_X_x", "b_X_x", "c_X_y"], ([2, 2], I)),
        id="text",
        dynamic=True,
    ),
    Case(
        "SparseCross",
        [[WORDS[0]], [WORDS[1]], [WORDS[2]], [([[1, 2], [3, 4]], I)]],
        {**TEXT, "internal_type": td.int64},
        (
            ([[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]], I),
            ["a_X_1", "a_X_2", "b_X_1", "b_X_2", "c_X_3", "c_X_4"],
            ([2, 4], I),
        ),
        id="numbers",
        dynamic=True,
    ),
    Case(
        "SparseCross",
        [[WORDS[0]], [WORDS[1]], [WORDS[2]], [([[1], [3]], I)]],
        {**HASH, "internal_type": td.int64, "num_buckets": 1000},
        (([[0, 0], [0, 1], [1, 0]], I), ([485, 983, 694], I), ([2, 2], I)),
        id="buckets",
        dynamic=True,
    ),
    Case(
        "SparseCross",
        [[WORDS[0]], [WORDS[1]], [WORDS[2]], [[["x"], ["y"]]]],
        HASH,
        (
            ([[0, 0], [0, 1], [1, 0]], I),
            ([1484974617627318892, 3552177129620670004, 6571367263544129360], I),
            ([2, 2], I),
        ),
        id="hashes",
        dynamic=True,
    ),
    Case(
        "SparseCross",
        [[], [], [], [["batch1-X"], ["b"]]],
        HASH,
        raises("must be a matrix|must have rank 2"),
        id="rank",
    ),
    Case(
        "SparseCross",
        [[WORDS[0]], [WORDS[1]], [WORDS[2]], [[["x"]]]],
        TEXT,
        raises(r"one number of rows, got \[2, 1\]", "run"),
        id="rows",
    ),
]

test_sparse_joining = check(CASES)


def test_shapes() -> None:
    infers("SparseConcat", "[n,2]+[4,2];[n]+[4];[2]+[2]", "[n+4,2];[n+4];[2]", concat_dim=0)
    refuses("SparseConcat", "[n,2]+[4,3];[n]+[4];[2]+[3]", "must", concat_dim=0)
    infers("SparseSplit", "[];[n,2];[n];[2]", "[?,2];[?,2];[?];[?];[2];[2]", num_split=2)
    infers("SparseReshape", "[n,2];[2];[3]", "[n,3];[3]")


def test_functions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.SparseTensor(X[0][0], X[1], X[2][0])
        y = td.SparseTensor([[0, 0]], [9], [1, 5])
        wide = td.sparse_concat(0, [x, y], expand_nonconcat_dim=True)
        parts = td.sparse_split(sp_input=x, num_split=2, axis=1)
        eye = td.sparse.eye(2, 3, td.int32)
        grown = td.sparse_expand_dims(x, -2)
        turned = td.sparse_transpose(x)
        merged = td.sparse_merge(x, x, 9)
        least = td.sparse_reset_shape(td.SparseTensor([[0, 1]], [1], [5, 6]))
        none = td.sparse_reset_shape(td.SparseTensor(np.zeros((0, 2), np.int64), [], [5, 6]))
        found = session.run(
            [
                wide,
                parts[0],
                eye,
                grown,
                turned,
                merged,
                least,
                none,
                td.sparse.from_dense(["", "a"]),
            ]
        )
        assert found[0].dense_shape.tolist() == [3, 5]
        assert found[0].indices.tolist() == [[0, 1], [1, 2], [2, 0]]
        assert found[1].indices.tolist() == [[0, 1]]
        assert (found[2].indices.tolist(), found[2].dense_shape.tolist()) == (
            [[0, 0], [1, 1]],
            [2, 3],
        )
        assert found[3].indices.tolist() == [[0, 0, 1], [1, 0, 2]]
        assert found[4].indices.tolist() == [[1, 0], [2, 1]]
        assert found[5].indices.tolist() == [[0, 5], [1, 6]]
        assert found[6].dense_shape.tolist() == [1, 2]
        assert found[7].dense_shape.tolist() == [0, 0]
        assert found[8].indices.tolist() == [[1]]
        larger = td.sparse_reset_shape(x, [4, 4])
        kept = td.sparse_retain(x, [False, True])
        flags = td.sparse_to_indicator(x, 7)
        rows = td.sparse_mask(td.IndexedSlices(td.eye(3), td.constant([4, 5, 6]), [9, 3]), [5])
        found = session.run([larger, kept, flags, rows])
        assert found[0].dense_shape.tolist() == [4, 4]
        assert found[1].indices.tolist() == [[1, 2]]
        assert found[2].tolist() == (np.arange(7) == [[5], [6]]).tolist()
        assert found[3].indices.tolist() == [4, 6]
        with pytest.raises(td.errors.InvalidArgumentError, match="<="):
            session.run(td.sparse_reset_shape(x, [4, 2]).dense_shape)
        with pytest.raises(ValueError, match="by keyword"):
            td.sparse_split(x, 2)
