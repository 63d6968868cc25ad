"""Tensor values survive the wire, with TensorFlow's bytes, and malformed ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from protos_harness import proto

from tensordraft.protos import dtypes
from tensordraft.protos.dtypes import DType, as_dtype
from tensordraft.protos.messages import TensorProto, TensorShapeProto
from tensordraft.protos.tensor_codec import TensorValue, decode_tensor, encode_tensor

ARRAY_DTYPES = [dtype for dtype in dtypes.ALL if dtype.is_numpy_compatible]

# What TensorFlow 2.21's make_tensor_proto writes: for a scalar ("" where it refuses to), and for
# the values below in shape [1, 3].
GOLDEN = {
    "float32": (
        "080112002a040000803f",
        "080112081202080112020803220c000000000000803f000080bf",
    ),
    "float64": (
        "080212003208000000000000f03f",
        "08021208120208011202080322180000000000000000000000000000f03f000000000000f0bf",
    ),
    "int32": (
        "080312003a0101",
        "080312081202080112020803220c0000000001000000ffffffff",
    ),
    "uint8": (
        "080412003a0101",
        "0804120812020801120208032203000101",
    ),
    "int16": (
        "080512003a0101",
        "080512081202080112020803220600000100ffff",
    ),
    "int8": (
        "080612003a0101",
        "08061208120208011202080322030001ff",
    ),
    "string": (
        "08071200420161",
        "08071208120208011202080342016142004202007a",
    ),
    "complex64": (
        "080812004a080000803f00000040",
        "0808120812020801120208034a180000803f0000004000004040000080c00000000000000000",
    ),
    "int64": (
        "08091200520101",
        "080912081202080112020803221800000000000000000100000000000000ffffffffffffffff",
    ),
    "bool": (
        "080a12005a0101",
        "080a120812020801120208035a03010001",
    ),
    "qint8": (
        "080b12003a0101",
        "080b1208120208011202080322030001ff",
    ),
    "quint8": (
        "080c12003a0101",
        "080c120812020801120208032203000101",
    ),
    "qint32": (
        "080d12003a0101",
        "080d12081202080112020803220c0000000001000000ffffffff",
    ),
    "bfloat16": (
        "080e12006a02807f",
        "080e1208120208011202080322060000803f80bf",
    ),
    "qint16": (
        "080f12003a0101",
        "080f12081202080112020803220600000100ffff",
    ),
    "quint16": (
        "081012003a0101",
        "0810120812020801120208032206000001000100",
    ),
    "uint16": (
        "081112003a0101",
        "0811120812020801120208033a03000101",
    ),
    "complex128": (
        "081212006210000000000000f03f0000000000000040",
        "0812120812020801120208036230000000000000f03f0000000000000040000000000000084000000000000010c000000000000000000000000000000000",
    ),
    "float16": (
        "081312006a028078",
        "08131208120208011202080322060000003c00bc",
    ),
    "uint32": (
        "0816120082010101",
        "081612081202080112020803220c000000000100000001000000",
    ),
    "uint64": (
        "081712008a010101",
        "0817120812020801120208032218000000000000000001000000000000000100000000000000",
    ),
    "float8_e5m2": (
        "081812009201013c",
        "0818120812020801120208032203003cbc",
    ),
    "float8_e4m3fn": (
        "0819120092010138",
        "08191208120208011202080322030038b8",
    ),
    "float8_e4m3fnuz": (
        "",
        "081a1208120208011202080322030040c0",
    ),
    "float8_e4m3b11fnuz": (
        "",
        "081b1208120208011202080322030058d8",
    ),
    "float8_e5m2fnuz": (
        "",
        "081c1208120208011202080322030040c0",
    ),
    "int4": (
        "081d12003a0101",
        "081d120812020801120208033a0c0001ffffffffffffffffff01",
    ),
    "uint4": (
        "081e12003a0101",
        "081e120812020801120208033a03000101",
    ),
    "int2": (
        "081f12003a0101",
        "081f120812020801120208033a0c0001ffffffffffffffffff01",
    ),
    "uint2": (
        "082012003a0101",
        "0820120812020801120208033a03000101",
    ),
    "float4_e2m1fn": (
        "0821120092010102",
        "0821120812020801120208032203000202",
    ),
}


def golden_values(dtype: DType) -> list[Any]:
    if dtype.name == "string":
        return [b"a", b"", b"\0z"]
    if dtype.is_complex:
        return [1 + 2j, 3 - 4j, 0]
    if dtype.is_bool:
        return [True, False, True]
    has_sign = dtype.min < 0 and dtype.name != "float4_e2m1fn"
    return [0, 1, -1 if has_sign else 1]


def golden_scalar(dtype: DType) -> Any:
    return b"a" if dtype.name == "string" else 1 + 2j if dtype.is_complex else 1


def test_golden_values_cover_every_dtype() -> None:
    assert {dtype.name for dtype in ARRAY_DTYPES} <= GOLDEN.keys()


@pytest.mark.parametrize("dtype", ARRAY_DTYPES, ids=lambda dtype: dtype.name)
def test_bytes_are_those_of_tensorflow(dtype: DType) -> None:
    scalar, vector = GOLDEN[dtype.name]
    values = np.array([golden_values(dtype)], dtype.numpy_dtype)
    assert encode_tensor(values, dtype).SerializeToString().hex() == vector
    one = np.array(golden_scalar(dtype), dtype.numpy_dtype)
    if scalar:
        assert encode_tensor(one, dtype).SerializeToString().hex() == scalar
    empty = np.zeros((0, 2), dtype.numpy_dtype)
    assert encode_tensor(empty, dtype) == proto(dtype.name, 0, 2)


@pytest.mark.parametrize("dtype", ARRAY_DTYPES, ids=lambda dtype: dtype.name)
def test_tensorflows_bytes_are_read(dtype: DType) -> None:
    scalar, vector = GOLDEN[dtype.name]
    array = decode_tensor(TensorProto.FromString(bytes.fromhex(vector)))
    assert array.dtype == dtype.numpy_dtype
    assert array.shape == (1, 3)
    assert array.tolist() == np.array([golden_values(dtype)], dtype.numpy_dtype).tolist()
    if scalar:
        one = decode_tensor(TensorProto.FromString(bytes.fromhex(scalar)))
        assert (one.shape, one.item()) == ((), golden_scalar(dtype))


@st.composite
def arrays_of_dtypes(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], DType]:
    dtype = draw(st.sampled_from(ARRAY_DTYPES))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    count = int(np.prod(shape, dtype=int))
    if dtype.name == "string":
        array = np.empty(count, object)
        array[:] = draw(st.lists(st.binary(max_size=5), min_size=count, max_size=count))
        return array.reshape(shape), dtype
    if dtype.is_floating or dtype.is_complex:
        numbers = draw(st.lists(st.sampled_from([0, -0.0, 1, 0.5, 2, 3]), min_size=1))
    else:
        numbers = [draw(st.integers(0, 1)), *([] if dtype.is_bool else [dtype.min, dtype.max])]
    return np.resize(np.array(numbers, dtype.numpy_dtype), shape), dtype


@given(arrays_of_dtypes())
def test_any_array_survives_the_wire(case: tuple[np.ndarray[Any, Any], DType]) -> None:
    array, dtype = case
    value = TensorValue(array, dtype)
    data = value.to_proto().SerializeToString()
    again = TensorValue.from_proto(TensorProto.FromString(data))
    assert (again.dtype, again.shape) == (dtype, array.shape)
    assert again.array.dtype == array.dtype
    assert again == value
    assert hash(again) == hash(value)
    assert not again.array.flags.writeable
    assert encode_tensor(again.array, dtype).SerializeToString() == data


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.complex64])
def test_infinities_and_nan_survive(dtype: Any) -> None:
    array = np.array([np.nan, np.inf, -np.inf], dtype)
    for values in (array, array[:1], array[1:2]):
        value = TensorValue(values, as_dtype(dtype))
        again = TensorValue.from_proto(value.to_proto()).array
        np.testing.assert_array_equal(again, values)


def test_strided_arrays_are_written_in_row_major_order() -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    transposed = encode_tensor(array.T, dtypes.int32)
    assert transposed == encode_tensor(np.ascontiguousarray(array.T), dtypes.int32)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (proto("float32", 2, 2, float_val=[7]), [[7, 7], [7, 7]]),
        (proto("float32", 2, 2, float_val=[1, 2]), [[1, 2], [2, 2]]),
        (proto("float32", 3), [0, 0, 0]),
        (proto("int64", 0, int64_val=[]), []),
        (proto("bool", 3, bool_val=[False, True]), [False, True, True]),
        (proto("string", 2), [b"", b""]),
        (proto("string", 2, string_val=[b"a\0"]), [b"a\0", b"a\0"]),
        (proto("string", 3, string_val=[b"x", b"y"]), [b"x", b"y", b"y"]),
        (proto("complex64", 2, scomplex_val=[1, 2]), [1 + 2j, 1 + 2j]),
        (proto("bfloat16", 2, half_val=[0x3F80]), [1, 1]),
        (proto("qint8", 2, int_val=[-3]), [-3, -3]),
        (proto("float8_e5m2", 3, float8_val=b"\x3c"), [1, 1, 1]),
        (proto("string", 3, tensor_content=b"\x02\x00\x01abc"), [b"ab", b"", b"c"]),
    ],
)
def test_short_forms(message: TensorProto, expected: list[Any]) -> None:
    array = decode_tensor(message)
    assert array.tolist() == expected
    assert array.dtype == as_dtype(message.dtype).numpy_dtype
    assert not array.flags.writeable


def test_one_value_for_all_elements_takes_no_memory() -> None:
    array = decode_tensor(proto("float32", 2**28, float_val=[1]))
    assert (array.size, array.strides) == (2**28, (0,))


def test_content_is_not_copied_again() -> None:
    array = decode_tensor(proto("uint8", 2, 2, tensor_content=b"abcd"))
    assert not array.flags.owndata


MALFORMED = [
    (TensorProto(), "dtype = 0 is not a known data type"),
    (TensorProto(dtype=99), "dtype = 99 is not a known"),
    (proto("float32_ref", float_val=[1]), "float32_ref; a value cannot be a reference"),
    (proto("resource"), "resource has no array form"),
    (proto("variant", 2), "variant has no array form"),
    (TensorProto(dtype=1, tensor_shape=TensorShapeProto(unknown_rank=True)), "unknown rank"),
    (proto("float32", 2, -1), r"dim\[1\].size = -1 is negative"),
    (proto("float32", *[1] * 65), "rank 65, more than 64"),
    (proto("float32", 2**40), r"float32\[1099511627776\] needs 4398046511104 bytes, more than"),
    (proto("string", 2**40), "needs 8796093022208 bytes"),
    (proto("float32", 2**62, 2**62, 2**62), "bytes, more than"),
    (proto("float32", 0, 2**62, 2**62), "bytes, more than"),
    (proto("float32", 2, tensor_content=b"abc"), "has 3 bytes; 2 elements of float32 need 8"),
    (proto("float32", 0, tensor_content=b"abcd"), "has 4 bytes; 0 elements of float32 need 0"),
    (proto("float32", 1, tensor_content=b"abcd", float_val=[1]), "and float_val both hold"),
    (proto("float32", 1, int_val=[1]), "int_val holds values; those of float32 are in float_val"),
    (proto("float32", 1, string_val=[b""]), "string_val holds values"),
    (proto("complex64", 2, scomplex_val=[1, 2, 3]), "3 values; complex numbers take two each"),
    (proto("uint8", 2, int_val=[3, 256]), r"int_val\[1\] = 256 is not in \[0, 255\]"),
    (proto("qint8", 1, int_val=[-129]), r"int_val\[0\] = -129 is not in \[-128, 127\]"),
    (proto("int4", 1, int_val=[8]), r"int_val\[0\] = 8 is not in \[-8, 7\]"),
    (proto("float16", 1, half_val=[65536]), r"half_val\[0\] = 65536 is not in \[0, 65535\]"),
    (proto("bool", 2, tensor_content=b"\1\2"), r"tensor_content\[1\] = 2 is not in \[0, 1\]"),
    (proto("uint4", 1, tensor_content=b"\xff"), r"tensor_content\[0\] = 255 is not in \[0, 15\]"),
    (proto("string", 2, tensor_content=b"\x80"), "ends within the lengths of 2 strings"),
    (proto("string", 1, tensor_content=b"\x80" * 20), "ends within the lengths of 1 strings"),
    (proto("string", 1, tensor_content=b"\x05ab"), "has 3 bytes; its 1 strings need 6"),
]


@pytest.mark.parametrize(("message", "clause"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed(message: TensorProto, clause: str) -> None:
    with pytest.raises(ValueError, match=clause):
        decode_tensor(message)
    with pytest.raises(ValueError, match=clause):
        _ = TensorValue.from_proto(message).array


def test_values_beyond_the_shape_are_left_aside() -> None:
    assert decode_tensor(proto("float32", 2, float_val=[1, 2, 3])).tolist() == [1, 2]
    assert decode_tensor(proto("string", string_val=[b"a", b"b"])).item() == b"a"


@given(st.binary(max_size=60))
def test_garbage_is_read_or_refused(data: bytes) -> None:
    message = TensorProto(dtype=7, tensor_shape=TensorShapeProto(dim=[{"size": 2}]))
    message.tensor_content = data
    try:
        array = decode_tensor(message)
    except ValueError:
        return
    assert array.shape == (2,)


def test_limit_can_be_lowered() -> None:
    with pytest.raises(ValueError, match="needs 8 bytes, more than 7"):
        decode_tensor(proto("float32", 2), max_bytes=7)
    assert decode_tensor(proto("float32", 2), max_bytes=8).size == 2
