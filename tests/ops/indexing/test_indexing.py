"""GatherNd and ScatterNd. The examples of gather_nd and scatter_nd are those of the documents."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Array, Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

SQUARE = [[b"a", b"b"], [b"c", b"d"]]
CUBE = [[[b"a0", b"b0"], [b"c0", b"d0"]], [[b"a1", b"b1"], [b"c1", b"d1"]]]
LEAVES = np.array([[5] * 4, [6] * 4, [7] * 4, [8] * 4], np.int32)
SCATTERED = np.zeros((4, 4, 4), np.int32)
SCATTERED[[0, 2]] = LEAVES
ONES = np.ones((3, 2), np.float32)
IGNORE = {"bad_indices_policy": "IGNORE"}


def taken(params: object, indices: object, expected: object, id: str, **attrs: object) -> Case:
    return Case("GatherNd", [params, indices], attrs, expected, id=id)


def put(inputs: list[object], expected: object, id: str, **attrs: object) -> Case:
    return Case("ScatterNd", inputs, attrs, expected, id=id)


CASES = [
    taken(SQUARE, [[0, 0], [1, 1]], [b"a", b"d"], "elements"),
    taken(SQUARE, [[1], [0]], [[b"c", b"d"], [b"a", b"b"]], "rows"),
    taken(CUBE, [[1]], [[[b"a1", b"b1"], [b"c1", b"d1"]]], "matrix"),
    taken(CUBE, [[0, 1], [1, 0]], [[b"c0", b"d0"], [b"a1", b"b1"]], "rows-of-cube"),
    taken(CUBE, [[0, 0, 1], [1, 0, 1]], [b"b0", b"b1"], "elements-of-cube"),
    taken(SQUARE, [[[0, 0]], [[0, 1]]], [[b"a"], [b"b"]], "batch"),
    taken(SQUARE, [[[1]], [[0]]], [[[b"c", b"d"]], [[b"a", b"b"]]], "batch-of-rows"),
    taken(CUBE, [[[1]], [[0]]], [[CUBE[1]], [CUBE[0]]], "batch-of-matrices"),
    taken(
        CUBE,
        [[[0, 1], [1, 0]], [[0, 0], [1, 1]]],
        [[[b"c0", b"d0"], [b"a1", b"b1"]], [[b"a0", b"b0"], [b"c1", b"d1"]]],
        "batch-of-rows-of-cube",
    ),
    taken(
        CUBE,
        [[[0, 0, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 0]]],
        [[b"b0", b"b1"], [b"d0", b"c1"]],
        "batch-of-elements",
    ),
    taken([[1, 2], [3, 4]], [1, 0], 3, "vector"),
    # The documents ask for 0 < K; with K = 0 each index selects all of params.
    taken([1, 2], np.zeros((2, 0), np.int32), [[1, 2], [1, 2]], "depth-0"),
    taken(np.zeros((0, 2)), np.zeros((0, 1), np.int32), np.zeros((0, 2)), "none"),
    taken(
        np.zeros((0, 2)), [[0]], raises(r"params of shape \[0, 2\] is empty", "run"), "of-nothing"
    ),
    taken(
        5,
        np.zeros((1, 0), np.int32),
        raises("params must have rank at least 1", "run"),
        "of-scalar",
    ),
    taken(
        ONES,
        [[0, -1]],
        raises(r"indices\[0\] = \[0, -1\] is not in .* \[3, 2\]", "run"),
        "negative",
    ),
    taken(
        ONES,
        [[[0], [3]]],
        raises(r"indices\[0,1\] = \[3\] is not in .* \[3, 2\]", "run"),
        "past-end",
    ),
    taken(ONES, [[0, 0, 0]], raises("last dimension of at most 2 .*, got 3"), "too-deep"),
    taken(ONES, 1, raises("rank at least 1"), "scalar"),
    taken(ONES, [[4], [1]], np.array([[0, 0], [1, 1]], np.float32), "ignored", **IGNORE),
    taken(
        ONES, [[1]], raises("bad_indices_policy must be", "run"), "policy", bad_indices_policy="?"
    ),
    put([[[4], [3], [1], [7]], [9, 10, 11, 12], [8]], [0, 11, 0, 10, 9, 0, 0, 12], "elements"),
    put([[[0], [2]], [LEAVES, LEAVES], [4, 4, 4]], SCATTERED, "slices"),
    put([[[1], [1], [1]], [1, 2, 4], [3]], [0, 7, 0], "sum"),
    put(
        [[[0], [1], [0], [0]], [[1, 2], [3, 4], [5, 6], [7, 8]], [2, 2]],
        [[13, 16], [3, 4]],
        "sum-of-slices",
    ),
    put([[[0, 1], [1, 0], [0, 1]], [1.5, 2.0, 4.0], [2, 2]], [[0.0, 5.5], [2.0, 0.0]], "matrix"),
    put([[[1], [1]], [b"a", b"b"], [2]], [b"", b"ab"], "strings"),
    put(
        [[[1], [1], [0]], [[b"a", b"x"], [b"b", b"y"], [b"c", b"z"]], [2, 2]],
        [[b"c", b"z"], [b"ab", b"xy"]],
        "string-slices",
    ),
    put([[[1], [1], [0]], [True, True, False], [3]], [False, True, False], "bools"),
    put([np.zeros((0, 1), np.int32), np.zeros((0, 3)), [2, 3]], np.zeros((2, 3)), "none"),
    # Indices of other shapes are let pass where there is nothing to put and nowhere to put it.
    put([np.zeros(0, np.int32), np.zeros(0), [0]], np.zeros(0), "nothing"),
    put([np.zeros((0, 0), np.int32), np.zeros((0, 2, 0)), [2, 0]], np.zeros((2, 0)), "no-depth"),
    put(
        [np.zeros((), np.int32), np.zeros(0), [0]], raises("rank at least|no elements"), "of-scalar"
    ),
    put([[[4], [1]], [1, 2], [3]], [0, 2, 0], "ignored", **IGNORE),
    put(
        [[[4], [1], [1]], [[1, 1], [2, 3], [4, 5]], [3, 2]],
        [[0, 0], [6, 8], [0, 0]],
        "ignored-slices",
        **IGNORE,
    ),
    put([[[3]], [1], [3]], raises(r"indices\[0\] = \[3\] is not in .* \[3\]", "run"), "past-end"),
    put([[[-1]], [1], [3]], raises(r"indices\[0\] = \[-1\] is not in .* \[3\]", "run"), "negative"),
    put([[[0]], [1], [0]], raises("shape = .* has no elements"), "nowhere"),
    put([[[0]], [1], [-4]], raises("negative|at least 0"), "negative-size"),
    put([[[0]], [[1, 2, 3]], [4, 2]], raises("updates must have the shape of indices"), "updates"),
    put([[[0, 0]], [1], [4]], raises("updates must have the shape of indices", "run"), "too-deep"),
    # The documents allow indices of rank 1; TensorFlow's kernel does not.
    put([[0], [5], [1, 1]], raises("indices must have rank at least 2", "run"), "vector"),
    put([[[0]], [1], [[3]]], raises("rank 1|a vector"), "shape"),
    put(
        [[[1]], [1], [3]],
        raises("bad_indices_policy must be", "run"),
        "policy",
        bad_indices_policy="?",
    ),
]


test_indexing = check(CASES)


def test_shapes() -> None:
    infers("GatherNd", "[a,b,c];[n,2]", "[n,c]")
    infers("GatherNd", "[a,b,c];[n,?]", "?")
    infers("GatherNd", "?;[n,2]", "?")
    infers("ScatterNd", "[n,1];[n,c];[2]", "[?,?]")
    infers("ScatterNd", "[n,1];[n,3];", "[4,3]", values={"shape": [4, 3]})
    refuses("ScatterNd", "[2,1];[];[1]", "updates must have rank at least 1")
    refuses("ScatterNd", "[2,1];[3];[1]", "updates must have the shape of indices")
    with td.Graph().as_default(), pytest.raises(ValueError, match="has no elements"):
        td.scatter_nd([[0]], [[1]], [0, td.placeholder(td.int32, [])])


def test_sizes_are_followed() -> None:
    with td.Graph().as_default():
        sizes = td.shape(td.placeholder(td.float32, ["batch", "depth"]))
        picked = td.gather_nd(sizes, [[1], [0]])
        spread = td.scatter_nd([[2], [0], [2]], td.concat([sizes, [3]], 0), [3])
        assert str(td.zeros(picked).shape) == "(depth, batch)"
        assert str(td.zeros(spread).shape) == "(depth, 0, batch + 3)"


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int8, np.int64, np.complex64, np.float16]
)
@pytest.mark.parametrize("width", [(), (1,), (5,), (2, 3)])
def test_sums_of_many(dtype: type, width: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    indices = random.integers(0, 20, (200, 1)).astype(np.int32)
    updates: Array = random.integers(-4, 5, (200, *width)).astype(dtype)
    wanted: Array = np.zeros((20, *width), dtype)
    np.add.at(wanted, indices[:, 0], updates)
    with td.Graph().as_default(), td.Session() as session:
        fed = td.placeholder(td.int32, [None, 1])
        for where, feeds in ((indices, {}), (fed, {fed: indices})):
            result = session.run(td.scatter_nd(where, updates, [20, *width]), feeds)
            assert result.dtype == wanted.dtype
            np.testing.assert_array_equal(result, wanted)


def test_transposed_params() -> None:
    x = np.arange(12).reshape(3, 4).T
    with td.Graph().as_default(), td.Session() as session:
        params, indices = td.placeholder(td.int64), td.constant([[3, 1], [0, 2]])
        result = session.run(td.gather_nd(params, indices), {params: x})
    np.testing.assert_array_equal(result, [x[3, 1], x[0, 2]])


def test_lists_are_read_as_tuples() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant([[1, 2, 3], [4, 5, 6]])
        assert session.run(x[[slice(None), 1]]).tolist() == [2, 5]
