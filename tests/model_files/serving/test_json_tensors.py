"""Values in JSON as arrays, and back."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tensordraft as td
from tensordraft.model_files.serving.json_tensors import array_of, json_value, predict_response


@pytest.mark.parametrize(
    ("value", "dtype", "wanted"),
    [
        (True, td.bool, True),
        ([[True], [False]], td.bool, [[True], [False]]),
        ([], td.int32, []),
        ([[], []], td.float32, [[], []]),
        ([], td.string, []),
        ("a", td.string, b"a"),
        ([[{"b64": ""}]], td.string, [[b""]]),
        ([1, 2], td.float16, [1.0, 2.0]),
        ([0.5], td.bfloat16, [0.5]),
        (2**64 - 1, td.uint64, 2**64 - 1),
        (-(2**63), td.int64, -(2**63)),
        ([255, 0], td.uint8, [255, 0]),
        (2**53, td.float64, 2.0**53),
    ],
)
def test_values(value: Any, dtype: td.DType, wanted: Any) -> None:
    array = array_of(value, dtype, "x")
    assert array.dtype == dtype.numpy_dtype
    assert array.tolist() == wanted


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        (1, td.bool, "must be bool"),
        ([1, 2.5], td.int32, "must be int32"),
        (256, td.uint8, r"must be in \[0, 255\], got 256 to 256"),
        (2**64, td.uint64, "must be uint64"),
        (-1, td.uint64, "must be in"),
        (2**53 + 1, td.float64, "without loss of precision"),
        (1e5, td.float16, "Cannot convert JSON value: 100000.0 to float16"),
        ([[1], 2], td.float32, "lists of equal lengths"),
        ({"x": 1}, td.float32, "must be float32"),
        (1.0, td.complex64, "complex64, which JSON has no values for"),
        ([["a"], []], td.string, "lists of equal lengths"),
        ([["a"], [["b"]]], td.string, "lists of equal lengths"),
        (None, td.string, "must be string, got None"),
    ],
)
def test_what_does_not_fit(value: Any, dtype: td.DType, message: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=message):
        array_of(value, dtype, "x")


def texts(*items: bytes) -> Any:
    array = np.empty(len(items), object)
    array[:] = items
    return array


@pytest.mark.parametrize(
    ("array", "wanted"),
    [
        (np.array([0.1, 1e-7, 3.4e38], np.float32), [0.1, 1e-7, 3.4e38]),
        (np.array(0.1), 0.1),
        (np.array([0.1], np.float16), [0.1]),
        (np.array([1.5, 2.0], ml_dtypes.bfloat16), [1.5, 2.0]),
        (np.array([3, -3], ml_dtypes.int4), [3, -3]),
        (np.array([[True]]), [[True]]),
        (np.array([2**63], np.uint64), [2**63]),
        (texts("é".encode(), b"\xff"), ["é", {"b64": "/w=="}]),
    ],
)
def test_answers(array: Any, wanted: Any) -> None:
    assert json_value("y", array) == wanted


def test_answers_that_json_has_not() -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match="'y' is complex"):
        json_value("y", np.array([1j]))
    assert json_value("y_bytes", texts(b"a")) == [{"b64": "YQ=="}]
    with pytest.raises(td.errors.InvalidArgumentError, match="no batch size in common"):
        predict_response({"a": np.zeros(2), "b": np.zeros(3)}, True)
