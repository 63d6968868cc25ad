"""Quantized tensors in other ranges and shapes, and with a bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.op_def import OpDef
from ..shape_inference.rules import SCALAR
from ..shape_inference.tensor_shape import TensorShape
from .quantized_arithmetic import SCALE_TYPES, check_scalars, ends, levels_of, numbers_of
from .reshaping import RESHAPE

if TYPE_CHECKING:
    from ..shape_inference.context import KernelContext, ShapeContext
    from ..shape_inference.protocols import Array, Kernel

QUANTIZED_BIAS_ADD = OpDef(
    "QuantizedBiasAdd",
    "input: T1, bias: T2, min_input: float32, max_input: float32, min_bias: float32, "
    "max_bias: float32 -> output: out_type, min_out: float32, max_out: float32",
    f"T1: {SCALE_TYPES}, T2: {SCALE_TYPES}, out_type: {SCALE_TYPES}",
)
REQUANTIZE = OpDef(
    "Requantize",
    "input: Tinput, input_min: float32, input_max: float32, requested_output_min: float32, "
    "requested_output_max: float32 -> output: out_type, output_min: float32, output_max: float32",
    f"Tinput: {SCALE_TYPES}, out_type: {SCALE_TYPES}",
)
REQUANTIZATION_RANGE = OpDef(
    "RequantizationRange",
    "input: Tinput, input_min: float32, input_max: float32 "
    "-> output_min: float32, output_max: float32",
    f"Tinput: {SCALE_TYPES}",
)

# A sum of so many biases and inputs stays in range.
_ROOM_FOR_SUMS = np.float32(1 << 17)


@QUANTIZED_BIAS_ADD.shape
def _quantized_bias_add_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_input", "max_input", "min_bias", "max_bias")
    x = c.shape("input", min_rank=1)
    length: Any = c.shape("bias", rank=1).sizes
    if x.sizes is not None:
        name = "the last size of input and the length of bias"
        *lead, last = x.sizes
        x = TensorShape.of((*lead, c.same_size(name, last, length[0])))  # type: ignore[arg-type]
    return [x, SCALAR, SCALAR]


@QUANTIZED_BIAS_ADD.kernel
def _quantized_bias_add_kernel(c: KernelContext) -> Kernel:
    def bias_add(
        x: Array, bias: Array, low_x: Array, high_x: Array, low_b: Array, high_b: Array
    ) -> tuple[Array, Array, Array]:
        if not x.ndim:
            raise ValueError("input must have rank at least 1, got shape ()")
        if bias.ndim != 1:
            raise ValueError(f"bias must have rank 1, got shape {list(bias.shape)}")
        c.same_size("the last size of input and the length of bias", x.shape[-1], len(bias))
        of_x = ends(("min_input", "max_input"), low_x, high_x)
        of_bias = ends(("min_bias", "max_bias"), low_b, high_b)
        high = _ROOM_FOR_SUMS * max(-of_x[0], of_x[1], -of_bias[0], of_bias[1])
        numbers = numbers_of(x, c.dtype("input"), *of_x)
        numbers = numbers + numbers_of(bias, c.dtype("bias"), *of_bias)
        levels = levels_of(numbers, c.output_dtype, -high, high)
        return levels, np.asarray(-high), np.asarray(high)

    return bias_add


@REQUANTIZE.shape
def _requantize_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max", "requested_output_min", "requested_output_max")
    return [c.shape("input"), SCALAR, SCALAR]


@REQUANTIZE.kernel
def _requantize_kernel(c: KernelContext) -> Kernel:
    dtype = c.dtype("input")

    def requantize(
        x: Array, low: Array, high: Array, new_low: Array, new_high: Array
    ) -> tuple[Array, Array, Array]:
        old = ends(("input_min", "input_max"), low, high)
        new = ends(("requested_output_min", "requested_output_max"), new_low, new_high)
        if new[0] > 0:
            raise ValueError(f"requested_output_min must be at most 0, got {new[0]}")
        levels = levels_of(numbers_of(x, dtype, *old), c.output_dtype, *new)
        return levels, new_low, new_high

    return requantize


@REQUANTIZATION_RANGE.shape
def _requantization_range_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max")
    return [SCALAR, SCALAR]


@REQUANTIZATION_RANGE.kernel
def _requantization_range_kernel(c: KernelContext) -> Kernel:
    dtype = c.dtype("input")

    def requantization_range(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
        bounds = ends(("input_min", "input_max"), low, high)
        if not x.size:
            raise ValueError(f"input must not be empty, got shape {list(x.shape)}")
        used = numbers_of(np.array([x.min(), x.max()]), dtype, *bounds).astype(np.float32)
        return np.asarray(min(used[0], np.float32(0))), np.asarray(used[1])

    return requantization_range


QUANTIZED_RESHAPE = OpDef(
    "QuantizedReshape",
    "tensor: T, shape: Tshape, input_min: float32, input_max: float32 "
    "-> output: T, output_min: float32, output_max: float32",
    "T: type, Tshape: {int32, int64} = int32",
)


@QUANTIZED_RESHAPE.shape
def _quantized_reshape_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max")
    reshape: Any = RESHAPE.shape_function
    return [reshape(c), SCALAR, SCALAR]


@QUANTIZED_RESHAPE.kernel
def _quantized_reshape_kernel(c: KernelContext) -> Kernel:
    factory: Any = RESHAPE.kernel_factory
    reshape = factory(c)

    def quantized_reshape(
        x: Array, shape: Array, low: Array, high: Array
    ) -> tuple[Array, Array, Array]:
        ends(("input_min", "input_max"), low, high)
        return reshape(x, shape), low, high

    return quantized_reshape
