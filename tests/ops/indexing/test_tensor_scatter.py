"""Tensors with some of their elements changed; indices as numbers."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

X = np.arange(6, dtype=np.float32).reshape(2, 3)
ROWS = [[1], [0], [1]]
UPDATES = np.array([[10, 20, 30], [1, 2, 3], [100, 200, 300]], np.float32)
CHANGED = {
    "TensorScatterAdd": X + np.array([[1, 2, 3], [110, 220, 330]]),
    "TensorScatterSub": X - [[1, 2, 3], [110, 220, 330]],
    "ScatterNdNonAliasingAdd": X + np.array([[1, 2, 3], [110, 220, 330]]),
}
CHANGED |= {
    "TensorScatterMax": np.maximum(X, [[1, 2, 3], [100, 200, 300]]),
    "TensorScatterMin": np.minimum(X, [[1, 2, 3], [10, 20, 30]]),
}
NCHW = {"src_format": "NHWC", "dst_format": "NCHW"}

CASES = [
    Case(
        "TensorScatterAdd",
        [[1, 2], [[0], [5]], [1, 9]],
        {"bad_indices_policy": "IGNORE"},
        expected=[2, 2],
        id="indices left out",
    ),
    Case(
        "XlaDynamicUpdateSlice",
        [X, X[:1, :2] + 7, [5, -1]],
        {},
        np.array([[0, 1, 2], [7, 8, 5]], np.float32),
        id="clamped",
    ),
    Case("XlaDynamicUpdateSlice", [["a", "b"], ["c"], [1]], {}, ["a", "c"], id="strings"),
    Case("XlaDynamicUpdateSlice", [X, X[0], [0]], {}, raises("must fit into input"), id="rank"),
    Case(
        "XlaDynamicUpdateSlice",
        [X, X, [0]],
        {},
        raises(r"indices must have shape \[2\], got \[1\]", "run"),
        id="places",
    ),
    *(Case(op, [X, ROWS, UPDATES], {}, y.astype(np.float32)) for op, y in CHANGED.items()),
    Case(
        "TensorScatterUpdate",
        [X, [[0, 2], [1, 0]], [7.0, 8.0]],
        {},
        np.array([[0, 1, 7], [8, 4, 5]], np.float32),
    ),
    Case("TensorScatterUpdate", [["a", "b"], [[1]], ["c"]], {}, ["a", "c"], id="strings"),
    Case("TensorScatterAdd", [X, np.zeros((0, 1), np.int32), X[:0]], {}, X, id="nothing"),
    Case(
        "TensorScatterAdd",
        [X, [[2]], UPDATES[:1]],
        {},
        raises(r"indices\[0\] = \[2\] is not in a tensor of shape \[2, 3\]", "run"),
        id="outside",
    ),
    Case(
        "TensorScatterUpdate",
        [X, [[0]], [1.0]],
        {},
        raises("must have equal shapes|updates must have shape"),
        id="shape",
    ),
    Case(
        "TensorScatterUpdate",
        [X, [[0, 0, 0]], [1.0]],
        {},
        raises("last dimension of at most 2"),
        id="depth",
    ),
    Case(
        "TensorStridedSliceUpdate",
        [X, [0, 0], [2, 3], [1, 2], [[9.0, 8.0], [7.0, 6.0]]],
        {},
        np.array([[9, 1, 8], [7, 4, 6]], np.float32),
    ),
    Case(
        "TensorStridedSliceUpdate",
        [X, [1], [2], [1], [9.0, 8.0, 7.0]],
        {"shrink_axis_mask": 1},
        np.array([[0, 1, 2], [9, 8, 7]], np.float32),
        id="row",
    ),
    Case(
        "TensorStridedSliceUpdate",
        [X, [0], [1], [1], [9.0]],
        {},
        raises("must have the shape of the slice", "run"),
        id="shape",
    ),
    Case("UnravelIndex", [[0, 5, 2], [3, 2]], {}, [[0, 2, 1], [0, 1, 0]]),
    Case(
        "UnravelIndex", [(7, td.int64), ([2, 2, 2], td.int64)], {}, ([1, 1, 1], td.int64), id="one"
    ),
    Case(
        "UnravelIndex", [[6], [3, 2]], {}, raises(r"indices = 6 is not in \[0, 6\)", "run"), id="o"
    ),
    Case("UnravelIndex", [[0], [3, 0]], {}, raises("dims must be at least 1", "run"), id="dims"),
    Case("DataFormatDimMap", [[0, 1, 2, 3, -1, -4]], {}, [0, 2, 3, 1, 1, 0]),
    Case(
        "DataFormatDimMap",
        [[[1], [4]]],
        {"src_format": "NDHWC", "dst_format": "NCDHW"},
        [[2], [1]],
        id="volume",
    ),
    Case("DataFormatDimMap", [[4]], NCHW, raises(r"x must be in \[-4, 4\)", "run"), id="outside"),
    Case("DataFormatDimMap", [[0]], {"dst_format": "NCHX"}, raises("same 4 or 5"), id="format"),
    Case("DataFormatVecPermute", [[7, 4, 9, 3]], NCHW, [7, 3, 4, 9]),
    Case(
        "DataFormatVecPermute",
        [[[1, 2], [3, 4], [5, 6], [7, 8]]],
        {"src_format": "NHWC", "dst_format": "HWNC"},
        [[3, 4], [5, 6], [1, 2], [7, 8]],
        id="pairs",
    ),
    Case("DataFormatVecPermute", [[7, 4]], NCHW, [7, 4], id="space"),
    Case("DataFormatVecPermute", [[7, 4, 1]], NCHW, raises("4 or 2 rows, got 3"), id="rows"),
]

test_tensor_scatters = check(CASES)


def test_shapes() -> None:
    infers("TensorScatterAdd", "[n,3];[k,1];[k,3]", "[n,3]")
    refuses("TensorScatterAdd", "[n,3];[k,1];[k,4]", "must")
    infers("TensorStridedSliceUpdate", "[n,3];[2];[2];[2];?", "[n,3]")
    infers("UnravelIndex", "[n];[3]", "[3,n]")
    infers("UnravelIndex", "[];[3]", "[3]")
    infers("DataFormatVecPermute", "[4,2]", "[4,2]")


def test_functions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant([1, 2, 3])
        results = [
            f(x, [[0], [2]], [7, 8])
            for f in (td.tensor_scatter_nd_add, td.tensor_scatter_sub, td.tensor_scatter_update)
        ]
        expected = [[8, 2, 11], [-6, 2, -5], [7, 2, 8]]
        assert [y.tolist() for y in session.run(results)] == expected
        assert session.run(x).tolist() == [1, 2, 3]
