"""Gradients of `ops/conv`: convolutions, pooling, patches."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros_like
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape
from ...ops.array.stack import stack, unstack
from ...ops.array.transpose import transpose
from ...ops.math.segments import unsorted_segment_sum
from ...protos.dtypes import float64, int32
from ..common.rule_tables import attrs_of, gradient_of, raw, undefined
from ..common.static_facts import known_sizes, shape_of

_SLIDING = (
    "strides",
    "padding",
    "explicit_paddings",
    "use_cudnn_on_gpu",
    "data_format",
    "dilations",
)
_POOLING = ("ksize", "strides", "padding", "explicit_paddings", "data_format")


def _convolution(forward: str, to_input: str, to_filter: str) -> None:
    """Registers a convolution and both its gradients, each made of the other two."""

    @gradient_of(forward)
    def forwards(op: Operation, gradient: Tensor) -> Any:
        x, filters = op.inputs
        attrs = attrs_of(op, *_SLIDING)
        return (
            lambda: raw(to_input)(shape_of(x), filters, gradient, **attrs),
            lambda: raw(to_filter)(x, shape_of(filters), gradient, **attrs),
        )

    @gradient_of(to_input)
    def of_input(op: Operation, gradient: Tensor) -> Any:
        _, filters, pixels = op.inputs
        attrs = attrs_of(op, *_SLIDING)
        return (
            None,
            lambda: raw(to_filter)(gradient, shape_of(filters), pixels, **attrs),
            lambda: raw(forward)(gradient, filters, **attrs),
        )

    @gradient_of(to_filter)
    def of_filter(op: Operation, gradient: Tensor) -> Any:
        x, _, pixels = op.inputs
        attrs = attrs_of(op, *_SLIDING)
        return (
            lambda: raw(to_input)(shape_of(x), gradient, pixels, **attrs),
            None,
            lambda: raw(forward)(x, gradient, **attrs),
        )


_convolution("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
_convolution("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2")
_convolution(
    "DepthwiseConv2dNative",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
)


def _mean_pool(forward: str, backward: str) -> None:
    @gradient_of(forward)
    def forwards(op: Operation, gradient: Tensor) -> Any:
        return raw(backward)(shape_of(op.inputs[0]), gradient, **attrs_of(op, *_POOLING))

    @gradient_of(backward)
    def backwards(op: Operation, gradient: Tensor) -> Any:
        return None, lambda: raw(forward)(gradient, **attrs_of(op, *_POOLING))


_mean_pool("AvgPool", "AvgPoolGrad")
_mean_pool("AvgPool3D", "AvgPool3DGrad")


def _max_pool(forward: str, backward: str, second: str) -> None:
    """Registers a pool of maxima, its gradient and the gradient of that.

    Windows that are inputs come after the arrays.
    """

    @gradient_of(forward)
    def forwards(op: Operation, gradient: Tensor) -> Any:
        x, *windows = op.inputs
        result = raw(backward)(x, op.outputs[0], gradient, *windows, **attrs_of(op, *_POOLING))
        return result, *[None] * len(windows)

    def of_gradient(op: Operation, gradient: Tensor, other: str) -> Any:
        x, y, _, *windows = op.inputs
        attrs = attrs_of(op, *_POOLING)
        attrs.pop("explicit_paddings", None)
        return (
            lambda: zeros_like(x),
            lambda: zeros_like(y),
            lambda: raw(other)(x, y, gradient, *windows, **attrs),
            *[None] * len(windows),
        )

    gradient_of(backward)(lambda op, gradient: of_gradient(op, gradient, second))
    gradient_of(second)(lambda op, gradient: of_gradient(op, gradient, backward))


_max_pool("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad")
_max_pool("MaxPoolV2", "MaxPoolGradV2", "MaxPoolGradGradV2")
_max_pool("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad")


@gradient_of("MaxPoolWithArgmax")
def _max_pool_with_argmax(op: Operation, gradient: Tensor | None, _: object) -> Any:
    if gradient is None:
        return None
    attrs = attrs_of(op, "ksize", "strides", "padding", "include_batch_in_index")
    return raw("MaxPoolGradWithArgmax")(op.inputs[0], gradient, op.outputs[1], **attrs)


@gradient_of("MaxPoolGradWithArgmax")
def _max_pool_grad_with_argmax(op: Operation, gradient: Tensor) -> Any:
    x, _, argmax = op.inputs
    attrs = attrs_of(op, "ksize", "strides", "padding", "include_batch_in_index")
    return (
        lambda: zeros_like(x),
        lambda: raw("MaxPoolGradGradWithArgmax")(x, gradient, argmax, **attrs),
        None,
    )


@gradient_of("MaxPoolGradGradWithArgmax")
def _max_pool_grad_grad_with_argmax(op: Operation, gradient: Tensor) -> Any:
    x, _, argmax = op.inputs
    attrs = attrs_of(op, "ksize", "strides", "padding", "include_batch_in_index")
    return (
        lambda: zeros_like(x),
        lambda: raw("MaxPoolGradWithArgmax")(x, gradient, argmax, **attrs),
        None,
    )


@gradient_of("ExtractImagePatches", "ExtractVolumePatches")
def _extract_patches(op: Operation, gradient: Tensor) -> Tensor:
    """Numbers the positions from 1: the patches of the numbers show where elements came from.

    What a patch has outside of the image is 0, number -1 from 0, which the sum leaves out.
    """
    x = op.inputs[0]
    sizes = known_sizes(x)
    rank = len(op.get_attr("ksizes"))
    batch, *space, channels = unstack(shape(x), rank) if sizes is None else sizes
    attrs = attrs_of(op, "ksizes", "strides", "rates", "padding")
    count: Any = reduce(operator.mul, space)
    image = reshape(cast(arange(1, count + 1), float64), stack([1, *space, 1]))
    places = cast(raw(op.type)(image, **attrs), int32)
    window = int(np.prod(attrs["ksizes"]))
    apart = reshape(gradient, stack([batch, -1, window, channels]))
    by_place = reshape(transpose(apart, [1, 2, 0, 3]), stack([-1, batch * channels]))
    total = unsorted_segment_sum(by_place, reshape(places, [-1]) - 1, count)
    whole = reshape(total, stack([*space, batch, channels]))
    return transpose(whole, [rank - 2, *range(rank - 2), rank - 1])


undefined(
    "TensorFlow took it out in favour of its second version",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
)


@gradient_of("Dilation2D")
def _dilation(op: Operation, gradient: Tensor) -> Any:
    x, filters = op.inputs
    attrs = attrs_of(op, "strides", "rates", "padding")
    return (
        lambda: raw("Dilation2DBackpropInput")(x, filters, gradient, **attrs),
        lambda: raw("Dilation2DBackpropFilter")(x, filters, gradient, **attrs),
    )


@gradient_of("FractionalMaxPool")
def _fractional_max_pool(op: Operation, gradient: Tensor | None, *unread: object) -> Any:
    if gradient is None:
        return None
    attrs = attrs_of(op, "overlapping")
    x, (y, *bounds) = op.inputs[0], op.outputs
    return raw("FractionalMaxPoolGrad")(x, y, gradient, *bounds, **attrs)


@gradient_of("FractionalAvgPool")
def _fractional_avg_pool(op: Operation, gradient: Tensor | None, *unread: object) -> Any:
    if gradient is None:
        return None
    attrs = attrs_of(op, "overlapping")
    sizes = shape_of(op.inputs[0], np.int64)
    return raw("FractionalAvgPoolGrad")(sizes, gradient, *op.outputs[1:], **attrs)


undefined(
    "TensorFlow has none of the second order of these pools and dilations either",
    "Dilation2DBackpropInput",
    "Dilation2DBackpropFilter",
    "FractionalMaxPoolGrad",
    "FractionalAvgPoolGrad",
)
