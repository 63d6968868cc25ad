"""Convolutions: every position of a window gives the products of what it sees and the filters."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import fresh
from ...graph.op_def import OpDef
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import new_array, new_zeros
from ..kit.call_forms import renamed
from ..kit.gemm import multiply_into
from ..kit.sharing import share
from .channelwise import ChannelFilters
from .convolution_rules import check_ranks, conv_sizes, conv_sliding
from .window_arguments import over_space, padding_attrs
from .window_costs import convolution_flops
from .windowing import blocks, channels_back, channels_last, seen_through, with_margins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.sliding_windows import Window

public = {"td.nn": "conv2d conv3d"}

# What windows see is laid out in blocks of so many bytes, which stay in the cache until they are
# multiplied, and bound the memory that large images take. Blocks are larger where they would hold
# too few positions to be worth the arranging of the filters.
_BLOCK_BYTES = 1 << 20
_BLOCK_POSITIONS = 256
_MOST_BLOCK_BYTES = 1 << 23
# Fewer blocks than this cannot be shared out evenly.
_FEWEST_BLOCKS = 4

CONV_ATTRS = (
    "strides: list(int32), use_cudnn_on_gpu: bool = true, padding: {'SAME', 'VALID', 'EXPLICIT'}, "
    "explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "dilations: list(int32) = [1, 1, 1, 1]"
)
CONV_3D_ATTRS = (
    "T: {half, bfloat16, float32, float64}, strides: list(int32) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int32) = [1, 1, 1, 1, 1]"
)
CONV_2D = OpDef(
    "Conv2D",
    "input: T, filter: T -> output: T",
    f"T: {{half, bfloat16, float32, float64, int32}}, {CONV_ATTRS}",
)
CONV_3D = OpDef(
    "Conv3D",
    "input: T, filter: T -> output: T",
    CONV_3D_ATTRS,
)

CONV_2D.flops(convolution_flops)
CONV_3D.flops(convolution_flops)


def _define(definition: OpDef, rank: int) -> None:
    """Hangs the rules of a convolution of tensors of this rank on its definition."""

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        image: Any = c.shape("input", rank=rank).sizes
        filters: Any = c.shape("filter", rank=rank).sizes
        return TensorShape.of(conv_sizes(conv_sliding(c, rank), image, filters))

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        slide = conv_sliding(c, rank)
        dtype = c.output_dtype.numpy_dtype
        inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

        @lru_cache
        def checked(image: tuple[int, ...], filters: tuple[int, ...]) -> tuple[Window, ...]:
            conv_sizes(slide, image, filters)
            return slide.windows(filters[:-2])

        def conv(x: Array, filters: Array) -> Array:
            check_ranks(rank, input=x, filter=filters)
            windows = checked(x.shape, filters.shape)
            x = channels_last(x, slide.channels).astype(inner, copy=False)
            result = convolved(x, filters.astype(inner, copy=False), windows)
            return channels_back(result, slide.channels).astype(dtype, copy=False)

        return fresh(conv)


_define(CONV_2D, 4)
_define(CONV_3D, 5)


def block_bytes(position: int) -> int:
    """How large a block of positions is that take so many bytes each."""
    return max(_BLOCK_BYTES, min(_BLOCK_POSITIONS * position, _MOST_BLOCK_BYTES))


def convolved(x: Array, filters: Array, windows: Sequence[Window], margin: Any = 0) -> Array:
    """The convolution of [batch, *space, channels] with [*sizes, channels of a group, out].

    Without groups, the margins may hold another number than 0.
    """
    *_, depth, out = filters.shape
    groups = x.shape[-1] // depth
    if groups > 1 and depth == 1 and len(windows) == 2:
        each = filters.reshape(*filters.shape[:2], groups, out // groups)
        return ChannelFilters(each).convolve(x, windows)
    if groups > 1:
        parts = zip(np.split(x, groups, -1), np.split(filters, groups, -1), strict=True)
        return np.concatenate([convolved(*part, windows) for part in parts], -1)
    positions = [
        int(window.positions(size)) for window, size in zip(windows, x.shape[1:-1], strict=True)
    ]
    shape = (x.shape[0], *positions, out)
    if 0 in (*shape, *x.shape):
        return new_zeros(shape, x.dtype)
    x = with_margins(x, windows, positions, margin)
    matrix = filters.reshape(-1, out)
    result = new_array(shape, x.dtype)
    if len(matrix) == depth and tuple(positions) == x.shape[1:-1]:  # windows of one element
        multiply_into(result.reshape(-1, out), x.reshape(-1, depth), matrix)
        return result
    seen = seen_through(x, windows, positions)
    position = len(matrix) * x.itemsize
    block = block_bytes(position)
    if math.prod(shape[:-1]) * position < _FEWEST_BLOCKS * block:
        multiply_into(result.reshape(-1, out), seen.reshape(-1, len(matrix)), matrix)
        return result

    def multiply(parts: Iterator[tuple[slice, slice]]) -> None:
        for part in parts:
            unfolded = seen[part].reshape(-1, len(matrix))
            np.matmul(unfolded, matrix, out=result[part].reshape(-1, out))

    share(multiply, blocks(shape[:-1], position, block))
    return result


@renamed(filters="filter")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """A convolution of images: what a window sees at each position, multiplied with each filter.

    It is what signal processing calls a correlation: the filters are not turned around.

    Args:
        input: images `[batch, rows, columns, channels]` of half, bfloat16, float32, float64 or
            int32.
        filter: `[rows, columns, channels, out_channels]`, of the dtype of `input`. Where it takes
            fewer channels than `input` has, these are split into groups, each of which makes its
            part of the results.
        strides: how far the window moves from one position to the next: a number, one for rows
            and one for columns, or one for each dimension of `input`; by default 1.
        padding: "VALID" for the positions inside the image; "SAME" for one position per stride,
            where the image is continued with zeros; or how many zeros stand before and after each
            dimension, as `[[0, 0], [1, 2], [1, 2], [0, 0]]`.
        use_cudnn_on_gpu: accepted for TensorFlow's sake, and written to the graph.
        data_format: "NHWC", or "NCHW" where the channels are the second dimension.
        dilations: how far apart the elements of the window are, as `strides`; by default 1.
        name: a name for the op.
        filters: another name of `filter`.

    Returns:
        A Tensor `[batch, out_rows, out_columns, out_channels]` of the dtype of `input`.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the ranks are not 4, the channels do not fit together, the window is larger
            than the image, or strides and dilations are less than 1.

    Example:
        >>> import numpy as np
        >>> import tensordraft as td
        >>> image = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     sums = td.nn.conv2d(image, np.ones((2, 2, 1, 1), np.float32), 1, "VALID")
        ...     print(session.run(sums)[0, :, :, 0])
        [[ 8. 12.]
         [20. 24.]]
    """
    del filters
    return CONV_2D(
        input,
        filter,
        strides=over_space("strides", strides, data_format, 1),
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=over_space("dilations", dilations, data_format, 1),
        name=name,
        **padding_attrs(padding),
    )


@renamed(filters="filter")
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """A convolution of volumes, as `conv2d` is one of images.

    Args:
        input: volumes `[batch, planes, rows, columns, channels]` of half, bfloat16, float32 or
            float64.
        filter: `[planes, rows, columns, channels, out_channels]`, of the dtype of `input`.
        strides: how far the window moves from one position to the next: a number, one for each
            dimension of space, or one for each dimension of `input`; by default 1.
        padding: "VALID" for the positions inside the volume; "SAME" for one position per stride.
        data_format: "NDHWC", or "NCDHW" where the channels are the second dimension.
        dilations: how far apart the elements of the window are, as `strides`; by default 1.
        name: a name for the op.
        filters: another name of `filter`.

    Returns:
        A Tensor `[batch, out_planes, out_rows, out_columns, out_channels]`.

    Raises:
        TypeError: the dtypes differ.
        ValueError: as for `conv2d`, with rank 5.

    Example:
        >>> import numpy as np
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ones = np.ones((1, 2, 2, 2, 1), np.float32)
        ...     session.run(td.nn.conv3d(ones, ones.reshape(2, 2, 2, 1, 1), 1, "VALID")).item()
        8.0
    """
    del filters
    return CONV_3D(
        input,
        filter,
        strides=over_space("strides", strides, data_format, 1),
        padding=padding,
        data_format=data_format,
        dilations=over_space("dilations", dilations, data_format, 1),
        name=name,
    )
