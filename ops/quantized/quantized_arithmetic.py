"""Levels and zero point of quantized tensors, and the ranges of their products."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...protos.dtypes import DType
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array
from .quantized_ranges import limits

SCALE_TYPES = "{qint8, quint8, qint32, qint16, quint16}"


def check_scalars(c: ShapeContext, *names: str) -> None:
    """Checks that arguments, the ends of ranges, are scalars.

    Raises:
        ValueError: one is known not to be.
    """
    for name in names:
        c.shape(name, rank=0)


def ends(names: tuple[str, str], low: Array, high: Array) -> tuple[Any, Any]:
    """The ends of a range as numbers; as in TensorFlow, the first may be the larger one.

    Raises:
        ValueError: one is not a scalar.
    """
    for name, end in zip(names, (low, high), strict=True):
        if end.ndim:
            raise ValueError(f"{name} must have rank 0, got shape {list(end.shape)}")
    return low[()], high[()]


def step_of(dtype: DType, low: Any, high: Any) -> float:
    """Step between two levels."""
    lowest, highest = limits(dtype)
    return float(high - low) / (highest - lowest)


def level_of(number: float, dtype: DType, low: Any, high: Any) -> int:
    """The level that stands for `number`, even where it is outside of the dtype."""
    lowest, highest = limits(dtype)
    if low == high:
        return lowest
    steps = highest - lowest
    # Halves occur, so the order of TensorFlow's operations counts.
    scale = (steps + 1) / (float(high - low) * ((steps + 1) / steps))
    return _rounded(number * scale) - _rounded(float(low) * scale) + lowest


def _rounded(x: float) -> int:
    """The nearest integer; halves go away from zero.

    Raises:
        ValueError: there is none.
    """
    if not np.isfinite(x):
        raise ValueError(f"a range must be finite, got a bound at {x} steps from zero")
    return int(np.floor(abs(x) + 0.5)) * (-1 if x < 0 else 1)


def numbers_of(levels: Array, dtype: DType, low: Any, high: Any) -> Array:
    """The numbers that levels stand for, in float64."""
    if low == high:
        return np.full(levels.shape, float(low))
    step = step_of(dtype, low, high)
    lowest, _ = limits(dtype)
    # TensorFlow takes both through float32.
    origin = np.float32(_rounded(low / np.float32(step))) * np.float32(step)
    offsets = levels.astype(np.float32).astype(np.float64) - lowest
    return np.asarray(float(origin) + offsets * step)


def centred(levels: Array, dtype: DType, low: Any, high: Any) -> Array:
    """Levels counted from the one that stands for zero, in float64, where sums are exact."""
    return levels.astype(np.float64) - level_of(0.0, dtype, low, high)


def range_of_products(
    c: KernelContext, names: tuple[str, str], first: tuple[Any, Any], second: tuple[Any, Any]
) -> tuple[Array, Array]:
    """The ends of the range of sums of products, a level of which is a product of two levels."""
    step = np.float32(step_of(c.dtype(names[0]), *first)) * np.float32(
        step_of(c.dtype(names[1]), *second)
    )
    lowest, highest = limits(c.output_dtype)
    return np.asarray(step * np.float32(lowest)), np.asarray(step * np.float32(highest))


def wrapped(sums: Array, dtype: DType) -> Array:
    """Exact sums as integers of `dtype`, which wrap around."""
    return sums.astype(np.int64).astype(dtype.numpy_dtype)
