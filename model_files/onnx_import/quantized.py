"""Quantization of ONNX: integers that stand for real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from ...protos.dtypes import DType
from .call import Call, Rule
from .convolution import filter_sizes, integers_convolved
from .elementwise import converted
from .linear import product
from .nodes import (
    apply,
    as_size,
    axis_of,
    cast,
    number,
    rank_of,
    reshape,
    size_of,
)
from .windows import windows_of

_LIMITS = {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}


def _along(c: Call, values: Tensor, x: Tensor) -> Tensor:
    """Scales or zero points that broadcast against a tensor: one, or for each index or block."""
    rank, own = rank_of(x), rank_of(values)
    block = c.int("block_size", 0)
    if own == 0 or (own == 1 and values.shape.as_list() == [1] and not block):
        return reshape(values, []) if own else values
    axis = axis_of(c.int("axis", 1), rank)
    if own == 1 and rank > 1:
        return reshape(values, [-1, *[1] * (rank - 1 - axis)])
    if block and own == rank:
        places = apply("Range", np.int64(0), as_size(size_of(x, axis)), np.int64(1))
        blocks = apply("FloorDiv", places, np.int64(block))
        return apply("GatherV2", values, blocks, np.int32(axis))
    return values


def limits_of(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number of an integer dtype."""
    if dtype.name in _LIMITS:
        return _LIMITS[dtype.name]
    info = np.iinfo(dtype.numpy_dtype)
    return int(info.min), int(info.max)


def rounded(x: Tensor, zero: Any, dtype: DType) -> Tensor:
    """Real numbers rounded to the integers that stand for them."""
    whole = apply("Rint", x)
    if zero is not None:
        whole = apply("AddV2", whole, cast(zero, x.dtype))
    low, high = limits_of(dtype)
    return cast(apply("ClipByValue", whole, number(x, low), number(x, high)), dtype)


def _quantize(c: Call) -> Tensor:
    x, scale = c[0], c[1]
    dtype = c[2].dtype if c.has(2) else dtypes.uint8
    if c.int("output_dtype", 0):
        dtype = c.dtype("output_dtype")
    precision = c.dtype("precision") if c.int("precision", 0) else scale.dtype
    wider = dtypes.float32 if precision.size < 4 else precision
    steps = apply("RealDiv", cast(x, wider), cast(_along(c, scale, x), wider))
    zero = _along(c, c[2], x) if c.has(2) else None
    if dtype.is_floating:
        return converted(steps, dtype, bool(c.int("saturate", 1)))
    return rounded(steps, zero, dtype)


def _dequantize(c: Call) -> Tensor:
    x, scale = c[0], c[1]
    dtype = c.dtype("output_dtype") if c.int("output_dtype", 0) else scale.dtype
    wider = dtypes.float32 if dtype.size < 4 else dtype
    value = cast(x, dtypes.float32 if x.dtype.is_floating else dtypes.int32)
    if c.has(2) and not x.dtype.is_floating:
        value = apply("Sub", value, cast(_along(c, c[2], x), dtypes.int32))
    return cast(apply("Mul", cast(value, wider), cast(_along(c, scale, x), wider)), dtype)


def _dynamic_quantize(c: Call) -> Any:
    x = c[0]
    every = np.arange(rank_of(x), dtype=np.int32)
    low = apply("Minimum", apply("Min", x, every), np.float32(0))
    high = apply("Maximum", apply("Max", x, every), np.float32(0))
    scale = apply("RealDiv", apply("Sub", high, low), np.float32(255))
    start = apply("Rint", apply("DivNoNan", apply("Neg", low), scale))
    zero = apply("ClipByValue", start, np.float32(0), np.float32(255))
    steps = apply("Rint", apply("DivNoNan", x, scale))
    moved = apply("AddV2", steps, zero)
    y = apply("ClipByValue", moved, np.float32(0), np.float32(255))
    return [cast(y, dtypes.uint8), scale, cast(zero, dtypes.uint8)]


def _less_zero(x: Tensor, zero: Tensor, shape: list[int] | None) -> Tensor:
    """Integers less their zero point, one or, in a shape, several."""
    value, zero = cast(x, dtypes.int32), cast(zero, dtypes.int32)
    return apply("Sub", value, _one_or(zero, shape))


def _one_or(x: Tensor, shape: list[int] | None) -> Tensor:
    if x.shape.ndims == 1:
        return reshape(x, [] if x.shape.as_list() == [1] or shape is None else shape)
    return x


def _linear_mat_mul(c: Call) -> Tensor:
    a = _less_zero(c[0], c[2], [-1, 1])
    b = _less_zero(c[3], c[5], [-1])
    total = cast(product(a, b), dtypes.float32)
    scales = [cast(c[i], dtypes.float32) for i in (1, 4, 6)]
    left, right, result = (
        _one_or(scale, shape) for scale, shape in zip(scales, ([-1, 1], [-1], [-1]), strict=True)
    )
    real = apply("RealDiv", apply("Mul", total, apply("Mul", left, right)), result)
    return rounded(real, _one_or(c[7], [-1]), c[7].dtype)


def _linear_conv(c: Call) -> Tensor:
    x, w = c[0], c[3]
    channel = [-1, *[1] * (rank_of(x) - 2)]
    filters = _less_zero(w, c[5], [-1, *[1] * (rank_of(w) - 1)])
    windows = windows_of(c, filter_sizes(c, w))
    total = integers_convolved(_less_zero(x, c[2], None), filters, windows, c.int("group", 1))
    if c.has(8):
        total = apply("AddV2", total, reshape(c[8], channel))
    scale = apply("Mul", _one_or(c[1], None), _one_or(c[4], channel))
    real = apply("RealDiv", apply("Mul", cast(total, dtypes.float32), scale), _one_or(c[6], None))
    return rounded(real, _one_or(c[7], None), c[7].dtype)


RULES: dict[str, Rule] = {
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "QLinearConv": _linear_conv,
    "QLinearMatMul": _linear_mat_mul,
    "QuantizeLinear": _quantize,
}
