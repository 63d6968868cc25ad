"""Gradients of depthwise convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.sliding_windows import Sliding, Window
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import new_zeros
from ..common.shared_docs import shared_docs
from .convolution_backprop import inside, margins_of, tap
from .convolution_rules import check_ranks, conv_sliding
from .depthwise_convolution import depthwise_sizes
from .depthwise_kernels import ChannelFilters
from .window_arguments import window_attrs
from .window_flops import depthwise_filter_gradient_flops, depthwise_input_gradient_flops
from .window_views import channels_back, channels_last, with_margins

if TYPE_CHECKING:
    Backprop = Callable[[Array, Array, Sequence[Window], Sequence[int]], Array]

public = {
    "td.nn": "depthwise_conv2d_native_backprop_input depthwise_conv2d_native_backprop_filter "
    "depthwise_conv2d_backprop_input=depthwise_conv2d_native_backprop_input "
    "depthwise_conv2d_backprop_filter=depthwise_conv2d_native_backprop_filter"
}

_ATTRS = (
    "T: {half, bfloat16, float32, float64}, strides: list(int32), "
    "padding: {'SAME', 'VALID', 'EXPLICIT'}, explicit_paddings: list(int) = [], "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int32) = [1, 1, 1, 1]"
)
DEPTHWISE_BACKPROP_INPUT = OpDef(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    _ATTRS,
    traits=Traits(splits="#,*,n*->n*"),
)
DEPTHWISE_BACKPROP_FILTER = OpDef(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    _ATTRS,
    traits=Traits(splits="n*,*,n*->*:sum"),
)

DEPTHWISE_BACKPROP_INPUT.flops(depthwise_input_gradient_flops)
DEPTHWISE_BACKPROP_FILTER.flops(depthwise_filter_gradient_flops)


def _check(
    c: OpContext,
    slide: Sliding,
    image: Sequence[Any],
    filters: Sequence[Any],
    gradient: Sequence[Any],
) -> None:
    """Checks that a convolution would have the sizes of `out_backprop`.

    Raises:
        ValueError: it would not.
    """
    for name, sizes in (("input_sizes", image), ("filter_sizes", filters)):
        if len(sizes) != 4:
            raise ValueError(f"{name} must have 4 elements, got {len(sizes)}")
    wanted = depthwise_sizes(c, slide, image, filters)
    if any(equal(m, n) is False for m, n in zip(wanted, gradient, strict=True)):
        shapes = [TensorShape.of(tuple(sizes)) for sizes in (wanted, gradient)]
        raise ValueError(f"out_backprop must have shape {shapes[0]}, got {shapes[1]}")


def _define(definition: OpDef, sizes_name: str, backprop: Backprop) -> None:
    """Registers the gradient op whose result shape is argument `sizes_name`."""
    to_image = sizes_name == "input_sizes"
    other_name = "filter" if to_image else "input"

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        slide = conv_sliding(c, 4)
        other: Any = c.shape(other_name, rank=4).sizes
        gradient: Any = c.shape("out_backprop", rank=4).sizes
        result = shape_from_value(c, sizes_name)
        if result.sizes is None:
            return TensorShape([None] * 4)
        if None not in result.sizes:
            pair = (result.sizes, other) if to_image else (other, result.sizes)
            _check(c, slide, pair[0], pair[1], gradient)
        return result

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        slide = conv_sliding(c, 4)
        dtype = c.output_dtype.numpy_dtype
        inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

        def depthwise(first: Array, second: Array, gradient: Array) -> Array:
            other, given = (second, first) if to_image else (first, second)
            check_ranks(4, **{other_name: other, "out_backprop": gradient})
            check_ranks(1, **{sizes_name: given})
            sizes = given.tolist()
            if min(sizes, default=0) < 0:
                raise ValueError(f"{sizes_name} must not be negative, got {sizes}")
            pair = (sizes, other.shape) if to_image else (other.shape, sizes)
            _check(c, slide, *pair, gradient.shape)
            image, filters = pair
            image = [image[axis] for axis in (0, *slide.space, slide.channels)]
            if not to_image:
                other = channels_last(other, slide.channels)
            result = backprop(
                other.astype(inner, copy=False),
                channels_last(gradient, slide.channels).astype(inner, copy=False),
                slide.windows(filters[:2]),
                image if to_image else sizes,
            )
            if to_image:
                result = channels_back(result, slide.channels)
            return result.astype(dtype, copy=False)

        return fresh(depthwise)


def _to_image(
    filters: Array, gradient: Array, windows: Sequence[Window], sizes: Sequence[int]
) -> Array:
    margins = margins_of(windows, sizes[1:3], gradient.shape[1:3])
    back = [_mirrored(window, pair) for window, pair in zip(windows, margins, strict=True)]
    if None in back or not gradient.size or not np.isfinite(filters).all():
        return _spread(filters, gradient, windows, sizes, margins)
    turned = filters[::-1, ::-1].reshape(*filters.shape[:2], -1, 1)
    rows = ChannelFilters(turned).rows(gradient, cast("list[Window]", back))
    result = np.empty(rows.shape, gradient.dtype)
    rows.fill(result, None)
    if filters.shape[3] > 1:
        result = result.reshape(*sizes, filters.shape[3]).sum(axis=-1)
    return result


def _mirrored(window: Window, margins: tuple[int, int]) -> Window | None:
    """The window that sees, from a pixel, the positions that see the pixel.

    None if they are not adjacent, or lie only outside the gradient.
    """
    before, after = (int(window.extent) - 1 - margin for margin in margins)
    if window.stride > 1 or min(before, after) < 0:
        return None
    return Window(window.size, 1, window.rate, before=before, after=after)


def _spread(
    filters: Array,
    gradient: Array,
    windows: Sequence[Window],
    sizes: Sequence[int],
    margins: Sequence[tuple[int, int]],
) -> Array:
    """Adds each position, times the filters, to what the window sees there."""
    positions = gradient.shape[1:3]
    whole = [size + sum(pair) for size, pair in zip(sizes[1:3], margins, strict=True)]
    result = new_zeros((sizes[0], *whole, sizes[3]), gradient.dtype)
    each = gradient.reshape(*gradient.shape[:3], sizes[3], filters.shape[3])
    for element in product(*map(range, filters.shape[:2])) if gradient.size else ():
        part = result[:, *tap(windows, element, positions)]
        part += np.einsum("nrckm,km->nrck", each, filters[element])
    return inside(result, margins)


def _to_filter(x: Array, gradient: Array, windows: Sequence[Window], sizes: Sequence[int]) -> Array:
    positions = gradient.shape[1:3]
    result = new_zeros(sizes, gradient.dtype)
    if not gradient.size or not x.size:
        return result
    x = with_margins(x, windows, positions)
    if sizes[3] == 1 and windows[1].stride == 1:
        return _sums_of_lines(x, gradient, windows, result)
    each = gradient.reshape(*gradient.shape[:3], *sizes[2:])
    for element in product(*map(range, sizes[:2])):
        window = x[:, *tap(windows, element, positions)]
        np.einsum("nrck,nrckm->km", window, each, out=result[element])
    return result


def _sums_of_lines(x: Array, gradient: Array, windows: Sequence[Window], result: Array) -> Array:
    """The same where what is seen along a line lies side by side: lines are long, channels few."""
    channels = gradient.shape[3]
    lines, each = (array.reshape(*array.shape[:2], -1) for array in (x, gradient))
    for i, j in product(*map(range, result.shape[:2])):
        rows, columns = tap(windows, (i, j), gradient.shape[1:3])
        window = lines[:, rows, columns.start * channels : columns.stop * channels]
        result[i, j, :, 0] = np.einsum("nrl,nrl->l", window, each).reshape(-1, channels).sum(axis=0)
    return result


_define(DEPTHWISE_BACKPROP_INPUT, "input_sizes", _to_image)
_define(DEPTHWISE_BACKPROP_FILTER, "filter_sizes", _to_filter)


_documented = shared_docs(
    {
        "strides": "how far the window moves from one position to the next.",
        "padding": '"VALID", "SAME", or pairs of margins, as for `td.nn.conv2d`.',
        "data_format": '"NHWC", or "NCHW" where the channels are the second dimension.',
        "dilations": "how far apart the elements of the window are; by default 1.",
        "name": "a name for the op.",
    },
    raises=(
        "TypeError: the dtypes differ.\nValueError: the shapes are not those of a convolution."
    ),
)


@_documented
def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: TensorLike,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its input.

    Unlike TensorFlow's on a CPU, which takes dilations for 1 and no "NCHW", it is so for all
    convolutions that there are.

    Args:
        input_sizes: the shape `[batch, rows, columns, channels]` of the result, int32.
        filter: `[rows, columns, channels, multiplier]` of half, bfloat16, float32 or float64.
        out_backprop: the gradient of what the convolution gave, of the dtype of `filter`.

    Returns:
        A Tensor of shape `input_sizes`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     gradient = td.nn.depthwise_conv2d_native_backprop_input(
        ...         [1, 1, 2, 1], [[[[3.0]]]], [[[[1.0], [2.0]]]], 1, "VALID"
        ...     )
        ...     print(session.run(gradient).ravel())
        [3. 6.]
    """
    return DEPTHWISE_BACKPROP_INPUT(
        input_sizes,
        filter,
        out_backprop,
        name=name,
        **window_attrs(strides, padding, data_format, dilations),
    )


@_documented
def depthwise_conv2d_native_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its filters.

    Unlike TensorFlow's on a CPU, which takes dilations for 1 and no "NCHW", it is so for all
    convolutions that there are.

    Args:
        input: images `[batch, rows, columns, channels]` of half, bfloat16, float32 or float64.
        filter_sizes: the shape `[rows, columns, channels, multiplier]` of the result, int32.
        out_backprop: the gradient of what the convolution gave, of the dtype of `input`.

    Returns:
        A Tensor of shape `filter_sizes`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     gradient = td.nn.depthwise_conv2d_native_backprop_filter(
        ...         [[[[1.0], [2.0]]]], [1, 1, 1, 1], [[[[10.0], [1.0]]]], 1, "VALID"
        ...     )
        ...     print(session.run(gradient).ravel())
        [12.]
    """
    return DEPTHWISE_BACKPROP_FILTER(
        input,
        filter_sizes,
        out_backprop,
        name=name,
        **window_attrs(strides, padding, data_format, dilations),
    )
