"""Gradients of normalization in `ops/nn`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import zeros_like
from ...ops.array.reshape import reshape
from ...ops.math.arithmetic import add, subtract
from ...ops.math.exponentials import rsqrt
from ...ops.math.reductions import reduce_mean, reduce_sum
from ...protos.dtypes import float32
from ..common.rule_tables import attrs_of, gradient_of, raw, raw_results, undefined
from ..common.static_facts import constant_like

_ATTRS = ("epsilon", "data_format", "is_training")


@gradient_of("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _fused_batch_norm(op: Operation, gradient: Tensor | None, *unread: object) -> Any:
    """In training, mean and variance are those of x; the given ones are unused."""
    if gradient is None:
        return [None] * 5
    x, scale, _, mean, variance = op.inputs
    version = op.type.removeprefix("FusedBatchNorm")
    known = list(op.outputs[3:]) if op.get_attr("is_training") else [mean, variance]
    if version == "V3":
        known = [*known[:2], op.outputs[5]]
    results = raw_results(f"FusedBatchNormGrad{version}")(
        gradient, x, scale, *known, **attrs_of(op, *_ATTRS)
    )
    return [*results[:3], None, None]


@gradient_of("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _fused_batch_norm_grad(
    op: Operation,
    for_x: Tensor | None,
    for_scale: Tensor | None,
    for_offset: Tensor | None,
    *unread: object,
) -> Any:
    """The op is linear in its first input g; u, p and q are the gradients of its results.

    With c for x less its mean, f for 1 / sqrt(variance + epsilon), and m for means over a channel,
    in training the op gives `scale f (g - m(g) - c f² m(g c))`, `f sum(g c)` and `sum(g)`.
    """
    data_format = op.get_attr("data_format").decode()
    channels = data_format.index("C")
    rest = [axis for axis in range(len(data_format)) if axis != channels]
    shape = [1 if axis in rest else -1 for axis in range(len(data_format))]
    training = op.get_attr("is_training")
    dtype = op.inputs[1].dtype.base_dtype
    g, x = (cast(tensor, float32) for tensor in op.inputs[:2])
    scale, mean, variance = (reshape(tensor, shape) for tensor in op.inputs[2:5])
    u = zeros_like(g) if for_x is None else cast(for_x, float32)
    p, q = (
        zeros_like(scale) if tensor is None else reshape(tensor, shape)
        for tensor in (for_scale, for_offset)
    )

    def m(tensor: Tensor) -> Tensor:
        return reduce_mean(tensor, rest, keep_dims=True)

    c = subtract(x, mean)
    f = rsqrt(add(variance, constant_like(np.float32(op.get_attr("epsilon")), variance)))
    slope = scale * f
    if not training:
        for_g = slope * u + p * f * c + q
        return (
            cast(for_g, dtype),
            cast(p * f * g, dtype),
            reduce_sum(f * u * g, rest),
            *[None] * (len(op.inputs) - 3),
        )
    g0, u0, cube = g - m(g), u - m(u), f * f * f
    a, b, d = m(g * c), m(u * c), m(u * g0)
    for_g = slope * (u0 - f * f * b * c) + p * f * c + q
    of_f = scale * (d - constant_like(3, f) * f * f * a * b) + p * a
    from_x = (p * f - scale * cube * b) * g0 - scale * cube * a * u0 - cube * of_f * c
    return (
        cast(for_g, dtype),
        cast(from_x, dtype),
        reduce_sum(f * (u * g0 - f * f * a * u * c), rest),
        *[None] * (len(op.inputs) - 3),
    )


@gradient_of("LRN")
def _lrn(op: Operation, gradient: Tensor) -> Tensor:
    attrs = attrs_of(op, "depth_radius", "bias", "alpha", "beta")
    return raw("LRNGrad")(gradient, op.inputs[0], op.outputs[0], **attrs)


# TensorFlow has none either.
undefined("it is itself the gradient of LRN", "LRNGrad")


@gradient_of("BatchNormWithGlobalNormalization")
def _batch_norm_with_global_normalization(op: Operation, gradient: Tensor) -> Any:
    t, mean, variance, _, gamma = op.inputs
    attrs = attrs_of(op, "variance_epsilon", "scale_after_normalization")
    for_t, for_mean, for_variance, for_beta, for_gamma = raw_results(f"{op.type}Grad")(
        t, mean, variance, gamma, gradient, **attrs
    )
    return for_t, for_mean, for_variance, for_beta, for_gamma


undefined(
    "only graphs of TensorFlow before 0.9 hold it, which had none of the second order",
    "BatchNormWithGlobalNormalizationGrad",
)
