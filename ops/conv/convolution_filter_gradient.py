"""Gradients of convolutions with respect to the filters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.sliding_windows import Sliding
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.jit_gemm import by_loop
from ..common.jit_weight_gradients import slopes_loop
from ..common.shared_docs import shared_docs
from .convolution import CONV_3D_ATTRS, CONV_ATTRS
from .convolution_backprop import filter_gradient
from .convolution_rules import check_ranks, conv_sizes, conv_sliding
from .jit_filter_gradients import machine_sums
from .window_arguments import over_space, window_attrs
from .window_flops import filter_gradient_flops
from .window_views import channels_last

if TYPE_CHECKING:
    from .convolution_backprop import SumUp

public = {
    "td.nn": (
        "conv2d_backprop_filter conv3d_backprop_filter=conv3d_backprop_filter_v2 "
        "conv3d_backprop_filter_v2"
    ),
}

CONV_2D_BACKPROP_FILTER = OpDef(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    f"T: {{half, bfloat16, float32, float64}}, {CONV_ATTRS}",
    traits=Traits(splits="n*,*,n*->*:sum", products=True),
)
CONV_3D_BACKPROP_FILTER = OpDef(
    "Conv3DBackpropFilter",
    "input: T, filter: T, out_backprop: T -> output: T",
    "T: {half, float32, float64}, strides: list(int32) >= 5, padding: {'SAME', 'VALID'}, "
    "dilations: list(int32) = [1, 1, 1, 1, 1]",
    traits=Traits(splits="n*,*,n*->*:sum", products=True),
)
CONV_3D_BACKPROP_FILTER_V2 = OpDef(
    "Conv3DBackpropFilterV2",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    CONV_3D_ATTRS,
    traits=Traits(splits="n*,*,n*->*:sum", products=True),
)


def _define(definition: OpDef, rank: int) -> None:
    """Registers shape function and kernel of a filter gradient of this rank."""
    sizes_name = definition.signature.inputs[1].name
    by_value = sizes_name == "filter_sizes"

    definition.flops(filter_gradient_flops)

    @definition.shape
    def shape(c: ShapeContext) -> TensorShape:
        slide = conv_sliding(c, rank)
        image: Any = c.shape("input", rank=rank).sizes
        gradient: Any = c.shape("out_backprop", rank=rank).sizes
        if not by_value:
            return c.shape(sizes_name, rank=rank)
        result = shape_from_value(c, sizes_name)
        if result.sizes is None:
            return TensorShape([None] * rank)
        if None not in result.sizes:
            _check(slide, image, result.sizes, gradient, sizes_name)
        return result

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        slide = conv_sliding(c, rank)
        dtype = c.output_dtype.numpy_dtype
        inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

        def backprop(x: Array, given: Array, gradient: Array, sum_up: SumUp | None = None) -> Array:
            check_ranks(rank, input=x, out_backprop=gradient)
            check_ranks(1 if by_value else rank, **{sizes_name: given})
            sizes = given.tolist() if by_value else list(given.shape)
            for i, size in enumerate(sizes):
                if size < 0:
                    raise ValueError(f"{sizes_name}[{i}] = {size} is negative")
            _check(slide, x.shape, sizes, gradient.shape, sizes_name)
            result = filter_gradient(
                channels_last(x, slide.channels).astype(inner, copy=False),
                channels_last(gradient, slide.channels).astype(inner, copy=False),
                slide.windows(sizes[:-2]),
                sizes,
                sum_up,
            )
            return result.astype(dtype, copy=False)

        return by_loop(
            backprop,
            inner,
            slopes_loop,
            lambda loop, tile: partial(backprop, sum_up=machine_sums(loop, tile)),
        )


def _check(
    slide: Sliding, image: Sequence[Any], filters: Sequence[Any], gradient: Any, name: str
) -> None:
    """Checks that a convolution by such filters would have the sizes of `out_backprop`.

    Raises:
        ValueError: it would not.
    """
    if len(filters) != len(image):
        raise ValueError(f"{name} must have {len(image)} elements, got {len(filters)}")
    wanted = conv_sizes(slide, image, filters)
    if any(equal(m, n) is False for m, n in zip(wanted, gradient, strict=True)):
        shapes = [TensorShape.of(tuple(sizes)) for sizes in (filters, wanted, gradient)]
        raise ValueError(
            f"{name} = {shapes[0]} needs an out_backprop of shape {shapes[1]}, got {shapes[2]}"
        )


_define(CONV_2D_BACKPROP_FILTER, 4)
_define(CONV_3D_BACKPROP_FILTER, 5)
_define(CONV_3D_BACKPROP_FILTER_V2, 5)


_documented = shared_docs(
    {
        "dilations": "how far apart the elements of the window are; by default 1.",
        "name": "a name for the op.",
    },
    returns="A Tensor of shape `filter_sizes`.",
    raises=(
        "TypeError: the dtypes differ.\nValueError: the shapes are not those of a convolution."
    ),
)


@_documented
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its filters.

    Args:
        input: images `[batch, rows, columns, channels]` of half, bfloat16, float32 or float64.
        filter_sizes: the shape `[rows, columns, channels, out_channels]` of the result, int32.
        out_backprop: `[batch, out_rows, out_columns, out_channels]`, of the dtype of `input`: the
            gradient of what the convolution gave.
        strides: how far the window moves from one position to the next, as for `conv2d`.
        padding: "SAME", "VALID", or pairs of margins, as for `conv2d`.
        use_cudnn_on_gpu: accepted for TensorFlow's sake, and written to the graph.
        data_format: "NHWC", or "NCHW" where the channels are the second dimension.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image, pixels = [[[[1.0], [2.0], [3.0]]]], [[[[1.0], [10.0]]]]
        ...     filters = td.nn.conv2d_backprop_filter(image, [1, 2, 1, 1], pixels, 1, "VALID")
        ...     print(session.run(filters).ravel())
        [21. 32.]
    """
    return CONV_2D_BACKPROP_FILTER(
        input,
        filter_sizes,
        out_backprop,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        name=name,
        **window_attrs(strides, padding, data_format, dilations),
    )


@_documented
def conv3d_backprop_filter_v2(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its filters.

    Args:
        input: volumes `[batch, planes, rows, columns, channels]` of half, bfloat16, float32 or
            float64.
        filter_sizes: the shape `[planes, rows, columns, channels, out_channels]` of the result.
        out_backprop: the gradient of what the convolution gave, of the dtype of `input`.
        strides: how far the window moves from one position to the next, as for `conv3d`.
        padding: "VALID" or "SAME".
        data_format: "NDHWC", or "NCDHW" where the channels are the second dimension.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     volume = np.ones((1, 2, 2, 2, 1), np.float32)
        ...     filters = td.nn.conv3d_backprop_filter_v2(volume, [1] * 5, volume, 1, "VALID")
        ...     session.run(filters).item()
        8.0
    """
    return CONV_3D_BACKPROP_FILTER_V2(
        input,
        filter_sizes,
        out_backprop,
        strides=over_space("strides", strides, data_format, 1),
        padding=padding,
        data_format=data_format,
        dilations=over_space("dilations", dilations, data_format, 1),
        name=name,
    )
