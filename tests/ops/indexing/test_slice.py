"""Slice, StridedSlice, and `tensor[...]`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from hypothesis import given, strategies as st
from shape_language import infers, refuses

import tensordraft as td

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
WORDS = np.array([[b"a", b"bb"], [b"c", b""]], object)


def i64(*numbers: int) -> tuple[list[int], str]:
    return list(numbers), "int64"


CASES = [
    Case("Slice", [X, [0, 1, 2], [2, 1, -1]], expected=X[:, 1:2, 2:]),
    Case("Slice", [X, i64(1, 0, 0), i64(0, -1, 4)], expected=X[1:1], id="empty"),
    Case("Slice", [WORDS, [0, 1], [-1, 1]], expected=WORDS[:, 1:], id="strings"),
    Case("Slice", [7, ([], "int32"), ([], "int32")], expected=7, id="scalar"),
    Case("Slice", [X, [0, 0, 3], [1, 1, 2]], id="long", expected=raises(r"size\[2\] = 2", "run")),
    Case("Slice", [X, [0, -1, 0], [1, 1, 1]], id="before", expected=raises("= -1 is not", "run")),
    Case("Slice", [X, [0, 0, 0], [1, -2, 1]], id="size", expected=raises("size")),
    Case("Slice", [X, [0, 0], [1, 1]], id="rank", expected=raises("rank")),
    Case("StridedSlice", [X, [0, 2, 3], [2, 0, 0], [1, -1, -2]], expected=X[:, 2:0:-1, 3:0:-2]),
    Case("StridedSlice", [X, i64(-1), i64(9), i64(1)], expected=X[-1:], id="clipped"),
    Case("StridedSlice", [X, ([1], "int16"), ([2], "int16"), ([1], "int16")], expected=X[1:2]),
    Case(
        "StridedSlice",
        [X, [9, 0, -1, 9], [9, 0, 0, 9], [9, 1, 1, 9]],
        {"ellipsis_mask": 1, "begin_mask": 2, "end_mask": 2, "shrink_axis_mask": 4}
        | {"new_axis_mask": 8},
        expected=X[..., :, -1, np.newaxis],
        id="masks",
    ),
    Case("StridedSlice", [X] + [([], "int32")] * 3, expected=X, id="nothing"),
    Case(
        "StridedSlice",
        [WORDS, [1, 1], [2, 2], [1, 1]],
        {"shrink_axis_mask": 3},
        expected=WORDS[1, 1],
        id="string",
    ),
    Case("StridedSlice", [X, [0], [1], [0]], id="stride", expected=raises(r"strides\[0\] = 0")),
    Case(
        "StridedSlice",
        [X, [0, 3], [1, 4], [1, 1]],
        {"shrink_axis_mask": 2},
        id="range",
        expected=raises(r"begin\[1\] = 3 is not in \[-3, 3\)"),
    ),
    Case(
        "StridedSlice",
        [X, [0], [1], [-1]],
        {"shrink_axis_mask": 1},
        id="backwards",
        expected=raises("must be positive"),
    ),
    Case("StridedSlice", [X] + [[1] * 4] * 3, id="many", expected=raises("too many indices")),
]
test_slicing = check(CASES)


def test_shapes() -> None:
    infers("Slice", "[batch,4];;", "[batch,2]", values={"begin": [0, 1], "size": [-1, 2]})
    infers("Slice", "[batch];;", "[batch-1]", values={"begin": [1], "size": [-1]})
    infers("Slice", "?;[2];[2]", "[?,?]")
    infers("Slice", "[5,6];[?];", "[2,3]", values={"size": [2, 3]})
    refuses("Slice", "[3];;", "more than the size 3", values={"begin": [4], "size": [-1]})
    spec = {"begin": [1, 0], "end": [0, -1], "strides": [1, 2]}
    infers("StridedSlice", "[n,m];;;", "[max(n-1,0),m//2]", values=spec, end_mask=1)
    infers("StridedSlice", "[n,4];;;", "[2]", values=spec, shrink_axis_mask=1, end_mask=0)
    infers("StridedSlice", "?;[2];[2];[2]", "?")
    infers("StridedSlice", "[4,n];[1];[1];[1]", "[?,n]")
    refuses("StridedSlice", "[4];[2];[1];[1]", "equal shapes")


BOUND = st.none() | st.integers(-7, 7)
SLICE = st.builds(slice, BOUND, BOUND, st.sampled_from([None, 1, 2, 3, -1, -2, -3]))


@given(st.integers(0, 5), SLICE)
def test_the_size_of_a_slice_is_known_as_an_expression(size: int, item: slice) -> None:
    array = np.arange(size)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.int64, ["n"])
        part = x[item]
        assert part.shape[0].size is not None
        value, length = session.run([part, td.shape(part)], {x: array})
        assert value.tolist() == array[item].tolist()
        assert length.tolist() == [len(array[item])]
        known = td.constant(array)[item]
        assert known.shape.as_list() == [len(array[item])]


@given(st.integers(0, 4), BOUND, BOUND, st.sampled_from([1, 2, -1, -2]))
def test_fed_bounds_give_what_constants_give(
    size: int, start: int | None, stop: int | None, step: int
) -> None:
    array = np.arange(size)
    bounds = {"start": start, "stop": stop, "step": step}
    with td.Graph().as_default(), td.Session() as session:
        fed = {name: td.placeholder(td.int32, []) for name in bounds if bounds[name] is not None}
        part = td.constant(array)[slice(fed.get("start"), fed.get("stop"), fed["step"])]
        feeds = {tensor: bounds[name] for name, tensor in fed.items()}
        assert session.run(part, feeds).tolist() == array[start:stop:step].tolist()


INDICES: list[Any] = [
    1,
    -1,
    np.int64(1),
    np.array(0),
    (0, 1, 2),
    (..., 1),
    (slice(None), None, 1),
    (...,),
    (),
    None,
    (None, ..., None),
    slice(None, None, -1),
    (slice(1, None), slice(None, -1), slice(0, 4, 2)),
    (0, slice(np.int8(1), None)),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_brackets_mean_what_they_mean_in_numpy(index: Any) -> None:
    with td.Graph().as_default(), td.Session() as session:
        part = td.constant(X)[index]
        assert part.shape.as_list() == list(X[index].shape)
        assert np.array_equal(session.run(part), X[index])


def test_brackets_take_tensors_and_dimensions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x = td.constant(X)
        one, two = td.constant(1), td.constant(2, td.int64)
        fed = td.placeholder(td.uint8)
        for part, expected in (
            (x[one], X[1]),
            (x[one, two], X[1, 2]),
            (x[:, fed:two, fed], X[:, 1:2, 1]),
            (x[..., :: x.shape[0]], X[..., ::2]),
            (x[..., 2**40 :], X[..., 4:]),
        ):
            assert np.array_equal(session.run(part, {fed: 1}), expected)


@pytest.mark.parametrize(
    ("index", "error", "clause"),
    [
        (True, TypeError, r"td\.boolean_mask"),
        (np.array([True, False]), TypeError, r"td\.boolean_mask"),
        ([0, 1], TypeError, r"td\.gather"),
        (np.array([0, 1]), TypeError, r"td\.gather"),
        (1.5, TypeError, "got 1.5"),
        ("name", TypeError, "got 'name'"),
        ((0, 0, 0, 0), ValueError, "too many indices: 4 for an input of rank 3"),
        ((..., ...), ValueError, "one bit"),
        (2, ValueError, r"not in \[-2, 2\)"),
        (td.Dimension(None), ValueError, "not every size is known"),
    ],
    ids=repr,
)
def test_brackets_refuse(index: Any, error: type[Exception], clause: str) -> None:
    with td.Graph().as_default(), pytest.raises(error, match=clause):
        td.constant(X)[index]


def test_brackets_refuse_tensors_that_are_no_index() -> None:
    with td.Graph().as_default():
        x = td.constant(X)
        with pytest.raises(TypeError, match=r"td\.boolean_mask"):
            x[td.constant([True, False])]
        with pytest.raises(TypeError, match=r"td\.gather"):
            x[td.constant([0, 1])]
        with pytest.raises(TypeError, match="integers, got float32"):
            x[td.constant(1.0)]


def test_sizes_are_followed_through_slices_of_shapes() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", 28, 28])
        y = td.placeholder(td.float32, [None, 5])
        assert str(x[1:].shape) == "(max(batch - 1, 0), 28, 28)"
        assert x[:, : td.shape(y)[1] - 2].shape.as_list() == [None, 3, 28]
        assert str(td.zeros(td.shape(x)[:-1]).shape) == "(batch, 28)"
        assert str(td.zeros(td.shape(x)[::-1]).shape) == "(28, 28, batch)"
        assert str(td.slice(x, [0, 0, 0], td.shape(x)).shape) == "(batch, 28, 28)"


def test_strided_slice_has_unit_strides_by_default() -> None:
    with td.Graph().as_default(), td.Session() as session:
        begin = td.placeholder(td.int64, [None])
        parts = [
            td.strided_slice(X, [0, 1], [1, 3]),
            td.strided_slice(X, td.constant([0, 1]), [1, 3], var=None),
            td.strided_slice(X, begin, [1, 3]),
        ]
        for value in session.run(parts, {begin: [0, 1]}):
            assert np.array_equal(value, X[0:1, 1:3])
