"""What a quantized tensor stands for: its levels, its zero, and the ranges of products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .quantized_ranges import limits

if TYPE_CHECKING:
    from ..protos.dtypes import DType
    from ..shape_inference.context import KernelContext, ShapeContext
    from ..shape_inference.protocols import Array

SCALE_TYPES = "{qint8, quint8, qint32, qint16, quint16}"


def check_scalars(c: ShapeContext, *names: str) -> None:
    """Checks that arguments, the ends of ranges, are scalars.

    Raises:
        ValueError: one is known not to be.
    """
    for name in names:
        c.shape(name, rank=0)


def ends(names: tuple[str, str], low: Array, high: Array) -> tuple[Any, Any]:
    """The ends of a range as numbers.

    Raises:
        ValueError: one is no scalar, or the first is the larger one.
    """
    for name, end in zip(names, (low, high), strict=True):
        if end.ndim:
            raise ValueError(f"{name} must have rank 0, got shape {list(end.shape)}")
    if low > high:
        raise ValueError(f"{names[0]} must be at most {names[1]}, got {low} and {high}")
    return low[()], high[()]


def step_of(dtype: DType, low: Any, high: Any) -> float:
    """How far apart two levels are."""
    lowest, highest = limits(dtype)
    return (float(high) - float(low)) / (highest - lowest)


def level_of(number: float, dtype: DType, low: Any, high: Any) -> int:
    """The level that stands for `number`, even where it is outside of the dtype."""
    if low == high:
        return 0
    step = step_of(dtype, low, high)
    lowest, _ = limits(dtype)
    return _rounded(number / step) - _rounded(float(low) / step) + lowest


def _rounded(x: float) -> int:
    """The nearest integer; halves go away from zero.

    Raises:
        ValueError: there is none.
    """
    if not np.isfinite(x):
        raise ValueError(f"a range must be finite, got a bound at {x} steps from zero")
    return int(np.floor(abs(x) + 0.5)) * (-1 if x < 0 else 1)


def numbers_of(levels: Array, dtype: DType, low: Any, high: Any) -> Array:
    """The numbers that levels stand for, in float64; zero is always one of them."""
    if low == high:
        return np.full(levels.shape, float(low))
    step = step_of(dtype, low, high)
    lowest, _ = limits(dtype)
    return np.asarray((levels.astype(np.float64) - lowest + _rounded(float(low) / step)) * step)


def levels_of(numbers: Array, dtype: DType, low: Any, high: Any) -> Array:
    """The levels that stand for numbers, clipped to the dtype."""
    lowest, highest = limits(dtype)
    if low == high:
        return np.zeros(numbers.shape, dtype.numpy_dtype)
    levels = np.floor((numbers - float(low)) / step_of(dtype, low, high) + 0.5) + lowest
    return np.asarray(np.clip(levels, lowest, highest).astype(dtype.numpy_dtype))


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
