"""Sums, products and normal forms of quantized tensors: TensorFlow 2.21's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, Raises, raises
from harness import check
from shape_language import infers, refuses

A = np.array([[172, 47, 117], [192, 67, 251]], np.uint8)
B = np.array([195, 103, 9], np.uint8)
C = np.array([[211, 21, 242], [36, 87, 70]], np.uint8)
X = np.array([[[[39, 87], [174, 88]], [[81, 165], [25, 77]], [[72, 9], [148, 115]]]], np.uint8)
MEAN = np.array([100, 30], np.uint8)
RANGES = [-1.5, 2.0, -1.0, 10.0]


def pair(op: str, x: Any, y: Any, expected: Any, id: str, ends: Any = RANGES) -> Case:
    end = np.float32(163840 if op == "QuantizedAdd" else 1271482.125)
    result = expected
    if not isinstance(expected, Raises):
        result = ((expected, "qint32"), -end, end)
    return Case(op, [(x, "quint8"), (y, "quint8"), *ends], {}, result, id=id, rtol=1e-6)


def instance(expected: Any, ends: list[float], id: str, **attrs: Any) -> Case:
    low, high = map(np.float32, ends)
    return Case(
        "QuantizedInstanceNorm",
        [(X, "quint8"), -1.0, 3.0],
        attrs,
        ((np.reshape(expected, X.shape), "quint8"), low, high),
        id=id,
        rtol=1e-6,
    )


def batch(expected: Any, scaled: bool, x: Any = X, mean: Any = MEAN) -> Case:
    parameters = [([100, 30], 0.0), ([100, 30], -1.0), ([200, 30], -1.0)]
    inputs: list[Any] = [(x, "quint8"), -10.0, 30.0, (mean, "quint8"), -1.0, 3.0]
    for levels, low in parameters:
        inputs += [(levels, "quint8"), low, 3.0]
    end = np.float32(2**20)
    return Case(
        "QuantizedBatchNormWithGlobalNormalization",
        inputs,
        {"out_type": "qint32", "variance_epsilon": 0.001, "scale_after_normalization": scaled},
        expected
        if isinstance(expected, Raises)
        else ((np.reshape(expected, np.shape(x)), "qint32"), -end, end),
        id=f"{scaled} {np.size(x)} {np.size(mean)}",
    )


SCALED = [-16904, -8695, 68351, -8982, 9618, -31159, -25746, -5814, 3935, 13768, 51930, -16759]
PLAIN = [-7308, 13162, 32650, 13701, 5122, 55276, -11453, 7762, 2458, -28951, 24954, 28280]
CASES = [
    pair("QuantizedAdd", A, C, [[117562, -12288, 125177], [22287, 28602, 52117]], "same"),
    pair("QuantizedAdd", A, B, [[108522, 34042, -6468], [112122, 37642, 17652]], "row"),
    pair("QuantizedAdd", A, 7, [[2304, -20196, -7596], [5904, -16596, 16524]], "right"),
    pair("QuantizedAdd", 7, A, [[65826, -4799, 34751], [77126, 6501, 110461]], "left"),
    pair("QuantizedMul", A, C, [[11844, 124, 1752], [1079, -2688, 6674]], "same"),
    pair("QuantizedMul", A, B, [[10836, -4960, -112], [14276, -3360, -1988]], "row"),
    pair("QuantizedMul", 7, A, [[-15198, -2448, -9588], [-17238, -4488, -23256]], "left"),
    pair(
        "QuantizedMul",
        A,
        C,
        raises("min_x must be less than max_x, got 2.0 and 2.0", "run"),
        "range",
        [2.0, 2.0, 0.0, 1.0],
    ),
    pair("QuantizedAdd", A, C[:, :2], raises("equal|broadcast|compatible"), "shapes"),
    instance(
        [62, 128, 251, 129, 121, 255, 42, 111, 108, 0, 215, 174],
        [-1.744204044342041, 1.6081061363220215],
        "own range",
    ),
    instance(
        [6, 95, 255, 97, 85, 255, 0, 73, 68, 0, 211, 156],
        [-1.0, 1.5],
        "given range",
        output_range_given=True,
        given_y_min=-1.0,
        given_y_max=1.5,
    ),
    instance(
        [20, 42, 84, 43, 40, 85, 14, 37, 36, 0, 71, 58],
        [-1.744204044342041, 8.255796432495117],
        "separation",
        min_separation=10.0,
    ),
    Case(
        "QuantizedInstanceNorm",
        [(X, "quint8"), 3.0, 3.0],
        {},
        raises("x_min must be less than x_max, got 3.0 and 3.0", "run"),
        id="point",
    ),
    Case(
        "QuantizedInstanceNorm",
        [(X[:0], "quint8"), 1.0, 3.0],
        {},
        raises("must not be empty", "run"),
        id="empty",
    ),
    Case(
        "QuantizedInstanceNorm",
        [(X, "quint8"), 1.0, 3.0],
        {"output_range_given": True, "given_y_min": 2.0, "given_y_max": 1.0},
        raises("given_y_min must be less than given_y_max, got 2.0 and 1.0", "run"),
        id="ends",
    ),
    batch(SCALED, True),
    batch(PLAIN, False),
    batch(np.tile(np.reshape(SCALED, X.shape), (30, 1, 1, 1)), True, np.tile(X, (30, 1, 1, 1))),
    batch(raises(r"m must have shape \[2\], got \[1\]", "run"), True, mean=B[:1]),
]
test_quantized_sums = check(CASES)


def test_shapes() -> None:
    scalars = ";".join(["[]"] * 4)
    infers("QuantizedAdd", f"[n,3];[3];{scalars}", "[n,3];[];[]")
    infers("QuantizedInstanceNorm", "[n,h,w,c];[];[]", "[n,h,w,c];[];[]")
    refuses("QuantizedMul", f"[n,3];[4];{scalars}", "3")
