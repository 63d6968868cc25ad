"""Workspace of ops with sliding windows: im2col blocks, padded images, repeated filters."""

from __future__ import annotations

from math import prod

import numpy as np

from ...shape_inference.protocols import Array
from ...shape_inference.sliding_windows import sliding
from ...shape_inference.workspaces import SizedContext, Workspace
from .convolution_rules import conv_sliding
from .depthwise_kernels import channelwise_workspace
from .im2col import patches_workspace
from .pooling_rules import axes_pooled, images_at_a_time, pool_windows, pooled_sizes
from .window_views import channels_last


def convolution_workspace(c: SizedContext) -> Workspace:
    """Workspace of a convolution: an im2col block and the padded images."""
    slide = conv_sliding(c, len(c.attr("strides")))
    *sizes, depth, out = c.numbers("filter")
    x = _images(c, slide.channels)
    windows = slide.windows(sizes)
    groups = x.shape[-1] // depth
    if groups > 1 and depth == 1 and len(windows) == 2:
        return channelwise_workspace(x, windows, out // groups, c.is_constant("filter"))
    seen = depth * prod(sizes)
    if groups <= 1:
        return patches_workspace(x, windows, seen)
    each = patches_workspace(x[..., :depth], windows, seen)
    space = [int(w.positions(n)) for w, n in zip(windows, x.shape[1:-1], strict=True)]
    part = prod([x.shape[0], *space, out // groups]) * x.itemsize
    return each._replace(passing=each.passing + part)  # each group is made, and then put in place


def depthwise_workspace(c: SizedContext) -> Workspace:
    """Workspace of a depthwise convolution: its filters repeated for a row, and their inputs."""
    slide = conv_sliding(c, 4)
    *sizes, _, multiplier = c.numbers("filter")
    x = _images(c, slide.channels)
    return channelwise_workspace(x, slide.windows(sizes), multiplier, c.is_constant("filter"))


def pooling_workspace(c: SizedContext) -> Workspace:
    """Workspace of pooling: the reduction along rows, before that along columns."""
    [edge] = c.node.inputs
    shape = c.numbers_of(edge)
    windows = pool_windows(c.attr("ksize"), sliding(c, len(shape)))
    itemsize = edge.dtype.numpy_dtype.itemsize
    images = images_at_a_time(shape, itemsize, windows)
    some = (min(images, shape[0]), *shape[1:])
    pooled = pooled_sizes(windows, some)
    made = [
        prod(map(int, (*pooled[: axis + 1], *some[axis + 1 :]))) for axis in axes_pooled(windows)
    ]
    if images >= shape[0]:  # the last is the result
        made = made[:-1]
    return Workspace(passing=sum(sorted(made)[-2:]) * itemsize)


def _images(c: SizedContext, channels: int) -> Array:
    """An array of the size of the images, which takes no memory."""
    dtype = c.dtype("input").numpy_dtype
    inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
    return channels_last(np.broadcast_to(np.zeros((), inner), c.numbers("input")), channels)
