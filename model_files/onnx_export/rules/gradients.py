"""Gradient ops that are left in graphs: of activations, pools, convolutions, normalizations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..writing.calls import Call, First
from ..writing.registry import rule
from ..writing.values import Value
from .conv import image_of, maxima_of, padding_of

_ANY = {"any_order": True}


@rule("TanhGrad", **_ANY, nodes="Mul, Sub")
def _tanh(c: Call) -> Value:
    y, dy = c.inputs
    return dy * (1 - y * y)


@rule("SigmoidGrad", **_ANY, nodes="Mul, Sub")
def _sigmoid(c: Call) -> Value:
    y, dy = c.inputs
    return dy * y * (1 - y)


@rule("SqrtGrad", **_ANY, nodes="Mul, Div")
def _sqrt(c: Call) -> Value:
    y, dy = c.inputs
    return dy * 0.5 / y


@rule("RsqrtGrad", **_ANY, nodes="Mul")
def _rsqrt(c: Call) -> Value:
    y, dy = c.inputs
    return dy * -0.5 * (y * y * y)


@rule("ReciprocalGrad InvGrad", **_ANY, nodes="Mul")
def _reciprocal(c: Call) -> Value:
    y, dy = c.inputs
    return -dy * y * y


@rule("ReluGrad", **_ANY, nodes="Greater, Where")
def _relu(c: Call) -> Value:
    dy, x = c.inputs
    return c.where(x > 0, dy, 0)


@rule("Relu6Grad", **_ANY, nodes="Greater, Less, Where")
def _relu6(c: Call) -> Value:
    dy, x = c.inputs
    return c.where((x > 0) & (x < 6), dy, 0)


@rule("LeakyReluGrad", **_ANY, nodes="Greater, Where")
def _leaky_relu(c: Call) -> Value:
    dy, x = c.inputs
    return c.where(x > 0, dy, dy * float(c.attr("alpha", 0.2)))


@rule("EluGrad", **_ANY, nodes="Less, Where")
def _elu(c: Call) -> Value:
    dy, y = c.inputs
    return c.where(y < 0, (y + 1) * dy, dy)


@rule("SeluGrad", **_ANY, nodes="Less, Where")
def _selu(c: Call) -> Value:
    dy, y = c.inputs
    scale, scaled_alpha = 1.0507009873554805, 1.7580993408473768
    return c.where(y < 0, dy * (y + scaled_alpha), dy * scale)


@rule("SoftplusGrad", **_ANY, nodes="Exp, Div")
def _softplus(c: Call) -> Value:
    dy, x = c.inputs
    return dy / (c.node("Exp", -x) + 1)


@rule("SoftsignGrad", **_ANY, nodes="Abs, Div")
def _softsign(c: Call) -> Value:
    dy, x = c.inputs
    wide = c.node("Abs", x) + 1
    return dy / (wide * wide)


@rule("BiasAddGrad", nodes="ReduceSum")
def _bias_add(c: Call) -> Value:
    rank = c.rank()
    at = 1 if c.attr("data_format", "NHWC").startswith("NC") else rank - 1
    return c.reduce("ReduceSum", c.x, [i for i in range(rank) if i != at])


@rule("MaxPoolGrad", nodes="MaxPool, ScatterElements", since=16)
def _max_pool(c: Call) -> Any:
    image = image_of(c)
    _, places = maxima_of(c, image)
    flat = c.reshape(c.zeros(c.shape_of(image.value), c.dtype()), [-1])
    grad = c.first(2) if image.result is First else c.inputs[2]
    total = c.node(
        "ScatterElements", flat, c.reshape(places, [-1]), c.reshape(grad, [-1]), reduction="add"
    )
    return image.result(c.reshape(total, c.shape_of(image.value)))


@rule("LRNGrad", nodes="Conv, Pow, Mul")
def _lrn(c: Call) -> First:
    grad, x, y = c.first(0), c.first(1), c.first(2)
    radius = int(c.attr("depth_radius", 5))
    alpha, beta = float(c.attr("alpha", 1.0)), float(c.attr("beta", 0.5))
    channels = (c.shape(1) or (None,))[-1]
    if channels is None:
        c.refuse("the number of channels is not known")
    distance = np.abs(np.subtract.outer(np.arange(channels), np.arange(channels)))
    band = c.constant((distance <= radius)[..., None, None], x.dtype)
    norm = c.node("Conv", x * x, band) * alpha + float(c.attr("bias", 1.0))
    around = c.node("Conv", grad * y / norm, band)
    power = c.node("Pow", norm, c.like(-beta, norm))
    return First(grad * power - x * around * (2 * alpha * beta))


@rule("Conv2DBackpropFilter", nodes="Conv")
def _conv_filter(c: Call) -> Value:
    image = image_of(c)
    sizes = c.required(1, "the shape of the filters")
    kernel = [int(size) for size in sizes[:2]]
    strides = image.spatial(c.attr("strides"))
    dilations = image.spatial(c.attr("dilations") or [])
    if None in image.sizes:
        c.refuse("the spatial sizes must be known")
    channels = (c.shape(0) or (None,))[1 if image.result is not First else -1]
    if channels != int(sizes[2]):
        c.refuse("the gradient of filters of groups")
    pads = padding_of(c, image, kernel, strides, dilations).get("pads", [0] * 4)
    grad = c.first(2) if image.result is First else c.inputs[2]
    # The images take the place of the channels, and the gradients that of the filters.
    result = c.node(
        "Conv",
        c.transpose(image.value, [1, 0, 2, 3]),
        c.transpose(grad, [1, 0, 2, 3]),
        pads=pads,
        strides=dilations,
        dilations=strides,
    )
    result = c.slice(result, [0, 0], kernel, [2, 3])
    return c.transpose(result, [2, 3, 0, 1])


@rule("BroadcastGradientArgs")
def _gradient_args(c: Call) -> Any:
    c.refuse("the shapes are computed in the graph, and ONNX needs constants")
