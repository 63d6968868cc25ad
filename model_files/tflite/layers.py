"""Convolutions, products and pooling of TensorFlow Lite.

Where inputs, weights and results are quantized, a product is one of integers that floats hold
exactly, and only its result is multiplied by the scales. Weights that only are quantized, while
inputs and results are floats, are multiplied by their scales before.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule, apply
from .flatbuffer import MalformedError

_SAME, _VALID = 1, 2  # in options of custom ops


def _product(
    c: Call, of: Callable[[Tensor, Tensor], Tensor], x: int = 0, w: int = 1, bias: int = 2
) -> Tensor:
    """A product of two inputs, and a bias, whose channels are the last dimension."""
    inputs, weights = c.info(x).quantization, c.info(w).quantization
    if not (inputs and weights and c.out().quantization):
        result = of(c.real(x), c.real(w))
        return apply("BiasAdd", result, c.real(bias)) if c.has(bias) else result
    result = of(c.steps(x), c.steps(w))
    if c.has(bias):
        result = apply("BiasAdd", result, apply("Cast", c.stored(bias), DstT=dtypes.float32))
    scale = inputs.scale * weights.scale
    return apply("Mul", result, scale if scale.size > 1 else scale.reshape(()))


def _conv_2d(c: Call) -> Tensor:
    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return apply(
            "Conv2D",
            x,
            apply("Transpose", w, np.array([1, 2, 3, 0], np.int32)),
            strides=[1, *c.sizes("stride_h", "stride_w"), 1],
            padding=c.padding,
            dilations=[1, *c.sizes("dilation_h", "dilation_w"), 1],
        )

    return c.activate(_product(c, convolved))


def _depthwise_conv_2d(c: Call) -> Tensor:
    [multiplier] = c.sizes("depth_multiplier")
    channels = c[0].shape[3].value
    shape = c.shape(1)
    if channels:  # what the option says is not always true
        multiplier = shape[3] // channels

    def convolved(x: Tensor, w: Tensor) -> Tensor:
        kernel = np.array([*shape[1:3], shape[3] // multiplier, multiplier], np.int32)
        return apply(
            "DepthwiseConv2dNative",
            x,
            apply("Reshape", w, kernel),
            strides=[1, *c.sizes("stride_h", "stride_w"), 1],
            padding=c.padding,
            dilations=[1, *c.sizes("dilation_h", "dilation_w"), 1],
        )

    if len(shape) != 4 or multiplier < 1:
        raise MalformedError(f"weights of shape {shape} do not fit {channels} channels")
    return c.activate(_product(c, convolved))


def _transposed(c: Call, sizes: Any, strides: list[int], padding: str) -> Any:
    def convolved(x: Tensor, w: Tensor) -> Tensor:
        kernel = apply("Transpose", w, np.array([1, 2, 0, 3], np.int32))
        return apply(
            "Conv2DBackpropInput",
            *(sizes, kernel, x),
            strides=[1, *strides, 1],
            padding=padding,
        )

    return convolved


def _transpose_conv(c: Call) -> Tensor:
    convolved = _transposed(c, c[0], c.sizes("stride_h", "stride_w"), c.padding)
    return c.activate(_product(c, convolved, 2, 1, 3))


def _transpose_conv_bias(c: Call) -> Tensor:
    """The custom op of MediaPipe: input, weights, bias."""
    if len(c.op.custom) < 12:
        raise MalformedError(f"its options have {len(c.op.custom)} bytes, where 12 are due")
    padding, stride_w, stride_h = struct.unpack_from("<3i", c.op.custom)
    if padding not in (_SAME, _VALID) or min(stride_w, stride_h) < 1:
        raise MalformedError(f"its padding and strides are {(padding, stride_w, stride_h)}")
    batch, height, width, _ = c.shape(0)
    filters, rows, columns, _ = c.shape(1)
    more = (0, 0) if padding == _SAME else (rows - stride_h, columns - stride_w)
    sizes = [batch, height * stride_h + more[0], width * stride_w + more[1], filters]
    name = "SAME" if padding == _SAME else "VALID"
    return _product(c, _transposed(c, np.array(sizes, np.int32), [stride_h, stride_w], name))


def _conv_3d(c: Call) -> Tensor:
    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return apply("Conv3D", x, w, padding=c.padding, **_steps_3d(c))

    return c.activate(_product(c, convolved))


def _conv_3d_transpose(c: Call) -> Tensor:
    def convolved(x: Tensor, w: Tensor) -> Tensor:
        return apply("Conv3DBackpropInputV2", c[0], w, x, padding=c.padding, **_steps_3d(c))

    return c.activate(_product(c, convolved, 2, 1, 3))


def _steps_3d(c: Call) -> dict[str, list[int]]:
    strides, dilations = ([f"{name}_{axis}" for axis in "dhw"] for name in ("stride", "dilation"))
    return {"strides": [1, *c.sizes(*strides), 1], "dilations": [1, *c.sizes(*dilations), 1]}


def _fully_connected(c: Call) -> Tensor:
    if c.option("weights_format", 0):
        raise MalformedError("its weights are shuffled: not supported")
    outputs, inputs = c.shape(1)
    shape = c[0].shape.as_list()

    def multiplied(x: Tensor, w: Tensor) -> Tensor:
        if len(shape) != 2 or shape[1] != inputs:
            x = apply("Reshape", x, np.array([-1, inputs], np.int32))
        return apply("MatMul", x, w, transpose_b=True)

    result = c.activate(_product(c, multiplied))
    if not c.option("keep_num_dims", False) or len(shape) == 2:
        return result
    if None not in shape[:-1]:
        return apply("Reshape", result, np.array([*shape[:-1], outputs], np.int32))
    leading = apply("Slice", apply("Shape", c[0]), [0], [len(shape) - 1])
    ends = apply("ConcatV2", [leading, np.array([outputs], np.int32)], np.int32(0))
    return apply("Reshape", result, ends)


def _batch_matmul(c: Call) -> Tensor:
    adjoint = {"adj_x": c.option("adj_x", False), "adj_y": c.option("adj_y", False)}

    def multiplied(x: Tensor, y: Tensor) -> Tensor:
        return apply("BatchMatMulV2", x, y, **adjoint)

    return _product(c, multiplied)


def _pool(c: Call, op_type: str, x: Tensor) -> Tensor:
    return apply(
        op_type,
        x,
        ksize=[1, *c.sizes("filter_height", "filter_width"), 1],
        strides=[1, *c.sizes("stride_h", "stride_w"), 1],
        padding=c.padding,
    )


def _average_pool(c: Call) -> Tensor:
    return c.activate(_pool(c, "AvgPool", c[0]))


def _max_pool(c: Call) -> Tensor:
    if not c.is_stored:
        return c.activate(_pool(c, "MaxPool", c[0]))
    return _pool(c, "MaxPool", c[0])


def _l2_pool(c: Call) -> Tensor:
    return c.activate(apply("Sqrt", _pool(c, "AvgPool", apply("Square", c[0]))))


def _resize(op_type: str, c: Call) -> Tensor:
    return apply(
        op_type,
        c[0],
        c[1],
        align_corners=c.option("align_corners", False),
        half_pixel_centers=c.option("half_pixel_centers", False),
    )


def _embedding_lookup(c: Call) -> Tensor:
    return apply("GatherV2", c[1], c[0], np.int32(0))


RULES = {
    "AVERAGE_POOL_2D": Rule(_average_pool),
    "BATCH_MATMUL": Rule(_batch_matmul),
    "CONV_2D": Rule(_conv_2d),
    "CONV_3D": Rule(_conv_3d),
    "CONV_3D_TRANSPOSE": Rule(_conv_3d_transpose),
    "DEPTHWISE_CONV_2D": Rule(_depthwise_conv_2d),
    "EMBEDDING_LOOKUP": Rule(_embedding_lookup),
    "FULLY_CONNECTED": Rule(_fully_connected),
    "L2_POOL_2D": Rule(_l2_pool),
    "MAX_POOL_2D": Rule(_max_pool, moves=True),
    "RESIZE_BILINEAR": Rule(partial(_resize, "ResizeBilinear")),
    "RESIZE_NEAREST_NEIGHBOR": Rule(partial(_resize, "ResizeNearestNeighbor"), moves=True),
    "TRANSPOSE_CONV": Rule(_transpose_conv),
}
CUSTOM = {"Convolution2DTransposeBias": Rule(_transpose_conv_bias)}
