"""Transposed convolutions: each pixel adds to what a window sees, and the window moves on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.rules import shape_from_value
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import new_zeros
from ..kit.gemm import multiply_into
from .convolution import CONV_ATTRS
from .convolution_rules import check_ranks, conv_sizes, conv_sliding
from .window_arguments import over_space, padding_attrs
from .windowing import channels_back, channels_last

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.sliding_windows import Sliding, Window
    from ...shape_inference.symbolic.symbolic import Dim

public = {"td.nn": "conv2d_backprop_input conv2d_transpose"}

CONV_2D_BACKPROP_INPUT = OpDef(
    "Conv2DBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    f"T: {{half, bfloat16, float32, float64, int32}}, {CONV_ATTRS}",
)


@CONV_2D_BACKPROP_INPUT.shape
def _conv_2d_backprop_input_shape(c: ShapeContext) -> TensorShape:
    slide = conv_sliding(c, 4)
    filters: Any = c.shape("filter", rank=4).sizes
    gradient: Any = c.shape("out_backprop", rank=4).sizes
    given: Any = shape_from_value(c, "input_sizes").sizes
    if given is None or None in given:  # only all of them together are not known
        return TensorShape.of(slide.put_together(gradient[0], (None, None), filters[2]))
    whole = _whole(slide, given, filters, gradient)
    _check(slide, whole, filters, gradient)
    batch = c.same_size("the batches of input_sizes and out_backprop", whole[0], gradient[0])
    return TensorShape.of((batch, *whole[1:]))


def _whole(
    slide: Sliding, given: Sequence[Dim], filters: Sequence[Dim], gradient: Sequence[Dim]
) -> Sequence[Dim]:
    """The sizes of the result, of which `given` may hold those of space alone.

    Raises:
        ValueError: there are neither 2 nor 4 sizes.
    """
    if len(given) == 2:
        return slide.put_together(gradient[0], given, filters[2])
    if len(given) != 4:
        raise ValueError(f"input_sizes must have 4 elements, or 2, got {len(given)}")
    return given


def _check(
    slide: Sliding, whole: Sequence[Dim], filters: Sequence[Dim], gradient: Sequence[Dim]
) -> None:
    """Checks that a convolution of the result would have the sizes of `out_backprop`.

    Raises:
        ValueError: it would not.
    """
    wanted = conv_sizes(slide, whole, filters, "input_sizes")
    if any(equal(m, n) is False for m, n in zip(wanted, gradient, strict=True)):
        shapes = [TensorShape.of(tuple(sizes)) for sizes in (whole, wanted, gradient)]
        raise ValueError(
            f"input_sizes = {shapes[0]} needs an out_backprop of shape {shapes[1]}, got {shapes[2]}"
        )


@CONV_2D_BACKPROP_INPUT.kernel
def _conv_2d_backprop_input_kernel(c: KernelContext) -> Kernel:
    slide = conv_sliding(c, 4)
    dtype = c.output_dtype.numpy_dtype
    inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

    def backprop(input_sizes: Array, filters: Array, gradient: Array) -> Array:
        check_ranks(4, filter=filters, out_backprop=gradient)
        check_ranks(1, input_sizes=input_sizes)
        for i, size in enumerate(input_sizes.tolist()):
            if size < 0:
                raise ValueError(f"input_sizes[{i}] = {size} is negative")
        whole = _whole(slide, input_sizes.tolist(), filters.shape, gradient.shape)
        _check(slide, whole, filters.shape, gradient.shape)
        sizes = [int(whole[axis]) for axis in (0, *slide.space, slide.channels)]
        result = _spread(
            channels_last(gradient, slide.channels).astype(inner, copy=False),
            filters.astype(inner, copy=False),
            slide.windows(filters.shape[:2]),
            sizes,
        )
        return channels_back(result, slide.channels).astype(dtype, copy=False)

    return backprop


def _spread(
    gradient: Array, filters: Array, windows: Sequence[Window], sizes: Sequence[int]
) -> Array:
    """Adds each pixel, times the filters, to what the window sees at its position."""
    rows, columns, depth, out = filters.shape
    groups = sizes[3] // depth
    if groups > 1:
        parts = zip(np.split(gradient, groups, -1), np.split(filters, groups, -1), strict=True)
        inner = (*sizes[:3], depth)
        return np.concatenate([_spread(*part, windows, inner) for part in parts], -1)
    positions = gradient.shape[1:3]
    margins = [
        window.padding(size, number)
        for window, size, number in zip(windows, sizes[1:3], positions, strict=True)
    ]
    whole = [
        size + before + after for size, (before, after) in zip(sizes[1:3], margins, strict=True)
    ]
    result = new_zeros((sizes[0], *whole, sizes[3]), gradient.dtype)
    if result.size and gradient.size:
        pixels = gradient.reshape(-1, out)
        product = np.empty((len(pixels), depth), gradient.dtype)
        for i in range(rows):
            for j in range(columns):
                seen = result[:, *map(_positions, windows, (i, j), positions)]
                multiply_into(product, pixels, filters[i, j].T)
                seen += product.reshape(seen.shape)
    (top, _), (left, _) = margins
    return result[:, top : top + sizes[1], left : left + sizes[2]]


def _positions(window: Window, element: int, number: int) -> slice:
    """Where one element of a window lies, at each of its positions."""
    start = element * window.rate
    return slice(start, start + (number - 1) * window.stride + 1, window.stride)


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input: a transposed convolution.

    Args:
        input_sizes: the shape `[batch, rows, columns, channels]` of the result, int32; or its rows
            and columns alone.
        filter: `[rows, columns, channels, out_channels]` of half, bfloat16, float32, float64 or
            int32.
        out_backprop: `[batch, out_rows, out_columns, out_channels]`, of the dtype of `filter`:
            what a convolution of the result would have the shape of.
        strides: how far the window moves from one position to the next, as for `conv2d`.
        padding: "SAME", "VALID", or pairs of margins, as for `conv2d`.
        use_cudnn_on_gpu: accepted for TensorFlow's sake, and written to the graph.
        data_format: "NHWC", or "NCHW" where the channels are the second dimension.
        dilations: how far apart the elements of the window are; by default 1.
        name: a name for the op.

    Returns:
        A Tensor of shape `input_sizes`.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes are not those of a convolution.

    Example:
        >>> import numpy as np
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pixels = [[[[1.0], [10.0]]]]
        ...     filters = np.ones((1, 2, 1, 1), np.float32)
        ...     spread = td.nn.conv2d_backprop_input([1, 1, 3, 1], filters, pixels, 1, "VALID")
        ...     print(session.run(spread).ravel())
        [ 1. 11. 10.]
    """
    return CONV_2D_BACKPROP_INPUT(
        input_sizes,
        filter,
        out_backprop,
        strides=over_space("strides", strides, data_format, 1),
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=over_space("dilations", dilations, data_format, 1),
        name=name,
        **padding_attrs(padding),
    )


def conv2d_transpose(
    value: Any,
    filter: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """A transposed convolution, by which networks make images larger.

    It is `conv2d_backprop_input` with the arguments in another order.

    Args:
        value: images `[batch, rows, columns, in_channels]`.
        filter: `[rows, columns, out_channels, in_channels]`, of the dtype of `value`.
        output_shape: the shape of the result, int32.
        strides: how much larger the result is: a number, one for rows and one for columns, or one
            for each dimension of `value`.
        padding: "SAME", "VALID", or pairs of margins, as for `conv2d`.
        data_format: "NHWC", or "NCHW" where the channels are the second dimension.
        name: a name for the op.

    Returns:
        A Tensor of shape `output_shape`.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes are not those of a convolution.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     larger = td.nn.conv2d_transpose([[[[1.0], [2.0]]]], [[[[1.0]]]], [1, 1, 4, 1], 2)
        ...     print(session.run(larger).ravel())
        [1. 0. 2. 0.]
    """
    return conv2d_backprop_input(
        output_shape,
        filter,
        value,
        strides,
        padding,
        data_format=data_format,
        name=name or "conv2d_transpose",
    )
