"""Gradients of normalization in `ops/nn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops.array.casting import cast
from ...ops.array.constants import identity
from ...ops.array.reshaping import reshape
from ...ops.math.arithmetic import add, multiply, square, subtract
from ...ops.math.exponentials import rsqrt
from ...ops.math.reductions import reduce_mean, reduce_sum
from ...protos.dtypes import float32
from ..backpropagation import backpropagate
from ..kit.rule_tables import attrs_of, gradient_of, raw
from ..kit.static_knowledge import constant_like

if TYPE_CHECKING:
    from ...graph.node import Operation, Tensor

_ATTRS = ("epsilon", "data_format", "is_training")


@gradient_of("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _fused_batch_norm(op: Operation, gradient: Tensor | None, *unread: object) -> Any:
    """In training, mean and variance are those of x, and nothing depends on what is given."""
    if gradient is None:
        return [None] * 5
    x, scale, _, mean, variance = op.inputs
    version = op.type.removeprefix("FusedBatchNorm")
    known = list(op.outputs[3:]) if op.get_attr("is_training") else [mean, variance]
    if version == "V3":
        known = [*known[:2], op.outputs[5]]
    results = raw(f"FusedBatchNormGrad{version}")(
        gradient, x, scale, *known, **attrs_of(op, *_ATTRS)
    )
    return [*results[:3], None, None]


@gradient_of("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _fused_batch_norm_grad(op: Operation, *gradients: Tensor | None) -> Any:
    """What the op computes is made of ops that have gradients, and these are taken."""
    xs = [identity(tensor) for tensor in op.inputs[:5]]
    ys, seeds = [], []
    for y, seed in zip(_of_parts(op, *xs), gradients, strict=False):
        if seed is not None:
            ys.append(y)
            seeds.append(seed)
    results = backpropagate(ys, xs[:3], seeds)
    return [*results, *[None] * (len(op.inputs) - 3)]


def _of_parts(
    op: Operation, given: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor
) -> list[Tensor]:
    """The gradients for x, scale and offset, of elementwise ops and sums."""
    data_format = op.get_attr("data_format").decode()
    channels = data_format.index("C")
    rest = [axis for axis in range(len(data_format)) if axis != channels]
    shape = [1 if axis in rest else -1 for axis in range(len(data_format))]
    dtype = x.dtype
    given, x = (cast(tensor, float32) for tensor in (given, x))

    def average(tensor: Tensor) -> Tensor:
        return reduce_mean(tensor, rest, keep_dims=True)

    if op.get_attr("is_training"):
        centred = subtract(x, average(x))
        variance = average(square(centred))
    else:
        centred = subtract(x, reshape(mean, shape))
        variance = reshape(variance, shape)
    epsilon = constant_like(np.float32(op.get_attr("epsilon")), variance)
    factor = rsqrt(add(variance, epsilon))
    back = given
    if op.get_attr("is_training"):
        along = multiply(average(multiply(given, centred)), square(factor))
        back = subtract(subtract(given, average(given)), multiply(centred, along))
    return [
        cast(multiply(back, multiply(reshape(scale, shape), factor)), dtype),
        reduce_sum(multiply(given, multiply(centred, factor)), rest),
        reduce_sum(given, rest),
    ]


@gradient_of("LRN")
def _lrn(op: Operation, gradient: Tensor) -> Tensor:
    attrs = attrs_of(op, "depth_radius", "bias", "alpha", "beta")
    return raw("LRNGrad")(gradient, op.inputs[0], op.outputs[0], **attrs)  # type: ignore[no-any-return]
