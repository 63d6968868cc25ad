"""Data types have TensorFlow's names, numbers and properties."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tensordraft as td
from tensordraft.protos import dtypes
from tensordraft.protos.dtypes import DType, as_dtype

# Recorded from TensorFlow 2.21: number, size, and which of the letters below hold.
RECORDED = {
    "float32": (1, 4, "F"),
    "float64": (2, 8, "F"),
    "int32": (3, 4, "I"),
    "uint8": (4, 1, "IU"),
    "int16": (5, 2, "I"),
    "int8": (6, 1, "I"),
    "string": (7, 0, ""),
    "complex64": (8, 8, "C"),
    "int64": (9, 8, "I"),
    "bool": (10, 1, "B"),
    "qint8": (11, 1, "Q"),
    "quint8": (12, 1, "Q"),
    "qint32": (13, 4, "Q"),
    "bfloat16": (14, 2, "F"),
    "qint16": (15, 2, "Q"),
    "quint16": (16, 2, "Q"),
    "uint16": (17, 2, "IU"),
    "complex128": (18, 16, "C"),
    "float16": (19, 2, "F"),
    "resource": (20, 0, ""),
    "variant": (21, 0, ""),
    "uint32": (22, 4, "IU"),
    "uint64": (23, 8, "IU"),
    "float8_e5m2": (24, 1, "F"),
    "float8_e4m3fn": (25, 1, "F"),
    "float8_e4m3fnuz": (26, 1, "F"),
    "float8_e4m3b11fnuz": (27, 1, "F"),
    "float8_e5m2fnuz": (28, 1, "F"),
    "int4": (29, 1, "I"),
    "uint4": (30, 1, "IU"),
    "int2": (31, 1, "I"),
    "uint2": (32, 1, "IU"),
    "float4_e2m1fn": (33, 1, "F"),
}
EVERY = [*dtypes.ALL, *(dtype.ref for dtype in dtypes.ALL)]


def letters(dtype: DType) -> str:
    flags = {
        "F": dtype.is_floating,
        "I": dtype.is_integer,
        "Q": dtype.is_quantized,
        "C": dtype.is_complex,
        "B": dtype.is_bool,
        "U": dtype.is_unsigned,
    }
    return "".join(letter for letter, holds in flags.items() if holds)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
def test_properties_are_those_of_tensorflow(dtype: DType) -> None:
    assert (dtype.as_datatype_enum, dtype.size, letters(dtype)) == RECORDED[dtype.name]
    reference = dtype.ref
    assert reference.name == f"{dtype.name}_ref"
    assert reference.as_datatype_enum == dtype.as_datatype_enum + 100
    assert (reference.size, letters(reference)) == (dtype.size, letters(dtype))
    assert dtype.is_numpy_compatible == (dtype.name not in ("resource", "variant"))
    assert (dtype.is_ref_dtype, reference.is_ref_dtype) == (False, True)
    assert dtype.base_dtype is reference.base_dtype is dtype


def test_every_dtype_is_there() -> None:
    newer = {"float8", "float4", "int4", "uint4", "int2", "uint2"}  # if ml_dtypes has them
    assert {name for name in RECORDED if name.partition("_")[0] not in newer} <= {
        dtype.name for dtype in dtypes.ALL
    }


@pytest.mark.parametrize("dtype", EVERY, ids=lambda dtype: dtype.name)
def test_each_form_gives_the_one_instance(dtype: DType) -> None:
    assert as_dtype(dtype) is dtype
    assert as_dtype(dtype.name) is dtype
    assert as_dtype(dtype.as_datatype_enum) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype  # noqa: S301
    assert copy.deepcopy(dtype) is dtype
    assert DType(dtype.as_datatype_enum) is dtype
    assert getattr(dtypes, dtype.base_dtype.name, dtype.base_dtype) is dtype.base_dtype
    assert getattr(dtypes, dtype.ref.name, dtype.ref) is dtype._as_ref is dtype.ref
    if dtype.is_numpy_compatible and not dtype.is_ref_dtype:
        assert as_dtype(dtype.as_numpy_dtype) is dtype
        assert as_dtype(np.empty([2], dtype.as_numpy_dtype)) is dtype
        assert dtype.is_quantized or as_dtype(dtype.numpy_dtype) is dtype
    assert dtype.numpy_dtype is dtype.numpy_dtype
    assert dtype.is_quantized or dtype.numpy_dtype == np.dtype(dtype.as_numpy_dtype)


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("float", "float32"),
        ("double", "float64"),
        ("half", "float16"),
        ("float_ref", "float32_ref"),
        ("double_ref", "float64_ref"),
        ("half_ref", "float16_ref"),
        (float, "float32"),
        (int, "int32"),
        (bool, "bool"),
        (str, "string"),
        (bytes, "string"),
        (object, "string"),
        (np.str_, "string"),
        (np.bytes_, "string"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (np.dtype(">f4"), "float32"),
        (np.longlong, "int64"),
        (np.intc, "int32"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype([("qint8", np.int8)]), "qint8"),
        ([("quint16", np.uint16)], "quint16"),
    ],
)
def test_other_forms(form: Any, name: str) -> None:
    assert as_dtype(form).name == name


@pytest.mark.parametrize(
    "form",
    [
        *(None, 0, 100, 199, -1, "floaty", "", b"float32", dict, type(None), [], {}),
        *(np.datetime64, np.dtype("M8[s]"), np.number, np.void, [("a", "i4"), ("b", "i4")]),
        *([("qint8", np.int16)], [("float32", np.float32)], complex),
    ],
    ids=repr,
)
def test_what_is_no_dtype(form: Any) -> None:
    with pytest.raises(TypeError, match="is not a dtype"):
        as_dtype(form)
    assert dtypes.float32 != form


def test_equality_converts() -> None:
    assert dtypes.float32 == "float32"
    assert dtypes.float32 == np.float32
    assert dtypes.float32 == 1
    assert np.dtype(np.float32) == np.float32 == dtypes.float32.as_numpy_dtype
    assert dtypes.float32 != dtypes.float32.ref
    assert dtypes.float32 != "float64"
    assert dtypes.float32 is not None
    assert len({dtypes.float32, as_dtype("float"), dtypes.int32}) == 2


def test_compatibility_with_references() -> None:
    assert dtypes.float32.is_compatible_with("float32_ref")
    assert dtypes.float32.is_compatible_with(np.float32)
    assert not dtypes.float32.ref.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with("int32")


def test_least_and_greatest() -> None:
    assert (dtypes.int8.min, dtypes.uint64.max) == (-128, 2**64 - 1)
    assert dtypes.float32.max == np.finfo(np.float32).max
    assert float(dtypes.bfloat16.min) == -float.fromhex("0x1.FEp127")
    assert (dtypes.qint8.min, dtypes.quint8.max, dtypes.int32.ref.min) == (-128, 255, -(2**31))
    for dtype in (dtypes.bool, dtypes.string, dtypes.complex64, dtypes.variant):
        with pytest.raises(TypeError, match=f"{dtype.name} has no least and greatest value"):
            _ = dtype.max


def test_limits() -> None:
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.float32.limits == (0, 1)
    assert dtypes.bool.limits == (0, True)
    with pytest.raises(ValueError, match="string has no limits"):
        _ = dtypes.string.limits


def test_real_dtype() -> None:
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert dtypes.int32.real_dtype is dtypes.int32


def test_quantized_types_have_numpy_types_of_their_own() -> None:
    for name in ("qint8", "qint16", "qint32", "quint8", "quint16"):
        dtype = as_dtype(name)
        assert np.dtype([(name, name[1:])]) == dtype.as_numpy_dtype == dtype.ref.as_numpy_dtype
        assert dtype.numpy_dtype == name[1:]
    assert {dtype.name for dtype in dtypes.QUANTIZED_DTYPES if not dtype.is_ref_dtype} == {
        *("qint8", "qint16", "qint32", "quint8", "quint16")
    }
    assert dtypes.quint16.ref in dtypes.QUANTIZED_DTYPES


def test_a_type_is_made_from_its_number_alone() -> None:
    assert DType(np.int32(1)) is dtypes.float32
    for wrong in (0, 999, 100, "float32", 1.0):
        with pytest.raises(TypeError):
            DType(wrong)  # type: ignore[arg-type]


def test_types_of_python_that_tensorflow_has_no_dtype_for_equal_none() -> None:
    kinds: list[tuple[DType, type]] = [(dtypes.int32, int), (dtypes.string, str)]
    for dtype, kind in (*kinds, (dtypes.string, bytes)):
        assert as_dtype(kind) is dtype
        assert dtype != kind
    for dtype, kind in ((dtypes.float32, float), (dtypes.bool, bool), (dtypes.string, object)):
        assert dtype == kind


def test_references_have_public_names() -> None:
    assert td.float32_ref is td.as_dtype("float32_ref") is td.float32.ref
    assert (td.half_ref, td.double_ref) == (td.float16_ref, td.float64_ref)
    assert td.qint8_ref.base_dtype is td.qint8


def test_texts() -> None:
    assert repr(dtypes.float32) == "td.float32"
    assert str(dtypes.float32) == "<dtype: 'float32'>"
