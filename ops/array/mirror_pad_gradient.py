"""The gradient of MirrorPad: what was copied into the borders is added to where it came from.

There is no public function; graphs that TensorFlow differentiated hold it.
"""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.split_rules import following
from ...shape_inference.symbolic.symbolic import less
from ...shape_inference.tensor_shape import TensorShape

MIRROR_PAD_GRAD = OpDef(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings -> output: T",
    "T: type, Tpaddings: {int32, int64} = int32, mode: {'REFLECT', 'SYMMETRIC'}",
)
MIRROR_PAD_GRAD.split(following("input"))


@MIRROR_PAD_GRAD.shape
def _mirror_pad_grad_shape(c: ShapeContext) -> TensorShape:
    rank = c.shape("paddings", rank=2)[0].value
    shape = c.shape("input", rank=rank)
    paddings = c.value("paddings")
    if shape.sizes is None or paddings is None:
        return UNKNOWN_SHAPE if shape.sizes is None else TensorShape([None] * len(shape.sizes))
    left = [
        size - before - after
        for size, (before, after) in zip(shape.sizes, paddings.tolist(), strict=True)
    ]
    for axis, size in enumerate(left):
        if less(size, 0):
            raise ValueError(f"paddings[{axis}] are more than the {shape.sizes[axis]} elements")
    return TensorShape.of(tuple(left))


@MIRROR_PAD_GRAD.fresh_kernel
def _mirror_pad_grad_kernel(c: KernelContext) -> Kernel:
    edge = 1 if c.attr("mode") == b"REFLECT" else 0  # how many elements at the edge stay single
    small = c.output_dtype.is_floating and c.output_dtype.size == 2

    def mirror_pad_grad(x: Array, paddings: Array) -> Array:
        if paddings.shape != (x.ndim, 2):
            raise ValueError(f"paddings must have shape ({x.ndim}, 2), got {paddings.shape}")
        total = x.astype(np.float32) if small else x.copy()
        for axis, (before, after) in enumerate(paddings.tolist()):
            total = _folded(np.moveaxis(total, axis, 0), axis, before, after, edge)
            total = np.moveaxis(total, 0, axis)
        return np.array(total, x.dtype, order="C")

    return mirror_pad_grad


def _folded(x: Array, axis: int, before: int, after: int, edge: int) -> Array:
    """`x` without its borders along the first axis, which are added to what they mirror."""
    size = len(x) - before - after
    if before < 0 or after < 0 or max(before, after) > size - edge:
        raise ValueError(
            f"paddings[{axis}] = [{before}, {after}] must be in [0, {max(size - edge, 0)}], where "
            f"the dimension had size {size}"
        )
    centre = x[before : before + size].copy()
    if before:
        centre[edge : edge + before] += x[:before][::-1]
    if after:
        centre[size - edge - after : size - edge] += x[before + size :][::-1]
    return centre
