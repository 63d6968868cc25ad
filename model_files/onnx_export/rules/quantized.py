"""Fake-quantized and quantized numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..writing.calls import Call
from ..writing.registry import rule
from ..writing.values import Value


def _nudged(low: Any, high: Any, first: int, last: int) -> tuple[Any, Any, Any, Any]:
    """The limits that TensorFlow quantizes between, the step and the zero, in its arithmetic."""
    single = np.float32
    low, high = np.asarray(low, single), np.asarray(high, single)
    scale = (high - low) / single(last - first)
    with np.errstate(all="ignore"):
        zero = single(first) - low / scale
    zero = np.where(
        zero < first,
        single(first),
        np.where(zero > last, single(last), np.floor(zero + single(0.5))),
    ).astype(single)
    return (single(first) - zero) * scale, (single(last) - zero) * scale, scale, zero


@rule(
    "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel",
    nodes="QuantizeLinear, DequantizeLinear; where halves or bits differ Clip, Floor, Mul",
)
def _fake_quant(c: Call) -> Value:
    bits, narrow = int(c.attr("num_bits", 8)), bool(c.attr("narrow_range", False))
    first, last = int(narrow), (1 << bits) - 1
    if c.op.type == "FakeQuantWithMinMaxArgs":
        low, high = c.attr("min", -6.0), c.attr("max", 6.0)
    else:
        low, high = c.required(1, "the minimum"), c.required(2, "the maximum")
    x = c.x
    if np.all(np.asarray(low) == 0) and np.all(np.asarray(high) == 0):
        return c.zeros(c.shape_of(x), c.dtype())
    least, most, scale, zero = _nudged(low, high, first, last)
    clipped = c.node("Max", c.node("Min", x, c.like(most, x)), c.like(least, x))
    if bits == 8 and np.all(scale > 0):
        axis = c.rank() - 1 if scale.ndim else None
        parts = (c.constant(scale, "float32"), c.constant(zero, "uint8"))
        number = c.node("QuantizeLinear", clipped if narrow else x, *parts, axis=axis)
        return c.node("DequantizeLinear", number, *parts, axis=axis)
    inverse = c.like(np.float32(1) / scale, x)
    steps = c.node("Floor", (clipped - c.like(least, x)) * inverse + 0.5)
    return steps * c.like(scale, x) + c.like(least, x)


@rule("Dequantize", nodes="Cast, Mul, Add")
def _dequantize(c: Call) -> Value:
    dtype = c.op.inputs[0].dtype
    bits = {"quint8": 8, "qint8": 8, "quint16": 16, "qint16": 16, "qint32": 32}.get(dtype.name, 8)
    signed = dtype.name.startswith("q") and not dtype.name.startswith("quint")
    low, high = (c.required(i, "the range").astype(np.float32) for i in (1, 2))
    axis = int(c.attr("axis", -1))
    if axis >= 0:
        spread = [1] * (c.rank() - 1 - axis)
        low, high = low.reshape(-1, *spread), high.reshape(-1, *spread)
    value = c.cast(c.x, "float32")
    mode = c.attr("mode", "MIN_COMBINED")
    if mode == "SCALED":
        narrow = bool(c.attr("narrow_range", False))
        top = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        bottom = (-top if narrow else -top - 1) if signed else 0
        scale = high / np.float32(top)
        if signed:
            scale = np.maximum(low / np.float32(bottom), scale)
        result = value * c.constant(scale, "float32")
    else:
        step = (high - low) / np.float32((1 << bits) - 1)
        bottom = -(1 << (bits - 1)) if signed else 0
        if mode == "MIN_FIRST":
            safe = np.where(step == 0, np.float32(1), step)
            least = np.where(step == 0, low, np.round(low / safe) * step)
            offset = least.astype(np.float32) - step * np.float32(bottom)
            result = value * c.constant(step, "float32") + c.constant(offset, "float32")
        else:
            half = np.float32(1 << (bits - 1)) if signed else np.float32(0)
            result = (value + float(half)) * c.constant(step, "float32") + c.constant(
                low, "float32"
            )
    return c.cast(result, c.dtype())


@rule(
    "QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4",
    nodes="Max, Min, Mul, Round",
)
def _quantize_and_dequantize(c: Call) -> Value:
    x = c.x
    bits = int(c.attr("num_bits", 8))
    if c.op.type.endswith("V3"):
        bits = int(c.required(3, "num_bits").item())
    signed, narrow = bool(c.attr("signed_input", True)), bool(c.attr("narrow_range", False))
    axis = int(c.attr("axis", -1))
    if axis != -1:
        c.refuse("ranges for each channel")
    if c.attr("range_given", False):
        low, high = c.inputs[1], c.inputs[2]
    else:
        axes = list(range(c.rank()))
        low, high = c.reduce("ReduceMin", x, axes), c.reduce("ReduceMax", x, axes)
    top = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    bottom = (-top if narrow else -top - 1) if signed else 0
    zero = c.like(0, x)
    from_low = c.like(bottom, x) / low if bottom else None
    from_high = c.like(top, x) / high
    biggest = c.like(np.finfo(x.dtype.numpy_dtype).max, x)
    if from_low is None:
        scale = c.where(high > 0, from_high, biggest)
        least, most = zero, c.like(top, x) / scale
    else:
        one = c.where(low * bottom > 0, from_low, biggest)
        other = c.where(high * top > 0, from_high, biggest)
        scale = c.node("Min", one, other)
        least, most = c.like(bottom, x) / scale, c.like(top, x) / scale
        by_low = one < other
        least = c.where(by_low, low, least)
        most = c.where(by_low, most, high)
    value = c.node("Min", c.node("Max", x, least), most) if c.attr("range_given", False) else x
    if c.attr("round_mode", "HALF_TO_EVEN") == "HALF_UP":
        steps = c.node("Floor", value * scale + 0.5)
    else:
        steps = c.node("Round", value * scale)
    return steps / scale
