"""Python values become tensors as they do in TensorFlow, and bad ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordraft.protos.constant_array import constant_array
from tensordraft.protos.messages import TensorProto
from tensordraft.protos.tensor_util import make_ndarray, make_tensor_proto


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (([1, 2**40],), "0809120412020802221001000000000000000000000000010000"),
        ((5, None, [2, 3]), "0803120812020802120208033a0105"),
        (([1, 2], None, [2, 2]), "0803120812020802120208023a020102"),
        (([True], "int32"), "08031204120208013a0101"),
        (([1], "float32"), "08011204120208012a040000803f"),
        (([1], "float32_ref"), "08011204120208012a040000803f"),
        (("ab",), "0807120042026162"),
        ((["a", b"b"],), "0807120412020802420161420162"),
        ((["a\0"],), "080712041202080142026100"),
        (("x", None, [3]), "0807120412020803420178"),
        ((np.array(["a", "bc"]),), "080712041202080242016142026263"),
        (([1, 2.5],), "080112041202080222080000803f00002040"),
        ((1j,), "0812120062100000000000000000000000000000f03f"),
        ((1, "complex64"), "080812004a080000803f00000000"),
        (([],), "080112021200"),
        (([], "string"), "080712021200"),
        (([], None, [0, 3]), "08011206120012020803"),
        ((np.int64(3),), "08091200520103"),
        (([np.int64(3), 4],), "080312041202080222080300000004000000"),
        ((np.arange(3.0), "int32"), "0803120412020803220c000000000100000002000000"),
        ((np.ones((2, 2), np.int8).T,), "080612081202080212020802220401010101"),
        ((2.0, "float16"), "081312006a03808001"),
        (([[1], [2]], None, [2, 1], True), "08031208120208021202080122080100000002000000"),
    ],
    ids=repr,
)
def test_bytes_are_those_of_tensorflow(arguments: tuple[Any, ...], written: str) -> None:
    assert make_tensor_proto(*arguments).SerializeToString().hex() == written


@pytest.mark.parametrize(
    ("arguments", "error", "clause"),
    [
        ((None,), ValueError, "cannot be None"),
        (([[1, 2], [3]],), ValueError, r"of equal length at each depth, got \[\[1, 2\], \[3\]\]"),
        (([["a"], ["b", "c"]],), ValueError, "of equal length"),
        (([1.5], "int32"), TypeError, "expected int32, got 1.5 of type 'float'"),
        (([1, 2.5], "int32"), TypeError, "expected int32, got 2.5 of type 'float'"),
        (([1], "bool"), TypeError, "expected bool, got 1 of type 'int'"),
        (([1], "string"), TypeError, "expected string, got 1 of type 'int'"),
        ((["a"], "int32"), TypeError, "expected int32, got 'a' of type 'str'"),
        ((["a", 1],), TypeError, "expected string, got 1 of type 'int'"),
        (([1, None],), TypeError, "no tensor holds None of type 'NoneType'"),
        (({1},), TypeError, r"no tensor holds \{1\} of type 'set'"),
        ((np.array(["a"]), "int32"), TypeError, "an array of <U1 cannot become"),
        ((np.ones(1), "string"), TypeError, "an array of float64 cannot become"),
        ((np.datetime64("2020"),), TypeError, "no dtype goes with an array of datetime64"),
        ((np.array([1, None], object),), TypeError, "expected string, got 1"),
        ((1, "resource"), TypeError, "a constant cannot have dtype resource"),
        (("\ud800",), ValueError, "is not valid text"),
        ((300, "uint8"), ValueError, r"300 is not in \[0, 255\], the range of uint8"),
        (([-1, 0], "uint8"), ValueError, r"-1 is not in \[0, 255\]"),
        ((200, "qint8"), ValueError, r"200 is not in \[-128, 127\]"),
        (([-1, 2**63],), ValueError, r"no integer dtype holds all of \[-1, 9223372036854775808\]"),
        (([1, 2**63], "int64"), ValueError, "9223372036854775808 is not in"),
        (([1, 2**63], "bool"), TypeError, "expected bool, got 1 of type 'int'"),
        ((2**70,), ValueError, "1180591620717411303424 is out of the range of every integer"),
        (([1, 2, 3], None, [2]), ValueError, r"shape \(2,\) has room for 2 values, got 3"),
        ((1, None, [-1]), ValueError, r"dims\[0\] = -1 is not in"),
        (([1, 2], None, [2, 1], True), TypeError, r"shape \(2, 1\), got shape \(2,\)"),
    ],
    ids=repr,
)
def test_refused(arguments: tuple[Any, ...], error: type[Exception], clause: str) -> None:
    with pytest.raises(error, match=clause):
        make_tensor_proto(*arguments)


def test_a_message_stays_as_it_is() -> None:
    message = TensorProto(dtype=1)
    assert make_tensor_proto(message) is message


def test_make_ndarray_returns_an_array_of_its_own() -> None:
    array = make_ndarray(make_tensor_proto(5, shape=[2, 2]))
    array[0, 0] = 6
    assert array.tolist() == [[6, 5], [5, 5]]


def test_constants_share_no_memory_with_their_source() -> None:
    source = np.arange(3)
    array, dtype = constant_array(source)
    assert dtype.name == "int64"
    assert not np.shares_memory(array, source)
    assert not array.flags.writeable


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ([[], []], "float32", [[], []]),
        ((1, 2), "int32", [1, 2]),
        (range(3), "int32", [0, 1, 2]),
        ([1, 2**63], "uint64", [1, 2**63]),
        ([1.0, 2**63], "float32", [1, 2**63]),
        ([np.nan, 1], "float32", pytest.approx([np.nan, 1], nan_ok=True)),
        ([np.ones(2), np.zeros(2)], "float32", [[1, 1], [0, 0]]),
        (np.array([1, 2], ">i4"), "int32", [1, 2]),
        ([np.int8(1), np.int8(3)], "int8", [1, 3]),
        (1e300, "float32", float("inf")),
        (np.array([(1,), (2,)], [("qint8", np.int8)]), "qint8", [1, 2]),
    ],
    ids=repr,
)
def test_dtype_of_values(value: Any, name: str, expected: Any) -> None:
    array, dtype = constant_array(value)
    assert (dtype.name, array.tolist()) == (name, expected)
    assert array.dtype == dtype.numpy_dtype
    assert array.dtype.isnative


@pytest.mark.parametrize("name", ["qint8", "qint16", "qint32", "quint8", "quint16"])
def test_quantized_values_are_records(name: str) -> None:
    records = np.array([(21,), (22,), (23,)], [(name, name[1:])])
    for value in ([(21,), (22,), (23,)], [21, 22, 23], records, list(records)):
        proto = make_tensor_proto(value, dtype=name)
        assert [dim.size for dim in proto.tensor_shape.dim] == [3]
        assert proto.tensor_content == np.array([21, 22, 23], name[1:]).tobytes()
        array = make_ndarray(proto)
        assert array.dtype == records.dtype
        assert array.tolist() == records.tolist()
    assert make_tensor_proto(records) == make_tensor_proto([21, 22, 23], dtype=name)
    scalar = make_ndarray(make_tensor_proto((7,), dtype=name))
    assert (scalar.shape, scalar.item()) == ((), (7,))
    assert make_ndarray(make_tensor_proto([[(1,)], [(2,)]], dtype=name)).shape == (2, 1)
