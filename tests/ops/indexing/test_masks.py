"""One-hot tensors and masks. The examples are those of the documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

import tensordraft as td

ROWS = [[5.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]
PAIRS = [[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]]


def hot(inputs: list[object], expected: object, id: str, axis: int = -1) -> Case:
    return Case("OneHot", inputs, {"axis": axis}, expected, id=id)


CASES = [
    hot([[0, 2, -1, 1], 3, 5.0, 0.0], ROWS, "rows"),
    hot([[[0, 2], [1, -1]], 3, 1.0, 0.0], PAIRS, "pairs"),
    hot([[0, 2, -1, 1], 3, 5.0, 0.0], np.array(ROWS, np.float32).T, "columns", axis=0),
    hot(
        [[[0, 2], [1, -1]], 3, 1, 0],
        np.array(PAIRS, np.int32).transpose(0, 2, 1),
        "between",
        axis=1,
    ),
    hot([1, 3, 5, -1], [-1, 5, -1], "scalar"),
    hot(
        [([0, 1, 255], "uint8"), 2, b"yes", b"no"],
        [[b"yes", b"no"], [b"no", b"yes"], [b"no", b"no"]],
        "strings",
    ),
    hot([[0, 1], 0, True, False], np.zeros((2, 0), bool), "no-depth"),
    hot([[0], -1, 1.0, 0.0], raises("depth = -1 is negative|at least 0"), "negative"),
    hot([[0], 3, [1.0], 0.0], raises(r"on_value must be a scalar, got shape \[1\]", "run"), "on"),
    hot([[0], 3, 1.0, [0.0]], raises(r"off_value must be a scalar, got shape \[1\]", "run"), "off"),
    hot([[0], [3], 1.0, 0.0], raises("depth must (have rank 0|be a scalar)"), "depth"),
    hot([[0], 3, 1.0, 0.0], raises(r"axis = 2 is not in \[-1, 1\]", "run"), "axis", axis=2),
]


test_masks = check(CASES)


def test_shapes() -> None:
    infers("OneHot", "[n,m];;[];[]", "[n,m,5]", values={"depth": 5})
    infers("OneHot", "[n,m];;[];[]", "[n,5,m]", values={"depth": 5}, axis=1)
    infers("OneHot", "[n,m];[];[];[]", "[n,m,?]")
    refuses("OneHot", "[n];[];[];[]", "axis = -2 is not at least -1", axis=-2)


def evaluated(tensor: td.Tensor) -> Any:
    return td.Session(graph=tensor.graph).run(tensor)


def test_one_hot_defaults() -> None:
    with td.Graph().as_default():
        assert td.one_hot([0], 2).dtype is td.float32
        assert td.one_hot([0], 2, off_value=3).dtype is td.int32
        np.testing.assert_array_equal(evaluated(td.one_hot([0, 1, 2], 3)), np.eye(3))
        np.testing.assert_array_equal(evaluated(td.one_hot([1], 2, dtype=td.uint8)), [[0, 1]])


def test_one_hot_refuses_mixed_dtypes() -> None:
    with td.Graph().as_default():
        with pytest.raises(TypeError, match="off_value must have dtype float32, got int32"):
            td.one_hot([0], 2, 1.0, 0)
        with pytest.raises(TypeError, match="on_value must have dtype uint8, got int32"):
            td.one_hot([0], 2, 1, dtype=td.uint8)
        with pytest.raises(TypeError):
            td.one_hot([0], 2, dtype=td.string)
        assert not td.get_default_graph().get_operations()


def test_sequence_mask() -> None:
    with td.Graph().as_default():
        wanted = [[True, False, False], [True, True, True], [True, True, False]]
        np.testing.assert_array_equal(evaluated(td.sequence_mask([1, 3, 2])), wanted)
        long = evaluated(td.sequence_mask([1, 3, 2], 5))
        np.testing.assert_array_equal(long[:, :3], wanted)
        assert long.shape == (3, 5)
        assert not long[:, 3:].any()
        numbers = evaluated(td.sequence_mask([[0], [2]], 2, td.float32))
        np.testing.assert_array_equal(numbers, [[[0, 0]], [[1, 1]]])
        assert evaluated(td.sequence_mask(np.zeros(0, np.int32))).shape == (0, 0)


def test_sequence_mask_shapes() -> None:
    with td.Graph().as_default():
        lengths = td.placeholder(td.int64, ["batch"])
        assert str(td.sequence_mask(lengths, 7).shape) == "(batch, 7)"
        assert str(td.sequence_mask(lengths).shape) == "(batch, ?)"
        with pytest.raises(ValueError, match=r"maxlen must be a scalar, got shape \(2,\)"):
            td.sequence_mask(lengths, [1, 2])


def test_boolean_mask() -> None:
    with td.Graph().as_default():
        picked = td.boolean_mask([0, 1, 2, 3], np.array([True, False, True, False]))
        assert evaluated(picked).tolist() == [0, 2]
        rows = td.boolean_mask([[1, 2], [3, 4], [5, 6]], np.array([True, False, True]))
        assert evaluated(rows).tolist() == [[1, 2], [5, 6]]
        elements = td.boolean_mask([[b"a", b"b"], [b"c", b"d"]], [[True, False], [True, True]])
        assert evaluated(elements).tolist() == [b"a", b"c", b"d"]
        empty = td.boolean_mask(np.zeros((2, 3, 0)), np.ones((2, 3), bool))
        assert evaluated(empty).shape == (6, 0)


def test_boolean_mask_shapes() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", "time", 3])
        mask = td.placeholder(td.bool, [None, None])
        assert str(td.boolean_mask(x, mask).shape) == "(?, 3)"
        for wrong, clause in (([2, 2, 4], "shape of the first"), ([], "rank"), (None, "rank")):
            with pytest.raises(ValueError, match=clause):
                td.boolean_mask(x, td.placeholder(td.bool, wrong))
