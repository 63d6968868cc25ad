"""Sums, products and normalized forms of quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, broadcast
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from .quantized_arithmetic import (
    SCALE_TYPES,
    centred,
    check_scalars,
    ends,
    level_of,
    numbers_of,
    range_of_products,
    wrapped,
)
from .quantized_ranges import limits, quantized_min_first, steps_in_unit

_PAIR = (
    "x: T1, y: T2, min_x: float32, max_x: float32, min_y: float32, max_y: float32 "
    "-> z: Toutput, min_z: float32, max_z: float32"
)
_PAIR_TYPES = f"T1: {SCALE_TYPES}, T2: {SCALE_TYPES}, Toutput: {SCALE_TYPES} = qint32"
QUANTIZED_ADD = OpDef("QuantizedAdd", _PAIR, _PAIR_TYPES, traits=Traits(grows=True))
QUANTIZED_MUL = OpDef("QuantizedMul", _PAIR, _PAIR_TYPES, traits=Traits(grows=True))
QUANTIZED_INSTANCE_NORM = OpDef(
    "QuantizedInstanceNorm",
    "x: T, x_min: float32, x_max: float32 -> y: T, y_min: float32, y_max: float32",
    f"T: {SCALE_TYPES}, output_range_given: bool = false, given_y_min: float = 0, "
    "given_y_max: float = 0, variance_epsilon: float = 1e-05, min_separation: float = 0.001",
)
_PARAMETERS = ("m", "v", "beta", "gamma")
QUANTIZED_BATCH_NORM = OpDef(
    "QuantizedBatchNormWithGlobalNormalization",
    ", ".join(f"{x}: Tinput, {x}_min: float32, {x}_max: float32" for x in ("t", *_PARAMETERS))
    + " -> result: out_type, result_min: float32, result_max: float32",
    f"Tinput: {SCALE_TYPES}, out_type: {SCALE_TYPES}, variance_epsilon: float, "
    "scale_after_normalization: bool",
)

_ROOM_FOR_SUMS = np.float32(1 << 14)  # how much wider the range of sums is than that of the parts
_END = np.float32(1 << 20)  # of the range that batch normalization computes in


@QUANTIZED_ADD.shape
@QUANTIZED_MUL.shape
def _pair_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_x", "max_x", "min_y", "max_y")
    return [broadcast(c.shape("x"), c.shape("y")), SCALAR, SCALAR]


def _pair_ends(*bounds: Array) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    of_x, of_y = ends(("min_x", "max_x"), *bounds[:2]), ends(("min_y", "max_y"), *bounds[2:])
    for name, (low, high) in (("x", of_x), ("y", of_y)):
        if not low < high:
            raise ValueError(f"min_{name} must be less than max_{name}, got {low} and {high}")
    return of_x, of_y


@QUANTIZED_ADD.view_kernel
def _add_kernel(c: KernelContext) -> Kernel:
    least, most = limits(c.output_dtype)

    def add(x: Array, y: Array, *bounds: Array) -> tuple[Array, Array, Array]:
        of_x, of_y = _pair_ends(*bounds)
        high = _ROOM_FOR_SUMS * max(abs(min(of_x[0], of_y[0])), abs(max(of_x[1], of_y[1])))
        scalar = "x" if x.size == 1 else "y" if y.size == 1 else ""
        parts = []
        for levels, name, ends_of in ((x, "x", of_x), (y, "y", of_y)):
            # Of one number TensorFlow takes the level itself; of others it takes a level to be
            # worth what the second one is more than the first.
            some = levels.reshape(-1) if name == scalar else np.arange(2)
            numbers = numbers_of(some, c.dtype(name), *ends_of).astype(np.float32).tolist()
            first, *rest = (level_of(number, c.output_dtype, -high, high) for number in numbers)
            steps = levels.astype(np.int64) * (rest[0] - first) if rest else np.int64(0)
            parts.append(np.clip(first + steps, least, most))
        total = np.asarray(parts[0] + parts[1]).reshape(np.broadcast_shapes(x.shape, y.shape))
        return wrapped(total, c.output_dtype), np.asarray(-high), np.asarray(high)

    return add


@QUANTIZED_MUL.view_kernel
def _mul_kernel(c: KernelContext) -> Kernel:
    def mul(x: Array, y: Array, *bounds: Array) -> tuple[Array, Array, Array]:
        of_x, of_y = _pair_ends(*bounds)
        products = centred(x, c.dtype("x"), *of_x) * centred(y, c.dtype("y"), *of_y)
        return wrapped(products, c.output_dtype), *range_of_products(c, ("x", "y"), of_x, of_y)

    return mul


@QUANTIZED_INSTANCE_NORM.shape
def _instance_norm_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "x_min", "x_max")
    return [c.shape("x", rank=4), SCALAR, SCALAR]


@QUANTIZED_INSTANCE_NORM.view_kernel
def _instance_norm_kernel(c: KernelContext) -> Kernel:
    fixed_range = np.float32(c.attr("given_y_min")), np.float32(c.attr("given_y_max"))
    is_given = c.attr("output_range_given")
    if is_given and not fixed_range[0] < fixed_range[1]:
        raise ValueError(
            f"given_y_min must be less than given_y_max, got {fixed_range[0]} and {fixed_range[1]}"
        )
    epsilon = np.float32(c.attr("variance_epsilon"))
    separation = np.float32(c.attr("min_separation"))
    dtype = c.dtype("x")
    lowest, highest = limits(dtype)

    def normalized(x: Array, x_min: Array, x_max: Array) -> tuple[Array, Array, Array]:
        if x.ndim != 4:
            raise ValueError(f"x must have rank 4, got shape {list(x.shape)}")
        low, high = ends(("x_min", "x_max"), x_min, x_max)
        if not low < high:
            raise ValueError(f"x_min must be less than x_max, got {low} and {high}")
        if not x.size:
            raise ValueError(f"x must not be empty, got shape {list(x.shape)}")
        step = (high - low) / np.float32(highest - lowest)
        levels = x.astype(np.float32)
        around = step * (levels - levels.mean((1, 2), keepdims=True))
        variance = np.square(around).mean((1, 2), keepdims=True)
        numbers = around * (np.float32(1) / np.sqrt(variance + epsilon))
        low, high = fixed_range if is_given else (numbers.min(), numbers.max())
        if high - low < separation:
            high = low + separation
        scale = steps_in_unit(low, high, lowest, highest)
        y = quantized_min_first(numbers, low, scale, lowest, highest)
        return y.astype(dtype.numpy_dtype), np.asarray(low), np.asarray(high)

    return normalized


@QUANTIZED_BATCH_NORM.shape
def _batch_norm_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, *(f"{x}_{end}" for x in ("t", *_PARAMETERS) for end in ("min", "max")))
    for name in _PARAMETERS:
        c.shape(name, rank=1)
    return [c.shape("t", rank=4), SCALAR, SCALAR]


@QUANTIZED_BATCH_NORM.view_kernel
def _batch_norm_kernel(c: KernelContext) -> Kernel:
    epsilon = np.float32(c.attr("variance_epsilon"))
    scaled = c.attr("scale_after_normalization")
    source, target = c.dtype("t"), c.output_dtype
    least, most = limits(target)

    def fixed(numbers: Array) -> Array:
        """Numbers as levels of the range that all is computed in."""
        flat = [level_of(n, target, -_END, _END) for n in numbers.ravel().tolist()]
        return np.clip(np.array(flat, np.int64), least, most).reshape(numbers.shape)

    def normalized(*inputs: Array) -> tuple[Array, Array, Array]:
        names = ("t", *_PARAMETERS)
        parts = [
            (inputs[3 * i], *ends((f"{name}_min", f"{name}_max"), *inputs[3 * i + 1 : 3 * i + 3]))
            for i, name in enumerate(names)
        ]
        t = parts[0][0]
        if t.ndim != 4:
            raise ValueError(f"t must have rank 4, got shape {list(t.shape)}")
        for name, (levels, *_) in zip(_PARAMETERS, parts[1:], strict=True):
            if levels.shape != t.shape[-1:]:
                raise ValueError(
                    f"{name} must have shape {list(t.shape[-1:])}, got {list(levels.shape)}"
                )
        mean, variance, beta, gamma = (
            numbers_of(levels, source, low, high).astype(np.float32)
            for levels, low, high in parts[1:]
        )
        scale = np.float32(1) / np.sqrt(variance + epsilon)
        scale = scale * gamma if scaled else scale
        info = np.iinfo(source.numpy_dtype)
        if t.size > info.max - info.min:  # then a table of the levels is quicker
            every = np.arange(info.min, info.max + 1)
            table = fixed(numbers_of(every, source, *parts[0][1:]).astype(np.float32))
            numbers = table[t.astype(np.int64) - info.min]
        else:
            numbers = fixed(numbers_of(t, source, *parts[0][1:]).astype(np.float32))
        one = level_of(1.0, target, -_END, _END)
        product = wrapped(numbers * fixed(scale), target).astype(np.int64)
        quotient = np.sign(product) * (np.abs(product) // one)
        result = wrapped(quotient + fixed(beta - mean * scale), target)
        return result, np.asarray(-_END), np.asarray(_END)

    return normalized
