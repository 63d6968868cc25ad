"""QuantizeAndDequantize, and patches of volumes."""

from __future__ import annotations

import numpy as np
from cases import Array, Case, raises
from harness import check
from shape_language import infers

X = np.array([[-1, -0.51, -0.2], [0.3, 0.77, 1.2]], np.float32)
ZERO = np.float32(0)
LOW, HIGH = np.float32(-0.5), np.float32(0.9)
GIVEN = {"range_given": True, "num_bits": 4}


def grid(*rows: list[float]) -> Array:
    return np.array(rows, np.float32)


CASES = [
    Case(
        "QuantizeAndDequantizeV2",
        [X, ZERO, ZERO],
        {"num_bits": 3},
        grid([-0.8, -0.4, 0], [0.4, 0.8, 1.2]),
        rtol=1e-5,
    ),
    Case(
        "QuantizeAndDequantizeV2",
        [X, LOW, HIGH],
        GIVEN,
        grid([-7.2, -3.6, -1.8], [1.8, 5.4, 6.3]) / np.float32(7),
        id="given",
        rtol=1e-5,
    ),
    Case(
        "QuantizeAndDequantizeV2",
        [X, LOW, HIGH],
        {**GIVEN, "narrow_range": True, "round_mode": "HALF_UP"},
        grid([-6.3, -3.6, -1.8], [1.8, 5.4, 6.3]) / np.float32(7),
        id="narrow",
        rtol=1e-5,
    ),
    Case(
        "QuantizeAndDequantizeV2",
        [X, ZERO, ZERO],
        {"signed_input": False, "num_bits": 2},
        grid([-0.8, -0.4, 0], [0.4, 0.8, 1.2]),
        id="unsigned",
        rtol=1e-5,
    ),
    Case("QuantizeAndDequantizeV2", [X[:0], ZERO, ZERO], {}, X[:0], id="empty"),
    Case(
        "QuantizeAndDequantizeV2",
        [X, HIGH, LOW],
        GIVEN,
        raises("is above input_max", "run"),
        id="order",
    ),
    Case(
        "QuantizeAndDequantizeV2",
        [X, LOW, HIGH],
        {"num_bits": 63},
        raises("num_bits = 63 is not in", "run"),
        id="bits",
    ),
    Case(
        "QuantizeAndDequantizeV3",
        [X, LOW, HIGH, 5],
        {},
        grid([-0.96, -0.54, -0.18], [0.3, 0.78, 0.9]),
        rtol=1e-5,
    ),
    Case(
        "QuantizeAndDequantizeV3",
        [X, LOW, HIGH, 1],
        {},
        raises("num_bits = 1 is not in", "run"),
        id="bits",
    ),
    Case(
        "QuantizeAndDequantizeV4",
        [X, LOW, HIGH],
        GIVEN,
        grid([-7.2, -3.6, -1.8], [1.8, 5.4, 6.3]) / np.float32(7),
        rtol=1e-5,
    ),
    Case(
        "QuantizeAndDequantize",
        [X],
        {"num_bits": 3},
        grid([-0.8, -0.4, 0], [0.4, 0.8, 1.2]),
        rtol=1e-5,
    ),
]
test_rounding_to_grid = check(CASES)


def test_shapes() -> None:
    infers("QuantizeAndDequantizeV2", "[n,3];[];[]", "[n,3]")
