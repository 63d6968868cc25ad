"""Layers of quantized networks on integers with a range.

The arithmetic is that of TensorFlow's reference kernels: products and sums are exact, and carry a
range that says what a level is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.sliding_windows import sliding
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.gemm import multiply
from ..conv.convolution import convolved
from ..conv.convolution_rules import check_ranks, conv_sizes, conv_sliding
from ..conv.pooling_rules import elements_seen, lowest, pool_windows, pooled, pooled_sizes
from .quantized_arithmetic import (
    SCALE_TYPES,
    centred,
    check_scalars,
    ends,
    level_of,
    range_of_products,
    wrapped,
)
from .quantized_ranges import limits

QUANTIZED_CONV_2D = OpDef(
    "QuantizedConv2D",
    "input: Tinput, filter: Tfilter, min_input: float32, max_input: float32, "
    "min_filter: float32, max_filter: float32 "
    "-> output: out_type, min_output: float32, max_output: float32",
    f"Tinput: {SCALE_TYPES}, Tfilter: {SCALE_TYPES}, out_type: {SCALE_TYPES} = qint32, "
    "strides: list(int32), padding: {'SAME', 'VALID'}, dilations: list(int32) = [1, 1, 1, 1]",
    traits=Traits(splits="n*,*,*,*,*,*->n*,*:first,*:first"),
)
QUANTIZED_MAT_MUL = OpDef(
    "QuantizedMatMul",
    "a: T1, b: T2, min_a: float32, max_a: float32, min_b: float32, max_b: float32 "
    "-> out: Toutput, min_out: float32, max_out: float32",
    f"T1: {SCALE_TYPES}, T2: {SCALE_TYPES}, Toutput: {SCALE_TYPES} = qint32, "
    "transpose_a: bool = false, transpose_b: bool = false, "
    f"Tactivation: {SCALE_TYPES} = quint8",
)


@QUANTIZED_CONV_2D.shape
def _quantized_conv_2d_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_input", "max_input", "min_filter", "max_filter")
    image: Any = c.shape("input", rank=4).sizes
    filters: Any = c.shape("filter", rank=4).sizes
    return [TensorShape.of(conv_sizes(conv_sliding(c, 4), image, filters)), SCALAR, SCALAR]


@QUANTIZED_CONV_2D.view_kernel
def _quantized_conv_2d_kernel(c: KernelContext) -> Kernel:
    slide = conv_sliding(c, 4)

    def conv(
        x: Array, filters: Array, low_x: Array, high_x: Array, low_f: Array, high_f: Array
    ) -> tuple[Array, Array, Array]:
        check_ranks(4, input=x, filter=filters)
        if not x.size or not filters.size:
            raise ValueError(
                f"input and filter must not be empty, got shapes {x.shape}, {filters.shape}"
            )
        conv_sizes(slide, x.shape, filters.shape)
        of_x = ends(("min_input", "max_input"), low_x, high_x)
        of_filters = ends(("min_filter", "max_filter"), low_f, high_f)
        sums = convolved(
            centred(x, c.dtype("input"), *of_x),
            centred(filters, c.dtype("filter"), *of_filters),
            slide.windows(filters.shape[:2]),
            _margin(x, level_of(0.0, c.dtype("input"), *of_x)),
        )
        low, high = range_of_products(c, ("input", "filter"), of_x, of_filters)
        return wrapped(sums, c.output_dtype), low, high

    return conv


def _margin(x: Array, zero: int) -> int:
    """Padding value relative to the zero point; a byte if the zero point is above the range.

    TensorFlow takes the lowest bits of it.
    """
    return int(np.int64(zero).astype(x.dtype)) - zero if zero > np.iinfo(x.dtype).max else 0


@QUANTIZED_MAT_MUL.shape
def _quantized_mat_mul_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_a", "max_a", "min_b", "max_b")
    a: Any = c.shape("a", rank=2).sizes
    b: Any = c.shape("b", rank=2).sizes
    rows, inner = a[::-1] if c.attr("transpose_a") else a
    also_inner, columns = b[::-1] if c.attr("transpose_b") else b
    c.same_size("the inner sizes of a and b", inner, also_inner)
    return [TensorShape.of((rows, columns)), SCALAR, SCALAR]


@QUANTIZED_MAT_MUL.view_kernel
def _quantized_mat_mul_kernel(c: KernelContext) -> Kernel:
    def mat_mul(
        a: Array, b: Array, low_a: Array, high_a: Array, low_b: Array, high_b: Array
    ) -> tuple[Array, Array, Array]:
        check_ranks(2, a=a, b=b)
        a = a.T if c.attr("transpose_a") else a
        b = b.T if c.attr("transpose_b") else b
        c.same_size("the inner sizes of a and b", a.shape[1], b.shape[0])
        of_a = ends(("min_a", "max_a"), low_a, high_a)
        of_b = ends(("min_b", "max_b"), low_b, high_b)
        for name, (low, high) in (("a", of_a), ("b", of_b)):
            if not low < high:
                raise ValueError(f"min_{name} must be less than max_{name}, got {low} and {high}")
        sums = multiply(centred(a, c.dtype("a"), *of_a), centred(b, c.dtype("b"), *of_b))
        return wrapped(sums, c.output_dtype), *range_of_products(c, ("a", "b"), of_a, of_b)

    return mat_mul


_ACTIVATION = (
    "features: Tinput, min_features: float32, max_features: float32 "
    "-> activations: out_type, min_activations: float32, max_activations: float32"
)
_ACTIVATION_TYPES = f"Tinput: {SCALE_TYPES}, out_type: {SCALE_TYPES} = quint8"
QUANTIZED_RELU = OpDef(
    "QuantizedRelu",
    _ACTIVATION,
    _ACTIVATION_TYPES,
    traits=Traits(splits="...,*,*->...,:first,:first"),
)
QUANTIZED_RELU_6 = OpDef(
    "QuantizedRelu6",
    _ACTIVATION,
    _ACTIVATION_TYPES,
    traits=Traits(splits="...,*,*->...,:first,:first"),
)
QUANTIZED_RELU_X = OpDef(
    "QuantizedReluX",
    _ACTIVATION.replace("features: Tinput,", "features: Tinput, max_value: float32,"),
    _ACTIVATION_TYPES,
    traits=Traits(splits="...,*,*,*->...,:first,:first"),
)


@QUANTIZED_RELU.shape
@QUANTIZED_RELU_6.shape
def _quantized_relu_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_features", "max_features")
    return [c.shape("features"), SCALAR, SCALAR]


@QUANTIZED_RELU_X.shape
def _quantized_relu_x_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "max_value", "min_features", "max_features")
    return [c.shape("features"), SCALAR, SCALAR]


@QUANTIZED_RELU.view_kernel
@QUANTIZED_RELU_6.view_kernel
@QUANTIZED_RELU_X.view_kernel
def _quantized_relu_kernel(c: KernelContext) -> Kernel:
    dtype, result_dtype = c.dtype("features"), c.output_dtype.numpy_dtype
    highest = 6.0 if c.node.definition is QUANTIZED_RELU_6 else None
    lowest, most = limits(dtype)

    def level(number: float, bounds: tuple[Any, Any]) -> Any:
        inside = min(max(level_of(number, dtype, *bounds), lowest), most)
        return dtype.numpy_dtype.type(inside)

    def between(
        x: Array, highest: float | None, low: Array, high: Array
    ) -> tuple[Array, Array, Array]:
        bounds = ends(("min_features", "max_features"), low, high)
        # Of one number NumPy would take ten times as long.
        levels = np.maximum(x, np.full(x.shape, level(0.0, bounds)))
        if highest is not None:
            levels = np.minimum(levels, np.full(x.shape, level(highest, bounds)))
        return np.asarray(levels, result_dtype), low, high

    def relu(x: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
        return between(x, highest, low, high)

    def relu_x(x: Array, most: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
        if most.ndim:
            raise ValueError(f"max_value must be a scalar, got shape {list(most.shape)}")
        return between(x, float(most), low, high)

    return relu_x if c.node.definition is QUANTIZED_RELU_X else relu


_POOL = (
    "input: T, min_input: float32, max_input: float32 "
    "-> output: T, min_output: float32, max_output: float32"
)
_POOL_ATTRS = (
    f"T: {SCALE_TYPES}, ksize: list(int32), strides: list(int32), padding: {{'SAME', 'VALID'}}"
)
QUANTIZED_MAX_POOL = OpDef(
    "QuantizedMaxPool", _POOL, _POOL_ATTRS, traits=Traits(splits="n*,*,*->n*,*:first,*:first")
)
QUANTIZED_AVG_POOL = OpDef(
    "QuantizedAvgPool", _POOL, _POOL_ATTRS, traits=Traits(splits="n*,*,*->n*,*:first,*:first")
)


@QUANTIZED_MAX_POOL.shape
@QUANTIZED_AVG_POOL.shape
def _quantized_pool_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min_input", "max_input")
    sizes: Any = c.shape("input", rank=4).sizes
    windows = pool_windows(c.attr("ksize"), sliding(c, 4))
    return [TensorShape.of(pooled_sizes(windows, sizes)), SCALAR, SCALAR]


@QUANTIZED_MAX_POOL.view_kernel
def _quantized_max_pool_kernel(c: KernelContext) -> Kernel:
    windows = pool_windows(c.attr("ksize"), sliding(c, 4))

    def pool(x: Array) -> Array:
        return pooled(x, windows, np.maximum, lowest(x.dtype))

    return _keeping_range(pool)


@QUANTIZED_AVG_POOL.view_kernel
def _quantized_avg_pool_kernel(c: KernelContext) -> Kernel:
    windows = pool_windows(c.attr("ksize"), sliding(c, 4))

    def pool(x: Array) -> Array:
        total = pooled(x.astype(np.int64), windows, np.add, 0)
        count: Any = 1
        for factor in elements_seen(x.shape, windows):
            count = count * factor
        return np.asarray(np.sign(total) * (np.absolute(total) // count)).astype(x.dtype)

    return _keeping_range(pool)


def _keeping_range(pool: Callable[[Array], Array]) -> Kernel:
    def kernel(x: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
        ends(("min_input", "max_input"), low, high)
        return pool(x), low, high

    return kernel
