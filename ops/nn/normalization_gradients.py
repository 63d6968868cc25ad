"""Gradient ops of normalization, for graphs that TensorFlow differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.split_parts import NotSplittable, Partition, SplitContext, by_letters
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.along_channels import along_channels
from ..common.elementwise import in_float32
from .channel_sums import as_rows, channel_sums, lrn_sums
from .normalization import LRN_ATTRS
from .normalization_steps import batch_norm_grad_steps

_FORMATS, _MORE_FORMATS = "{'NHWC', 'NCHW'}", "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}"
_ATTRS = (
    "epsilon: float = 9.999999747378752e-05, data_format: %s = 'NHWC', is_training: bool = true"
)
_READ = "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U"
_MADE = "x_backprop: T, scale_backprop: U, offset_backprop: U"
FUSED_BATCH_NORM_GRAD = OpDef(
    "FusedBatchNormGrad",
    "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T -> x_backprop: T, "
    "scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T",
    f"T: {{float32}}, {_ATTRS % _FORMATS}",
)
FUSED_BATCH_NORM_GRAD_V2 = OpDef(
    "FusedBatchNormGradV2",
    f"{_READ} -> {_MADE}, reserve_space_3: U, reserve_space_4: U",
    f"T: {{half, bfloat16, float32}}, U: {{float32}}, {_ATTRS % _FORMATS}",
)
FUSED_BATCH_NORM_GRAD_V3 = OpDef(
    "FusedBatchNormGradV3",
    f"{_READ}, reserve_space_3: U -> {_MADE}, reserve_space_4: U, reserve_space_5: U",
    f"T: {{half, bfloat16, float32}}, U: {{float32}}, {_ATTRS % _MORE_FORMATS}",
)


@FUSED_BATCH_NORM_GRAD.split
@FUSED_BATCH_NORM_GRAD_V2.split
@FUSED_BATCH_NORM_GRAD_V3.split
def _fused_batch_norm_grad_split(c: SplitContext) -> Partition:
    if c.attr("is_training"):
        raise NotSplittable("in training it needs the mean and the variance of all rows")
    others = ",*" * (len(c.node.inputs) - 2)
    return by_letters(c, f"n*,n*{others}->n*,*:sum,*:sum,*:first,*:first")


for _definition in (FUSED_BATCH_NORM_GRAD, FUSED_BATCH_NORM_GRAD_V2, FUSED_BATCH_NORM_GRAD_V3):
    _definition.steps(batch_norm_grad_steps)
_VECTORS = ("scale", "reserve_space_1", "reserve_space_2")
_NOTHING = TensorShape.of((0,))


def _layout(c: OpContext) -> tuple[int, int]:
    """The rank of x, and the dimension of its channels."""
    data_format = c.attr("data_format")
    return len(data_format), 1 if data_format.startswith(b"NC") else len(data_format) - 1


@FUSED_BATCH_NORM_GRAD.shape
@FUSED_BATCH_NORM_GRAD_V2.shape
@FUSED_BATCH_NORM_GRAD_V3.shape
def _fused_batch_norm_grad_shape(c: ShapeContext) -> list[TensorShape]:
    rank, channels = _layout(c)
    shapes = [c.shape(name, rank=rank) for name in ("y_backprop", "x")]
    sizes: list[Any] = [*(c.merged("y_backprop and x", shapes).sizes or ())]
    for name in _VECTORS:
        length: Any = c.shape(name, rank=1).sizes
        sizes[channels] = c.same_size(f"the channels of x and {name}", sizes[channels], *length)
    vector = TensorShape.of((sizes[channels],))
    return [TensorShape.of(tuple(sizes)), vector, vector, _NOTHING, _NOTHING]


@FUSED_BATCH_NORM_GRAD.kernel
@FUSED_BATCH_NORM_GRAD_V2.kernel
@FUSED_BATCH_NORM_GRAD_V3.kernel
def _fused_batch_norm_grad_kernel(c: KernelContext) -> Kernel:
    rank, channels = _layout(c)
    epsilon, training = c.attr("epsilon"), c.attr("is_training")
    kind = c.node.outputs[1].dtype.numpy_dtype
    nothing = np.zeros(0, kind)

    def check(gradient: Array, x: Array, *vectors: Array) -> None:
        if x.ndim != rank or gradient.shape != x.shape:
            raise ValueError(
                f"x and y_backprop must have rank {rank} and equal shapes, got {list(x.shape)} and "
                f"{list(gradient.shape)}"
            )
        for name, vector in zip(_VECTORS, vectors, strict=True):
            if vector.ndim != 1:
                raise ValueError(f"{name} must have rank 1, got shape {list(vector.shape)}")
            c.same_size(f"the channels of x and {name}", x.shape[channels], len(vector))

    def backwards(gradient: Array, x: Array, *vectors: Array) -> tuple[Array, ...]:
        check(gradient, x, *vectors[:3])
        scale, mean, variance = [vector.astype(np.float64) for vector in vectors[:3]]
        if not x.size:
            return (
                x.copy(),
                np.zeros(len(scale), kind),
                np.zeros(len(scale), kind),
                nothing,
                nothing,
            )
        rows, images = as_rows(gradient, channels), as_rows(x, channels)
        factor = 1 / np.sqrt(variance + epsilon)
        total = channel_sums(lambda rows: rows, [rows])
        sums = channel_sums(_times_distance, [rows, images], [mean])
        if training:
            along = sums * factor**2 / len(rows)
            vectors = (mean, along, total / len(rows), scale * factor)
            narrow = [vector.astype(np.float32) for vector in vectors]
            result = along_channels(_centred, [rows, images], narrow)
        else:
            result = along_channels(np.multiply, [rows], [(scale * factor).astype(np.float32)])
        back = np.moveaxis(result.reshape(np.moveaxis(x, channels, -1).shape), -1, channels)
        return (
            back.astype(x.dtype, copy=False),
            (sums * factor).astype(kind),
            total.astype(kind),
            nothing,
            nothing,
        )

    return backwards


def _times_distance(gradient: Array, x: Array, mean: Array) -> Array:
    x -= mean
    x *= gradient
    return x


def _centred(
    gradient: Array, x: Array, mean: Array, along: Array, average: Array, factor: Array
) -> Array:
    result = np.subtract(x, mean)
    result *= along
    result += average
    np.subtract(gradient, result, out=result)
    result *= factor
    return result


LRN_GRAD = OpDef(
    "LRNGrad",
    "input_grads: T, input_image: T, output_image: T -> output: T",
    LRN_ATTRS,
    traits=Traits(splits="n*,n*,n*->n*"),
)
_IMAGES = ("input_grads", "input_image", "output_image")


@LRN_GRAD.shape
def _lrn_grad_shape(c: ShapeContext) -> TensorShape:
    return c.merged(" and ".join(_IMAGES), [c.shape(name, rank=4) for name in _IMAGES])


@LRN_GRAD.kernel
def _lrn_grad_kernel(c: KernelContext) -> Kernel:
    bias, alpha, beta = (np.float32(c.attr(name)) for name in ("bias", "alpha", "beta"))
    summed = lrn_sums(c)

    @in_float32
    def backwards(gradient: Array, x: Array, y: Array) -> Any:
        norm = summed(x * x)
        norm *= alpha
        norm += bias
        from_others = summed(gradient * y / norm)
        from_others *= x
        from_others *= 2 * alpha * beta
        return gradient * norm**-beta - from_others

    def lrn_grad(*images: Array) -> Array:
        shapes = [image.shape for image in images]
        if len(shapes[0]) != 4 or len(set(shapes)) > 1:
            raise ValueError(f"{' and '.join(_IMAGES)} must have one shape of rank 4, got {shapes}")
        return np.asarray(backwards(*images))

    return fresh(lrn_grad)
