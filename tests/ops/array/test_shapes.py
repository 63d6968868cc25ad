"""Shape, ShapeN, Size and Rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case
from harness import check
from shape_language import infers

import tensordraft as td

CUBE = np.arange(12).reshape(2, 2, 3)

test_shapes = check(
    [
        Case("Shape", [CUBE], expected=[2, 2, 3], id="document"),
        Case("Shape", [1.5], {"out_type": td.int64}, ([], "int64"), id="scalar"),
        Case("Shape", [(np.zeros((0, 4)), "qint8")], expected=[0, 4]),
        Case(
            "ShapeN", [[CUBE, CUBE[0], CUBE[0, 0, 0]]], expected=([2, 2, 3], [2, 3], ([], "int32"))
        ),
        Case("ShapeN", [[CUBE]], expected=[2, 2, 3], id="single"),
        Case("ShapeN", [["a", ["b"]]], {"out_type": "int64"}, (([], "int64"), ([1], "int64"))),
        Case("Size", [CUBE], expected=12, id="document"),
        Case("Size", [[[], []]], {"out_type": td.int64}, (0, "int64"), id="empty"),
        Case("Rank", [CUBE], expected=3, id="document"),
        Case("Rank", ["text"], expected=0),
    ]
)


def test_static_shapes() -> None:
    infers("Shape", "[?,3]", "[2]")
    infers("Shape", "?", "[?]")
    infers("ShapeN", "[?,3] + ? + []", "[2];[?];[0]")
    infers("Size", "?", "[]")
    infers("Rank", "?", "[]")


def test_sizes_are_followed_through_arithmetic() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, ["batch", 3])
        assert str(td.zeros([td.shape(x)[0] * 2, td.size(x)]).shape) == "(2*batch, 3*batch)"
        first, _ = td.shape_n([x, td.placeholder(td.float32, [4])], td.int64)
        assert str(td.constant_value_as_shape(first)) == "(batch, 3)"
        assert td.constant_value(td.rank(x)) == 2
        assert td.constant_value(td.size(td.placeholder(td.float32, [None, 0]))) == 0
        unknown = td.placeholder(td.float32)
        assert td.constant_value(td.rank(unknown)) is None
        assert td.constant_value_as_shape(td.shape(unknown)).rank is None


@pytest.mark.parametrize("shape", [None, [None], [2**31]])
@pytest.mark.parametrize("function", ["shape", "shape_n", "size"])
def test_sizes_that_the_dtype_does_not_hold(function: str, shape: list[int | None] | None) -> None:
    huge = np.broadcast_to(np.array(True), 2**31)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.bool, shape)

        def result(out_type: td.DType) -> Any:
            if function == "shape_n":
                return td.shape_n([x], out_type)[0]
            return getattr(td, function)(x, out_type=out_type)

        assert np.ravel(session.run(result(td.int64), {x: huge})).tolist() == [2**31]
        with pytest.raises(td.errors.InvalidArgumentError, match=r"2147483648.*int32 does not"):
            session.run(result(td.int32), {x: huge})


def test_sparse_tensors() -> None:
    value = td.SparseTensorValue(np.array([[0, 1]]), np.array([2.5]), np.array([3, 2]))
    with td.Graph().as_default(), td.Session() as session:
        for sparse in (value, td.SparseTensor(*value)):
            assert td.shape(sparse).dtype is td.int32
            assert session.run(td.shape(sparse, out_type=td.int64)).tolist() == [3, 2]
            assert session.run([td.size(sparse), td.rank(sparse)]) == [6, 2]
            assert td.size(sparse, out_type=td.int64).dtype is td.int64
        with pytest.raises(ValueError, match="out_type must be int32 or int64, got float32"):
            td.shape(value, out_type=td.float32)


def test_out_type_is_checked() -> None:
    with td.Graph().as_default():
        with pytest.raises(TypeError, match="out_type"):
            td.shape([1], out_type=td.int16)
        with pytest.raises(ValueError, match="at least 1"):
            td.shape_n([])
