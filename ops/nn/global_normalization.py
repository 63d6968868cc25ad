"""Normalization by given statistics, an op of TensorFlow before 0.9, and its gradient.

The public function is made of other ops, as in TensorFlow 1.x; graphs of older versions hold these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.call_forms import renamed
from ..common.elementwise import FLOATS
from .normalization import batch_normalization

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td.nn": "batch_norm_with_global_normalization"}

_ATTRS = f"T: {{{FLOATS}}}, variance_epsilon: float, scale_after_normalization: bool"
BATCH_NORM_WITH_GLOBAL_NORMALIZATION = OpDef(
    "BatchNormWithGlobalNormalization", "t: T, m: T, v: T, beta: T, gamma: T -> result: T", _ATTRS
)
BATCH_NORM_WITH_GLOBAL_NORMALIZATION_GRAD: OpDef[Results] = OpDef(
    "BatchNormWithGlobalNormalizationGrad",
    "t: T, m: T, v: T, gamma: T, backprop: T -> dx: T, dm: T, dv: T, db: T, dg: T",
    _ATTRS,
)


def _sizes(c: ShapeContext, *vectors: str) -> tuple[TensorShape, TensorShape]:
    sizes: Any = c.shape("t", rank=4).sizes
    channels = sizes[3]
    for name in vectors:
        length: Any = c.shape(name, rank=1).sizes
        channels = c.same_size(f"the channels of t and {name}", channels, length[0])
    return TensorShape.of((*sizes[:3], channels)), TensorShape.of((channels,))


@BATCH_NORM_WITH_GLOBAL_NORMALIZATION.shape
def _batch_norm_shape(c: ShapeContext) -> TensorShape:
    return _sizes(c, "m", "v", "beta", "gamma")[0]


@BATCH_NORM_WITH_GLOBAL_NORMALIZATION_GRAD.shape
def _batch_norm_grad_shape(c: ShapeContext) -> list[TensorShape]:
    whole, vector = _sizes(c, "m", "v", "gamma")
    return [c.merged("t and backprop", [whole, c.shape("backprop", rank=4)]), *[vector] * 4]


def _check(x: Array, **vectors: Array) -> None:
    if x.ndim != 4:
        raise ValueError(f"t must have rank 4, got shape {list(x.shape)}")
    for name, vector in vectors.items():
        if vector.shape != x.shape[3:]:
            raise ValueError(f"{name} must have shape {[x.shape[3]]}, got {list(vector.shape)}")


@BATCH_NORM_WITH_GLOBAL_NORMALIZATION.fresh_kernel
def _batch_norm_kernel(c: KernelContext) -> Kernel:
    scaled = c.attr("scale_after_normalization")

    def normalize(x: Array, mean: Array, variance: Array, beta: Array, gamma: Array) -> Array:
        _check(x, m=mean, v=variance, beta=beta, gamma=gamma)
        scale = 1 / np.sqrt(variance + variance.dtype.type(c.attr("variance_epsilon")))
        result = x - mean
        result *= scale * gamma if scaled else scale
        result += beta
        return result

    return normalize


@BATCH_NORM_WITH_GLOBAL_NORMALIZATION_GRAD.fresh_kernel
def _batch_norm_grad_kernel(c: KernelContext) -> Kernel:
    scaled = c.attr("scale_after_normalization")

    def normalize_grad(
        x: Array, mean: Array, variance: Array, gamma: Array, gradient: Array
    ) -> tuple[Array, ...]:
        _check(x, m=mean, v=variance, gamma=gamma)
        if gradient.shape != x.shape:
            raise ValueError(f"backprop must have shape {x.shape}, got {gradient.shape}")
        space = (0, 1, 2)
        shifted = variance + variance.dtype.type(c.attr("variance_epsilon"))
        scale = 1 / np.sqrt(shifted)
        whole = scale * gamma if scaled else scale
        for_beta = gradient.sum(space)
        slope = (gradient * (x - mean)).sum(space)
        for_variance = slope * whole / shifted * variance.dtype.type(-0.5)
        for_gamma = slope * scale if scaled else np.zeros_like(slope)
        return gradient * whole, -for_beta * whole, for_variance, for_beta, for_gamma

    return normalize_grad


@renamed(input="t", mean="m", variance="v")
def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: TensorLike | None = None,
    gamma: TensorLike | None = None,
    variance_epsilon: Any = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> Tensor:
    """Normalization by given statistics, under its older name.

    As in TensorFlow 1.15, it is `td.nn.batch_normalization` with other names.

    Args:
        t: images [batch, rows, columns, channels] of floats.
        m: the mean of each channel.
        v: the variance of each channel.
        beta: what is added in the end.
        gamma: what is multiplied with before, where `scale_after_normalization` says so.
        variance_epsilon: what is added to the variance, so that nothing is divided by 0.
        scale_after_normalization: whether `gamma` counts.
        name: a name for the ops.
        input: another name of `t`.
        mean: another name of `m`.
        variance: another name of `v`.

    Returns:
        A Tensor of the shape of `t`.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     y = td.nn.batch_norm_with_global_normalization(
        ...         [[[[5.0]]]], [3.0], [4.0], [10.0], [2.0], 0.0, True
        ...     )
        ...     print(session.run(y).ravel())
        [12.]
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(t, m, v, beta, scale, variance_epsilon, name)
