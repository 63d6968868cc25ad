"""Convolutions fused with resizing and padding, as made by TensorFlow's graph transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.sliding_windows import Sliding, check_only_space, sliding
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..conv.convolution import convolved
from ..conv.convolution_rules import check_ranks, conv_sizes
from .resize_scales import between
from .resizing import bilinear_mean

_CONV = "mode: {'REFLECT', 'SYMMETRIC'}, strides: list(int32), padding: {'SAME', 'VALID'}"
FUSED_RESIZE_AND_PAD_CONV_2D = OpDef(
    "FusedResizeAndPadConv2D",
    "input: T, size: int32, paddings: int32, filter: T -> output: T",
    f"T: {{half, float32, float64}}, resize_align_corners: bool = false, {_CONV}",
)
FUSED_PAD_CONV_2D = OpDef(
    "FusedPadConv2D",
    "input: T, paddings: int32, filter: T -> output: T",
    f"T: {{half, bfloat16, float32, float64}}, {_CONV}",
)


def _slide(c: OpContext) -> Sliding:
    slide = sliding(c, 4)
    check_only_space("strides", slide.strides, slide.channels)
    return slide


@FUSED_RESIZE_AND_PAD_CONV_2D.shape
@FUSED_PAD_CONV_2D.shape
def _fused_shape(c: ShapeContext) -> TensorShape:
    slide = _slide(c)
    batch, rows, columns, channels = c.sizes("input", rank=4) or ()
    filters: Any = c.sizes("filter", rank=4)
    pairs = c.sizes("paddings", rank=2) or ()
    c.same_size("the rows of paddings and the rank of input", pairs[0], 4)
    c.same_size("the columns of paddings and the sides of a dimension", pairs[1], 2)
    space: list[Any] = [rows, columns]
    if c.node.definition is FUSED_RESIZE_AND_PAD_CONV_2D:
        (length,) = c.sizes("size", rank=1) or ()
        c.same_size("the length of size and the number of spatial dimensions", length, 2)
        size = c.value("size")
        space = [None, None] if size is None else size.tolist()
    paddings = c.const("paddings")
    if paddings is None or not all(isinstance(n, int) and n > 0 for n in space):
        return TensorShape.of((batch, None, None, filters[3]))
    before_and_after = _checked(paddings)[1:3]
    padded = [n + sum(pair) for n, pair in zip(space, before_and_after, strict=True)]
    return TensorShape.of(conv_sizes(slide, (batch, *padded, channels), filters))


def _checked(paddings: Array) -> list[list[int]]:
    if paddings.shape != (4, 2):
        raise ValueError(f"paddings must have shape [4, 2], got {list(paddings.shape)}")
    rows: list[list[int]] = paddings.tolist()
    if min(map(min, rows)) < 0:
        raise ValueError(f"paddings must be at least 0, got {rows}")
    if any(rows[0] + rows[3]):
        raise ValueError(f"paddings must be 0 for batch and channels, got {rows}")
    return rows


@FUSED_RESIZE_AND_PAD_CONV_2D.fresh_kernel
def _resize_and_pad_conv_kernel(c: KernelContext) -> Kernel:
    finish, corners = _padded_conv(c), c.attr("resize_align_corners")

    def conv(x: Array, size: Array, paddings: Array, filters: Array) -> Array:
        check_ranks(4, input=x, filter=filters)
        if size.shape != (2,) or size.min() < 1:
            raise ValueError(f"size must be two positive numbers, got {size.tolist()}")
        if not x.size:
            raise ValueError(f"input must not be empty, got shape {list(x.shape)}")
        rows, columns = size.tolist()
        check_size((len(x), rows, columns, x.shape[3]), x.dtype)
        top, bottom, down = between(x.shape[1], rows, corners, half_pixel_centers=False)
        left, right, across = between(x.shape[2], columns, corners, half_pixel_centers=False)
        wide = x.astype(np.promote_types(x.dtype, np.float32), copy=False)
        resized = bilinear_mean(
            wide[:, top], wide[:, bottom], left, right, across, down[:, None, None]
        )
        return finish(resized.astype(x.dtype, copy=False), paddings, filters)

    return conv


@FUSED_PAD_CONV_2D.fresh_kernel
def _pad_conv_kernel(c: KernelContext) -> Kernel:
    finish = _padded_conv(c)

    def conv(x: Array, paddings: Array, filters: Array) -> Array:
        check_ranks(4, input=x, filter=filters)
        return finish(x, paddings, filters)

    return conv


def _padded_conv(c: KernelContext) -> Callable[[Array, Array, Array], Array]:
    """Pads images by their mirror images, and convolves them."""
    slide, mode = _slide(c), c.attr("mode").decode().lower()
    edge = 1 if mode == "reflect" else 0  # how many elements at the edge stay single

    def finish(x: Array, paddings: Array, filters: Array) -> Array:
        pairs = _checked(paddings)
        for axis in (1, 2):
            if max(pairs[axis]) > max(x.shape[axis] - edge, 0):
                raise ValueError(
                    f"paddings[{axis}] = {pairs[axis]} must be at most {x.shape[axis] - edge}, "
                    f"where the dimension has size {x.shape[axis]}"
                )
        sizes = [n + sum(pair) for n, pair in zip(x.shape, pairs, strict=True)]
        check_size(sizes, x.dtype)
        check_size([int(n) for n in conv_sizes(slide, sizes, filters.shape)], x.dtype)
        padded = np.pad(x, pairs, mode) if any(map(any, pairs)) else x
        return np.asarray(convolved(padded, filters, slide.windows(filters.shape[:2])))

    return finish
