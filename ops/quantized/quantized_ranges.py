"""The arithmetic of quantized ranges, in float32 and in the order of TensorFlow's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...protos.dtypes import DType
from ...shape_inference.context import ShapeContext
from ...shape_inference.protocols import Array
from ...shape_inference.symbolic.symbolic import Dim

ZERO = np.float32(0)
ONE = np.float32(1)
MOST = np.finfo(np.float32).max
LEAST_NORMAL = np.finfo(np.float32).tiny

# The greatest float32 that an int32 can hold.
_MOST_INT32 = np.float32(2**31 - 128)
# The bits of a sign, and of the greatest number below a half. A full half, added before
# truncation, would also take the latter up.
_SIGN = np.uint32(0x80000000)
_ALMOST_HALF = np.uint32(0x3EFFFFFF)


def length_of_ranges(c: ShapeContext, low: str, high: str) -> Dim:
    """The number of ranges whose ends the vectors `low` and `high` hold."""
    sizes: list[Any] = [size for name in (low, high) for size in c.shape(name, rank=1).sizes or ()]
    return c.same_size(f"the lengths of {low} and {high}", *sizes)


def limits(dtype: DType, narrow: bool = False) -> tuple[int, int]:
    """The least and the greatest integer of a quantized dtype; one more for the least if narrow."""
    info = np.iinfo(dtype.numpy_dtype)
    return int(info.min) + narrow, int(info.max)


def clipped(x: Array, low: Any, high: Any) -> Array:
    """`x` within [low, high], in a new float32 array of the shape of `x`; NaN stays NaN."""
    y: Array = np.empty(x.shape, np.float32)
    if np.ndim(low) and low.shape[-1] > 1:  # where NumPy's clip is the slower way
        np.minimum(x, high, out=y)
        np.maximum(y, low, out=y)
    else:
        x.clip(low, np.maximum(low, high), out=y)
    return y


def nudged(y: Array) -> Array:
    """`y`, changed in place so that truncation rounds it with ties away from zero."""
    halves = np.bitwise_and(y.view(np.uint32), _SIGN, out=np.empty(y.shape, np.uint32))
    halves |= _ALMOST_HALF
    y += halves.view(np.float32)
    return y


def rounded(y: Array) -> Array:
    """`y`, rounded in place with ties away from zero."""
    np.trunc(nudged(y), out=y)
    return y


def steps_in_unit(low: Any, high: Any, lowest: int, highest: int) -> Any:
    """Grid steps per unit; 0 if the range is a point."""
    return np.float32((highest - lowest) / np.float64(high - low)) if high != low else ZERO


def quantized_min_first(x: Array, low: Any, scale: Any, lowest: int, highest: int) -> Array:
    """`x` on the grid of mode MIN_FIRST: the origin is rounded before it is subtracted."""
    y = rounded(np.multiply(x, scale, out=np.empty(x.shape, np.float32)))
    y -= rounded(np.array(low * scale)) - np.float32(lowest)
    y.clip(np.float32(lowest), min(np.float32(highest), _MOST_INT32), out=y)
    return y


def line_of_min_first(low: Any, high: Any, lowest: int, highest: int) -> tuple[Any, Any]:
    """The a and b with which mode MIN_FIRST dequantizes q to `a + q * b`."""
    step = np.float32(np.float64(high - low) / (highest - lowest))
    origin = low if high == low else rounded(np.array(low / step))[()] * step
    return origin - np.float32(lowest) * step, step
