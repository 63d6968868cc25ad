"""Counts as sparse tensors: what TensorFlow 2.21 gives and refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft.graph.registry import lookup

covers("DenseCountSparseOutput", "RaggedCountSparseOutput", "SparseCountSparseOutput")

NONE = np.zeros(0, np.float32)
ROWS, LINE = np.array([[1, 0, 3], [7, 7, 7]]), np.array([1, 0, 3, 3])
WEIGHTS = np.arange(6, dtype=np.float32).reshape(2, 3)
FIRST = [[0, 0], [0, 1], [0, 3]]
BOTH = [*FIRST, [1, 7]]


def counted(kind: str, *inputs: Any, fed: bool = False, binary: bool = False, **attrs: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        given: Any = [td.placeholder_with_default(part, None) if fed else part for part in inputs]
        op = lookup(f"{kind}CountSparseOutput")
        made = op(*given, binary_output=binary, **attrs)
        results = session.run(list(made))
        for tensor, array in zip(made, results, strict=True):
            assert tensor.shape.is_compatible_with(array.shape)
            assert array.dtype == tensor.dtype.numpy_dtype
        return [part.tolist() for part in results]


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("values", "weights", "attrs", "expected"),
    [
        (ROWS, NONE, {}, [BOTH, [1, 1, 1, 3], [2, 8]]),
        (ROWS, NONE, {"binary": True}, [BOTH, [1, 1, 1, 1], [2, 8]]),
        (ROWS, WEIGHTS, {"binary": True}, [BOTH, [1, 1, 1, 1], [2, 8]]),
        (ROWS, NONE, {"minlength": 9}, [BOTH, [1, 1, 1, 3], [2, 9]]),
        (ROWS, NONE, {"maxlength": 4}, [FIRST, [1, 1, 1], [2, 4]]),
        (ROWS, WEIGHTS, {}, [BOTH, [1, 0, 2, 12], [2, 8]]),
        (LINE, NONE, {}, [[[0], [1], [3]], [1, 1, 2], [4]]),
        (LINE, NONE, {"minlength": 9}, [[[0], [1], [3]], [1, 1, 2], [9]]),
        (ROWS[:, :0], NONE, {}, [[], [], [2, 0]]),
    ],
)
def test_dense_rows(values: Any, weights: Any, attrs: Any, expected: Any, fed: bool) -> None:
    assert counted("Dense", values, weights, fed=fed, **attrs) == expected


PLACES = np.array([[0, 0], [0, 1], [2, 0]])


def test_sparse_rows() -> None:
    values, sizes = np.array([5, 5, 1]), np.array([4, 2])
    expected = [[[0, 5], [2, 1]], [2, 1], [4, 6]]
    assert counted("Sparse", PLACES, values, sizes, NONE) == expected
    line = [[[1], [5]], [1, 2], [6]]
    assert counted("Sparse", np.array([[0], [1], [2]]), values, sizes[:1], NONE) == line


def test_ragged_rows() -> None:
    splits, values = np.array([0, 2, 2, 4]), np.array([5, 5, 1, 2], np.int32)
    expected = [[[0, 5], [2, 1], [2, 2]], [2, 1, 1], [3, 6]]
    assert counted("Ragged", splits, values, NONE.astype(np.int64)) == expected
    weights = np.array([1, 2, 3, 4], np.float32)
    cut = [[[2, 1], [2, 2]], [3, 4], [3, 3]]
    assert counted("Ragged", splits, values, weights, minlength=8, maxlength=3) == cut


@pytest.mark.parametrize(
    ("kind", "inputs", "clause"),
    [
        ("Dense", (np.array([[1, -1]]), NONE), "values must not be negative, got -1"),
        ("Dense", (ROWS, WEIGHTS[0]), "as many as the values, got 3 and 6"),
        ("Dense", (ROWS[None], NONE), "rank 1 or 2"),
        ("Sparse", (PLACES + 2, LINE[:3], np.array([4, 2]), NONE), r"\[0,1\] = 2 is not in \[0, 2"),
        ("Sparse", (PLACES, LINE, np.array([4, 2]), NONE), r"shape \[4, 2\], got \[3, 2\]"),
        ("Sparse", (PLACES, LINE[:3], np.array([4, 2, 1]), NONE), "1 or 2 dimensions"),
        ("Ragged", (np.array([0, 9]), LINE, NONE), "must rise from 0 to 4"),
        ("Ragged", (np.array([0, 6]), ROWS, NONE), "values must have rank 1"),
    ],
)
def test_what_cannot_be_counted(kind: str, inputs: Any, clause: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=clause):
        counted(kind, *inputs, fed=True)
