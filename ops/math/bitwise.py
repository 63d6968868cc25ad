"""Ops on the bits of integers: what users find as `td.bitwise`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...shape_inference.protocols import Array
from ..common.elementwise import INTEGERS, binary, unary

public = {
    "td.bitwise": (
        "bitwise_and bitwise_or bitwise_xor invert left_shift population_count right_shift"
    ),
}


def _shifting(shift: Callable[[Array, Array], Any]) -> Callable[[Array, Array], Any]:
    """`shift` by 0 to the width less one: other distances are taken for the nearest of these."""

    def shifted(x: Array, y: Array) -> Any:
        return shift(x, np.clip(y, 0, 8 * y.dtype.itemsize - 1))

    return shifted


bitwise_and = binary(
    "bitwise_and",
    "BitwiseAnd",
    np.bitwise_and,
    INTEGERS,
    "The bits that are set in both `x` and `y`.",
    ("[12, 10], 6", "[4 2]"),
    home="td.bitwise",
)
bitwise_or = binary(
    "bitwise_or",
    "BitwiseOr",
    np.bitwise_or,
    INTEGERS,
    "The bits that are set in `x` or `y`.",
    ("[12, 10], 6", "[14 14]"),
    home="td.bitwise",
)
bitwise_xor = binary(
    "bitwise_xor",
    "BitwiseXor",
    np.bitwise_xor,
    INTEGERS,
    "The bits that are set in one of `x` and `y`, and not in the other.",
    ("[12, 10], 6", "[10 12]"),
    home="td.bitwise",
)
left_shift = binary(
    "left_shift",
    "LeftShift",
    _shifting(np.left_shift),
    INTEGERS,
    "The bits of `x`, `y` places further up.\n\n"
    "A negative `y` counts as 0, one beyond the width as the width less one, as in TensorFlow.",
    ("[1, 3], 2", "[ 4 12]"),
    home="td.bitwise",
)
right_shift = binary(
    "right_shift",
    "RightShift",
    _shifting(np.right_shift),
    INTEGERS,
    "The bits of `x`, `y` places further down; those of a negative number are filled up with ones."
    "\n\n"
    "A negative `y` counts as 0, one beyond the width as the width less one, as in TensorFlow.",
    ("[8, -8], 2", "[ 2 -2]"),
    home="td.bitwise",
)
invert = unary(
    "invert",
    "Invert",
    np.invert,
    INTEGERS,
    "Every bit of `x` turned over.",
    ("[0, 5]", "[-1 -6]"),
    home="td.bitwise",
)


def _population_count(x: Array) -> Any:
    # np.bitwise_count counts the bits of the absolute value.
    return np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))


population_count = unary(
    "population_count",
    "PopulationCount",
    _population_count,
    INTEGERS,
    "How many bits of `x` are set; negative numbers are counted in two's complement.",
    ("[7, -1]", "[ 3 32]"),
    result="y: uint8",
    home="td.bitwise",
)
