"""Quantized tensors in other ranges and shapes, and with a bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...shape_inference.context import KernelContext, ShapeContext, settled
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..array.reshape import RESHAPE
from .quantized_arithmetic import SCALE_TYPES, check_scalars, ends, level_of, numbers_of, wrapped
from .quantized_ranges import limits, line_of_min_first, quantized_min_first, steps_in_unit

if TYPE_CHECKING:
    Ends = tuple[Any, Any]

QUANTIZED_BIAS_ADD = OpDef(
    "QuantizedBiasAdd",
    "input: T1, bias: T2, min_input: float32, max_input: float32, min_bias: float32, "
    "max_bias: float32 -> output: out_type, min_out: float32, max_out: float32",
    f"T1: {SCALE_TYPES}, T2: {SCALE_TYPES}, out_type: {SCALE_TYPES}",
    traits=Traits(splits="n*,*,*,*,*,*->n*,*:first,*:first"),
)
REQUANTIZE = OpDef(
    "Requantize",
    "input: Tinput, input_min: float32, input_max: float32, requested_output_min: float32, "
    "requested_output_max: float32 -> output: out_type, output_min: float32, output_max: float32",
    f"Tinput: {SCALE_TYPES}, out_type: {SCALE_TYPES}",
    traits=Traits(splits="...,*,*,*,*->...,:first,:first"),
)
QUANTIZE_DOWN_AND_SHRINK_RANGE = OpDef(
    "QuantizeDownAndShrinkRange",
    "input: Tinput, input_min: float32, input_max: float32 "
    "-> output: out_type, output_min: float32, output_max: float32",
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
    x = c.shape("input", min_rank=2)
    sizes, length = settled(x), c.sizes("bias", rank=1)
    if sizes is not None and length is not None:
        name = "the last size of input and the length of bias"
        x = TensorShape.of((*sizes[:-1], c.same_size(name, sizes[-1], length[0])))
    return [x, SCALAR, SCALAR]


@QUANTIZED_BIAS_ADD.view_kernel
def _quantized_bias_add_kernel(c: KernelContext) -> Kernel:
    def bias_add(
        x: Array, bias: Array, low_x: Array, high_x: Array, low_b: Array, high_b: Array
    ) -> tuple[Array, Array, Array]:
        if x.ndim < 2:
            shape = TensorShape.of(x.shape)
            raise ValueError(f"input must have rank at least 2, got shape {shape}")
        if bias.ndim != 1:
            raise ValueError(f"bias must have rank 1, got shape {list(bias.shape)}")
        c.same_size("the last size of input and the length of bias", x.shape[-1], len(bias))
        of_x = ends(("min_input", "max_input"), low_x, high_x)
        of_bias = ends(("min_bias", "max_bias"), low_b, high_b)
        high = _ROOM_FOR_SUMS * max(-of_x[0], of_x[1], -of_bias[0], of_bias[1])
        parts = [
            _quantized(_in_float32(levels, dtype, *bounds), c.output_dtype, -high, high)
            for levels, dtype, bounds in (
                (x, c.dtype("input"), of_x),
                (bias, c.dtype("bias"), of_bias),
            )
        ]
        zero = level_of(0.0, c.output_dtype, -high, high)
        levels = wrapped(parts[0].astype(np.int64) + parts[1] + zero, c.output_dtype)
        return levels, np.asarray(-high), np.asarray(high)

    return bias_add


def _in_float32(levels: Array, dtype: DType, low: Any, high: Any) -> Array:
    """The numbers that levels stand for, rounded as TensorFlow rounds them."""
    origin, step = line_of_min_first(low, high, *limits(dtype))
    return origin + levels.astype(np.float32) * step


def _quantized(numbers: Array, dtype: DType, low: Any, high: Any) -> Array:
    """The levels that stand for float32 numbers."""
    scale = steps_in_unit(low, high, *limits(dtype))
    return quantized_min_first(numbers, low, scale, *limits(dtype)).astype(dtype.numpy_dtype)


@REQUANTIZE.shape
def _requantize_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max", "requested_output_min", "requested_output_max")
    return [c.shape("input"), SCALAR, SCALAR]


@REQUANTIZE.view_kernel
def _requantize_kernel(c: KernelContext) -> Kernel:
    in_new_range = _requantizing(c)

    def requantize(
        x: Array, low: Array, high: Array, new_low: Array, new_high: Array
    ) -> tuple[Array, Array, Array]:
        old = ends(("input_min", "input_max"), low, high)
        new = ends(("requested_output_min", "requested_output_max"), new_low, new_high)
        if not new[0] <= 0:
            raise ValueError(f"requested_output_min must be at most 0, got {new[0]}")
        if not new[1] >= new[0]:
            raise ValueError(
                f"requested_output_max must be at least requested_output_min, got {new[1]} and "
                f"{new[0]}"
            )
        return in_new_range(x, old, new), new_low, new_high

    return requantize


def _requantizing(c: KernelContext) -> Callable[[Array, Ends, Ends], Array]:
    """Conversion of levels of `input`'s dtype from one range to another."""
    dtype, new_dtype = c.dtype("input"), c.output_dtype
    if (dtype.name, new_dtype.name) == ("qint32", "quint8"):
        return _requantized_to_bytes

    def in_new_range(x: Array, old: Ends, new: Ends) -> Array:
        return _quantized(_in_float32(x, dtype, *old), new_dtype, *new)

    return in_new_range


def _requantized_to_bytes(x: Array, old: Ends, new: Ends) -> Array:
    """qint32 as quint8, in whole numbers of which 2**16 are a step, as in TensorFlow."""
    (low, high), (new_low, new_high) = old, new
    reach = new_high - new_low
    if reach == 0:
        scale = offset = np.int64(0)
    else:
        scale = _whole(255.0 * 2**16 * float(high - low) / float(reach))
        middle = np.float32(float(low + high) / 2) * np.float32(255 / float(reach))
        origin = 255.0 * 2**16 * float(new_low) / float(reach)
        offset = _whole(middle * np.float32(2**16)) - _whole(origin)
    parts = ((x.astype(np.int64) * scale) >> 32) + offset + 2**15
    return np.asarray(np.clip(parts >> 16, 0, 255), np.uint8)


def _whole(number: Any) -> Any:
    """A number without its fraction, as C++ converts it."""
    return np.float64(number).astype(np.int64)


@REQUANTIZATION_RANGE.shape
def _requantization_range_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max")
    return [SCALAR, SCALAR]


@REQUANTIZATION_RANGE.view_kernel
def _requantization_range_kernel(c: KernelContext) -> Kernel:
    dtype = c.dtype("input")

    def requantization_range(x: Array, low: Array, high: Array) -> tuple[Array, Array]:
        bounds = ends(("input_min", "input_max"), low, high)
        return _used_range(x, dtype, bounds)

    return requantization_range


def _used_range(x: Array, dtype: DType, bounds: Ends) -> tuple[Array, Array]:
    """The ends of the range that the levels in `x` take, with 0; of nothing, the ends swapped."""
    lowest, highest = limits(dtype)
    levels = np.array([x.min(initial=highest), x.max(initial=lowest)])
    low, high = numbers_of(levels, dtype, *bounds).astype(np.float32)
    return np.asarray(min(low, np.float32(0))), np.asarray(high)


@QUANTIZE_DOWN_AND_SHRINK_RANGE.shape
def _quantize_down_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "input_min", "input_max")
    return [c.shape("input"), SCALAR, SCALAR]


@QUANTIZE_DOWN_AND_SHRINK_RANGE.view_kernel
def _quantize_down_kernel(c: KernelContext) -> Kernel:
    in_new_range = _requantizing(c)

    def quantize_down(x: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
        old = ends(("input_min", "input_max"), low, high)
        new_low, new_high = _used_range(x, c.dtype("input"), old)
        return in_new_range(x, old, (new_low[()], new_high[()])), new_low, new_high

    return quantize_down


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


@QUANTIZED_RESHAPE.view_kernel
def _quantized_reshape_kernel(c: KernelContext) -> Kernel:
    factory: Any = RESHAPE.kernel_factory
    reshape = factory(c)

    def quantized_reshape(
        x: Array, shape: Array, low: Array, high: Array
    ) -> tuple[Array, Array, Array]:
        ends(("input_min", "input_max"), low, high)
        return reshape(x, shape), low, high

    return quantized_reshape
