"""Zeros, ones, fills and ranges; constants, placeholders and identities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check, covers
from shape_language import infers, refuses

import tensordraft as td

NO_SHAPE: Any = ([], "int32")

test_fills = check(
    [
        Case("Fill", [[2, 3], 9], expected=[[9] * 3] * 2, id="document"),
        Case("Fill", [([2], "int64"), b"x"], expected=[b"x", b"x"]),
        Case("Fill", [NO_SHAPE, (0, "qint8")], expected=(0, "qint8"), id="scalar"),
        Case("Fill", [[0, 2], 1.5], expected=np.zeros((0, 2), np.float32), id="empty"),
        Case("Fill", [[2, -1], 0], expected=raises(r"-1")),
        Case("Fill", [[[2]], 0], expected=raises("dims must .*(rank 1|a vector)")),
        Case("Fill", [[2], [1, 2]], expected=raises("value must .*(rank 0|a scalar)")),
        Case(
            "Fill",
            [[2**20] * 4, 0],
            expected=raises("max_tensor_bytes", "run", td.errors.ResourceExhaustedError),
        ),
        Case("ZerosLike", [[[1.5], [2]]], expected=[[0.0], [0]]),
        Case("ZerosLike", [[b"x"]], expected=[b""], id="string"),
        Case("ZerosLike", [([3], "qint32")], expected=([0], "qint32")),
        Case("OnesLike", [[[1.5], [2]]], expected=[[1.0], [1]]),
        Case("OnesLike", [False], expected=True),
        Case("OnesLike", [(2, "bfloat16")], expected=(1, "bfloat16")),
        *(
            Case(op, [x], expected=x, id=str(i))
            for op in ("Identity", "Snapshot", "StopGradient", "PreventGradient")
            for i, x in enumerate(([1.5], b"x"))
        ),
        Case("IdentityN", [[1, [b"x"]]], expected=(1, [b"x"])),
    ]
)
covers("Const", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "NoOp")


def test_fill_shapes() -> None:
    infers("Fill", "[2];[]", "[?,?]")
    infers("Fill", "?;[]", "?")
    infers("Fill", "[n];[]", "?")
    infers("ZerosLike", "[batch,?]", "[batch,?]")
    infers("OnesLike", "?", "?")
    refuses("Fill", "[];[]", "rank 1")
    refuses("Fill", "[1];[1]", "rank 0")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "complex64", "bool", "qint8"])
def test_zeros_and_ones(dtype: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        for function, number in ((td.zeros, 0), (td.ones, 1)):
            for shape in (
                [2, 3],
                (2, 3),
                td.TensorShape([2, 3]),
                np.array([2, 3]),
                [2, td.constant(3)],
            ):
                x = function(shape, dtype)
                assert x.shape == [2, 3]
                assert x.dtype is td.as_dtype(dtype)
                assert (session.run(x) == number).all()
        for like, number in ((td.zeros_like, 0), (td.ones_like, 1)):
            x = td.placeholder(dtype, ["n"])
            assert str(like(x).shape) == "(n,)"
            array = np.array([5, 6]).astype(x.dtype.numpy_dtype)
            assert session.run(like(x), {x: array}).tolist() == [number] * 2
            other = like(x, td.float64)
            assert other.dtype is td.float64
            assert session.run(other, {x: array}).tolist() == [number] * 2


def test_shapes_of_zeros() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert td.zeros(3).shape == td.zeros(td.constant(3)).shape == [3]
        assert td.zeros([]).shape == td.zeros(()).shape == []
        assert td.zeros([2**40, 0]).shape == [2**40, 0]
        assert session.run(td.zeros([2], td.string)).tolist() == [b"", b""]
        assert td.zeros([2], name="z").name == "z:0"
        assert td.ones_like([1.0]).name == "ones_like:0"
        with pytest.raises(ValueError, match="not every size is known"):
            td.zeros([None, 2])
        with pytest.raises(ValueError, match="-1"):
            td.zeros([-1, 2])
        with pytest.raises(TypeError, match="string"):
            td.ones([2], td.string)


def integers(*values: int, dtype: str = "int32") -> list[Any]:
    return [(value, dtype) for value in values]


test_ranges = check(
    [
        Case("Range", integers(3, 18, 3), expected=[3, 6, 9, 12, 15]),
        Case("Range", integers(5, 0, -2, dtype="int64"), expected=([5, 3, 1], "int64")),
        Case("Range", integers(-100, 100, 50, dtype="int8"), expected=([-100, -50, 0, 50], "int8")),
        Case("Range", integers(0, 65535, 40000, dtype="uint16"), expected=([0, 40000], "uint16")),
        Case("Range", integers(4, 4, 1), expected=NO_SHAPE, id="empty"),
        Case("Range", integers(-(2**31), 2**31 - 1, 2**31 - 1), expected=[-(2**31), -1, 2**31 - 2]),
        Case("Range", [3.0, 1.0, -0.5], expected=[3, 2.5, 2.0, 1.5]),
        Case("Range", [0.0, 1.0, 0.1], expected=np.arange(10, dtype="f4") * np.float32(0.1)),
        # 20 elements, as the quotient is computed in float16.
        Case(
            "Range",
            [(v, "float16") for v in (1.0, 3.0, 0.1)],
            expected=1 + np.arange(20, dtype=np.float16) * np.float16(0.1),
        ),
        Case(
            "Range",
            [(v, "bfloat16") for v in (0.0, 0.5, 0.1)],
            expected=([0, 0.10009766, 0.20019531, 0.30078125, 0.40039062], "bfloat16"),
        ),
        Case("Range", integers(5, 0, 1), expected=raises("delta = 1 does not lead from start = 5")),
        Case("Range", integers(0, 5, -1), expected=raises("to limit = 5")),
        Case("Range", integers(0, 5, 0), expected=raises("delta must not be 0")),
        Case("Range", [0.0, 1.0, 0.0], expected=raises("delta must not be 0")),
        Case("Range", [0.0, np.inf, 1.0], expected=raises("make inf elements")),
        Case("Range", [np.nan, 1.0, 1.0], expected=raises("does not lead from start = nan")),
        Case("Range", [0, [1, 2], 1], expected=raises("limit must .*(rank 0|a scalar)")),
        Case("LinSpace", [10.0, 12.0, 3], expected=[10.0, 11, 12], id="document"),
        Case("LinSpace", [1.5, 7.0, (1, "int64")], expected=[1.5], id="single"),
        Case(
            "LinSpace", [(0, "float64"), (1, "float64"), 4], expected=(np.arange(4) / 3, "float64")
        ),
        Case("LinSpace", [(0, "bfloat16"), (1, "bfloat16"), 2], expected=([0, 1], "bfloat16")),
        Case("LinSpace", [0.0, 1.0, 0], expected=raises("num = 0 is not positive")),
        Case("LinSpace", [[0.0], 1.0, 2], expected=raises("start must .*(rank 0|a scalar)")),
    ]
)


def test_range_shapes() -> None:
    infers("Range", "[];[];[]", "[?]", dtypes={"Tidx": td.int32})
    infers("Range", ";[];", "[?]", values={"start": 0, "delta": 1}, dtypes={"Tidx": td.int32})
    infers("LinSpace", "[];[];[]", "[?]")
    infers("LinSpace", "[];[];", "[7]", values={"num": 7})
    refuses("Range", "[1];[];[]", "rank 0", dtypes={"Tidx": td.int32})
    with td.Graph().as_default():
        n = td.shape(td.placeholder(td.float32, ["n"]))[0]
        assert str(td.range(n).shape) == "(n,)"
        assert str(td.range(2, 2 * n + 2, 2).shape) == "(n,)"
        assert str(td.range(n, 0, -1).shape) == "(n,)"
        assert td.constant_value(td.range(n, n + 3)[1] - n) == 1
        assert td.range(0, 5, n).shape.as_list() == [None]


def test_dtypes_of_range() -> None:
    with td.Graph().as_default():
        assert td.range(5).dtype is td.int32
        assert td.range(2**40, 2**40 + 1).dtype is td.int64
        assert td.range(td.constant(5, td.int64)).dtype is td.int64
        assert td.range(5, delta=0.5).dtype is td.float32
        assert td.range(5, dtype=td.float64).dtype is td.float64
        assert td.range(td.constant(5), dtype=td.int64).shape == [5]
        assert (
            td.range(
                td.constant(0, td.uint16), td.constant(5, td.uint16), td.constant(1, td.uint16)
            ).dtype
            is td.uint16
        )
        with pytest.raises(TypeError, match="start is int32, limit is uint16"):
            td.range(td.constant(5, td.uint16))
        assert td.lin_space is td.linspace
        with pytest.raises(TypeError, match="must be "):
            td.linspace(0, 1, 3)


def test_constants_and_placeholders() -> None:
    with td.Graph().as_default(), td.Session() as session:
        assert session.run(td.constant(7, shape=[2, 2])).tolist() == [[7, 7], [7, 7]]
        assert session.run(td.constant([1, 2], td.float64, [2, 2])).tolist() == [[1, 2], [2, 2]]
        x = td.placeholder(td.int32, [None], name="x")
        assert session.run(td.identity(x), {x: [4]}).tolist() == [4]
        with pytest.raises(td.errors.InvalidArgumentError, match="placeholder 'x'"):
            session.run(x)
        y = td.placeholder_with_default([1, 2], [None])
        assert session.run([y * 1], {y: [5]})[0].tolist() == [5]
        assert session.run(y).tolist() == [1, 2]
        with pytest.raises(ValueError, match="does not fit shape"):
            td.placeholder_with_default([1, 2], [3])
        assert session.run(td.no_op()) is None


def test_a_constant_whose_value_is_of_another_dtype_is_refused_at_the_run() -> None:
    with td.Graph().as_default() as graph:
        td.constant([1.5], name="x")
    proto = graph.as_graph_def()
    proto.node[0].attr["dtype"].type = td.int32.as_datatype_enum
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(proto, name="")
        with pytest.raises(td.errors.InvalidArgumentError, match="float32, where dtype is int32"):
            session.run("x:0")


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ([3], ["Const"]),
        ([], ["Const"]),
        ([0], ["Const"]),
        ([999], ["Const"]),
        ([1000], ["Const", "Const", "Fill"]),
        ([40, 40], ["Const", "Const", "Fill"]),
    ],
)
def test_zeros_and_ones_add_as_many_ops_as_in_tensorflow(
    shape: list[int], kinds: list[str]
) -> None:
    for make in (td.zeros, td.ones):
        with td.Graph().as_default() as graph:
            made = make(shape)
            assert [op.type for op in graph.get_operations()] == kinds
            assert made.op.name == make.__name__
