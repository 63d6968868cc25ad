"""Layers of quantized networks. The integers are those of TensorFlow 2.21's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Case, raises
from harness import check
from shape_language import infers, refuses
from windows_naive import convolved, image, over_windows

import tensordraft as td
from tensordraft.graph.registry import lookup
from tensordraft.ops.quantized_arithmetic import level_of, levels_of, numbers_of

X = (image(1, 4, 4, 2, dtype="int32") + 100).astype(np.uint8)
F = (image(2, 2, 2, 3, dtype="int32") + 120).astype(np.uint8)
STEP = np.float32(6 / 255)
ZERO = {-1.0: 128, 0.0: 0}  # the level of zero in [-1, 1] and [0, 6]
HALF = np.float32(2 / 255)
LARGE = 2**31


def quint8(value: Any) -> tuple[Any, str]:
    return value, "quint8"


def products(sums: np.ndarray, steps: np.float32) -> tuple[Any, ...]:
    """Sums of products with the range in which a level is worth a product of two levels."""
    return (sums.astype(np.int32), "qint32"), steps * np.float32(-LARGE), steps * np.float32(LARGE)


ROWS = np.array([[3, 200], [90, 255], [0, 7]], np.uint8)
MATRIX = np.array([[1, 128, 255], [130, 5, 60]], np.uint8)
WIDE = ROWS.astype(np.int64) @ (MATRIX.astype(np.int64) - 128)
RANGES = [0.0, 6.0, -1.0, 1.0]
PAIR = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME"}
HIGHEST = over_windows(X, [2, 2], [1, 2], "SAME", lambda x: x.reshape(1, -1, 2).max(1))
MEANS = over_windows(
    X,
    [2, 2],
    [1, 2],
    "SAME",
    lambda x: np.floor(np.nanmean(x.reshape(1, -1, 2), 1)),
    fill=np.nan,
)
INTS = np.array([-(2**31), -(2**29), 0, 2**28, 2**31 - 1])

CASES = [
    *(
        Case(
            "QuantizedConv2D",
            [quint8(X), quint8(F), *RANGES],
            {"strides": [1, 1, 1, 1], "padding": padding},
            products(convolved(X.astype("d"), F.astype("d") - 128, [1, 1], padding), STEP * HALF),
            id=padding,
            rtol=1e-6,
        )
        for padding in ("SAME", "VALID")
    ),
    Case(
        "QuantizedConv2D",
        [quint8(X[0]), quint8(F), *RANGES],
        {"strides": [1, 1, 1, 1], "padding": "SAME"},
        raises("input must have rank 4"),
        id="rank",
    ),
    Case(
        "QuantizedMatMul",
        [quint8(ROWS), quint8(MATRIX), *RANGES],
        {},
        products(WIDE, STEP * HALF),
        rtol=1e-6,
    ),
    Case(
        "QuantizedMatMul",
        [quint8(ROWS.T.copy()), quint8(MATRIX.T.copy()), *RANGES],
        {"transpose_a": True, "transpose_b": True},
        products(WIDE, STEP * HALF),
        id="transposed",
        rtol=1e-6,
    ),
    Case(
        "QuantizedMatMul",
        [quint8(ROWS), quint8(MATRIX), 1.0, -1.0, 0.0, 1.0],
        {},
        raises("min_a must be at most max_a, got 1.0 and -1.0", "run"),
        id="range",
    ),
    Case(
        "QuantizedMatMul",
        [quint8(ROWS), quint8(MATRIX), [0.0], 1.0, 0.0, 1.0],
        {},
        raises("min_a must have rank 0"),
        id="scalar",
    ),
    Case(
        "QuantizedMatMul",
        [quint8(ROWS), quint8(ROWS), *RANGES],
        {},
        raises("the inner sizes of a and b must be equal, got 2 and 3"),
        id="sizes",
    ),
    Case(
        "QuantizedRelu",
        [quint8([0, 127, 128, 255]), -1.0, 1.0],
        {},
        (quint8([128, 128, 128, 255]), np.float32(-1), np.float32(1)),
    ),
    Case(
        "QuantizedRelu6",
        [quint8([0, 100, 140, 255]), 0.0, 12.0],
        {},
        (quint8([0, 100, 128, 128]), np.float32(0), np.float32(12)),
    ),
    Case(
        "QuantizedMaxPool",
        [quint8(X), -1.0, 1.0],
        PAIR,
        (quint8(HIGHEST), np.float32(-1), np.float32(1)),
    ),
    Case(
        "QuantizedAvgPool",
        [quint8(X), -1.0, 1.0],
        PAIR,
        (quint8(MEANS), np.float32(-1), np.float32(1)),
    ),
    Case(
        "QuantizedAvgPool",
        [(np.array([-3, -4], np.int8).reshape(1, 2, 1, 1), "qint8"), -1.0, 1.0],
        {"ksize": [1, 2, 1, 1], "strides": [1, 2, 1, 1], "padding": "VALID"},
        ((np.full((1, 1, 1, 1), -3, np.int8), "qint8"), np.float32(-1), np.float32(1)),
        id="toward-zero",
    ),
    Case(
        "RequantizationRange",
        [(INTS[1:4], "qint32"), -8.0, 8.0],
        {},
        (np.float32(-2), np.float32(1)),
        rtol=1e-6,
    ),
    Case(
        "RequantizationRange",
        [([2**28], "qint32"), -8.0, 8.0],
        {},
        (np.float32(0), np.float32(1)),
        id="positive",
        rtol=1e-6,
    ),
    Case(
        "RequantizationRange",
        [(np.zeros(0, "i"), "qint32"), -8.0, 8.0],
        {},
        raises("input must not be empty", "run"),
        id="empty",
    ),
    Case(
        "Requantize",
        [(INTS, "qint32"), -8.0, 8.0, -2.0, 1.0],
        {"out_type": "quint8"},
        (quint8([0, 0, 170, 255, 255]), np.float32(-2), np.float32(1)),
    ),
    Case(
        "Requantize",
        [(INTS, "qint32"), -8.0, 8.0, 1.0, 2.0],
        {"out_type": "quint8"},
        raises("requested_output_min must be at most 0", "run"),
        id="above-zero",
    ),
    Case(
        "QuantizedReshape",
        [quint8([[1, 2], [3, 4]]), [-1], 0.0, 6.0],
        {},
        (quint8([1, 2, 3, 4]), np.float32(0), np.float32(6)),
    ),
    Case(
        "QuantizedReshape",
        [quint8([1, 2]), [3], 0.0, 6.0],
        {},
        raises("3"),
        id="size",
    ),
]
test_quantized = check(CASES)


def sums_with_bias(low: float, high: float) -> Any:
    """What the sums stand for, within a few of 2**32 levels: TensorFlow adds in float32."""

    def right(levels: np.ndarray, least: np.ndarray, most: np.ndarray) -> bool:
        x, bias = numbers_of(X, td.quint8, low, high), numbers_of(BIAS, td.quint8, -0.5, 0.25)
        numbers = numbers_of(levels, td.qint32, least[()], most[()])
        return bool(np.allclose(numbers, x + bias, rtol=1e-5, atol=1e-3)) and most == 2**17 * high

    return right


BIAS = np.array([7, 200], np.uint8)
BIASES = [
    Case(
        "QuantizedBiasAdd",
        [quint8(X), quint8(BIAS), low, high, -0.5, 0.25],
        {"out_type": "qint32"},
        sums_with_bias(low, high),
        id=f"{low}",
    )
    for low, high in ((-1.0, 1.0), (0.0, 6.0))
]
BIASES.append(
    Case(
        "QuantizedBiasAdd",
        [quint8(X), quint8(BIAS[:1]), -1.0, 1.0, -0.5, 0.25],
        {"out_type": "qint32"},
        raises("the last size of input and the length of bias must be equal, got 2 and 1"),
        id="length",
    )
)
test_bias = check(BIASES)


def test_shapes_of_quantized_layers() -> None:
    scalars = ";".join(["[]"] * 4)
    same = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    infers("QuantizedConv2D", f"[n,h,8,3];[3,3,3,4];{scalars}", "[n,(h+1)//2,4,4];[];[]", **same)
    infers("QuantizedMatMul", f"[n,?];[k,4];{scalars}", "[n,4];[];[]")
    infers("QuantizedRelu", "[n,3];[];[]", "[n,3];[];[]")
    infers("QuantizedMaxPool", "[n,8,8,c];[];[]", "[n,8,4,c];[];[]", **PAIR)
    infers("QuantizedBiasAdd", f"[n,?];[4];{scalars}", "[n,4];[];[]", out_type="qint32")
    infers("Requantize", f"[n];{scalars}", "[n];[];[]", out_type="quint8")
    infers("RequantizationRange", "[n];[];[]", "[];[]")
    infers("QuantizedReshape", "[n,2];;[];[]", "[2*n];[];[]", values={"shape": [-1]})
    refuses("QuantizedRelu", "[3];[1];[]", "min_features must have rank 0")


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 6.0), (-0.3, 2.7)])
def test_numbers_and_levels(low: float, high: float) -> None:
    every = np.arange(256, dtype=np.uint8)
    numbers = numbers_of(every, td.quint8, low, high)
    np.testing.assert_allclose(numbers, np.linspace(low, high, 256), atol=(high - low) / 500)
    assert numbers[level_of(0.0, td.quint8, low, high)] == 0, "zero is a level"
    away = np.abs(levels_of(numbers, td.quint8, low, high).astype(int) - every)
    assert away.max() <= 1, "the ends are rounded to levels on the way there only"


def test_a_quantized_layer_is_near_the_layer() -> None:
    generator = np.random.default_rng(1)
    x = generator.uniform(-1, 1, (1, 6, 6, 3)).astype("f")
    filters = generator.uniform(-0.5, 0.5, (3, 3, 3, 4)).astype("f")
    with td.Graph().as_default(), td.Session() as session:
        a = td.quantize_v2(x, -1.0, 1.0, td.quint8, "MIN_FIRST")
        b = td.quantize_v2(filters, -0.5, 0.5, td.quint8, "MIN_FIRST")
        conv = lookup("QuantizedConv2D")
        sums = conv(a[0], b[0], a[1], a[2], b[1], b[2], strides=[1] * 4, padding="SAME")
        bounds = lookup("RequantizationRange")(*sums)
        levels = lookup("Requantize")(*sums, *bounds, out_type="quint8")
        relu = lookup("QuantizedRelu")(*levels)
        result = session.run(td.dequantize(relu[0], relu[1], relu[2], mode="MIN_FIRST"))
    wanted = np.maximum(convolved(x, filters, [1, 1], "SAME"), 0)
    np.testing.assert_allclose(result, wanted, atol=0.05)
