"""Dilation and erosion of images, and TensorFlow's gradient ops of dilation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.sliding_windows import Sliding, Window, check_only_space, sliding
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..array.reverse import reverse
from ..common.allocation import new_array, new_zeros
from ..common.along_channels import along_channels
from ..common.elementwise import REALS
from ..common.select_elements import chosen
from ..math.arithmetic import negative
from .convolution_rules import check_ranks
from .pooling_rules import lowest, tap_at
from .window_arguments import over_space

public = {"td.nn": "dilation2d erosion2d"}

_ATTRS = (
    f"T: {{{REALS}}}, strides: list(int) >= 4, rates: list(int) >= 4, padding: {{'SAME', 'VALID'}}"
)
DILATION2D = OpDef(
    "Dilation2D", "input: T, filter: T -> output: T", _ATTRS, traits=Traits(splits="n*,*->n*")
)
DILATION2D_BACKPROP_INPUT = OpDef(
    "Dilation2DBackpropInput",
    "input: T, filter: T, out_backprop: T -> in_backprop: T",
    _ATTRS,
    traits=Traits(splits="n*,*,n*->n*"),
)
DILATION2D_BACKPROP_FILTER = OpDef(
    "Dilation2DBackpropFilter",
    "input: T, filter: T, out_backprop: T -> filter_backprop: T",
    _ATTRS,
    traits=Traits(splits="n*,*,n*->*:sum"),
)


def _slide(c: OpContext) -> Sliding:
    """Sliding parameters of the filter.

    Raises:
        ValueError: over anything but space.
    """
    slide = sliding(c, 4)._replace(in_run=True)  # TensorFlow lets there be no position
    check_only_space("strides", slide.strides, slide.channels)
    check_only_space("rates", slide.rates, slide.channels)
    return slide


def _sizes(
    c: OpContext, slide: Sliding, image: Sequence[Any], filters: Sequence[Any]
) -> tuple[Any, ...]:
    """The sizes of the result, of which any may be an expression.

    Raises:
        ValueError: the channels differ, or the filter is empty or larger than the image.
    """
    if 0 in filters:
        raise ValueError(f"filter must not be empty, got shape {TensorShape.of(tuple(filters))}")
    depth = c.same_size("the channels of input and filter", image[3], filters[2])
    windows = slide.windows(filters[:2])
    rows, columns = (w.positions(n) for w, n in zip(windows, image[1:3], strict=True))
    return image[0], rows, columns, depth


@DILATION2D.shape
def _dilation_shape(c: ShapeContext) -> TensorShape:
    image: Any = c.shape("input", rank=4).sizes
    filters: Any = c.shape("filter", rank=3).sizes
    return TensorShape.of(_sizes(c, _slide(c), image, filters))


@DILATION2D_BACKPROP_INPUT.shape
def _dilation_backprop_input_shape(c: ShapeContext) -> TensorShape:
    _check_gradient(c)
    return c.shape("input", rank=4)


@DILATION2D_BACKPROP_FILTER.shape
def _dilation_backprop_filter_shape(c: ShapeContext) -> TensorShape:
    _check_gradient(c)
    return c.shape("filter", rank=3)


def _check_gradient(c: ShapeContext) -> None:
    shapes = [c.shape("out_backprop", rank=4), _dilation_shape(c)]
    c.merged("out_backprop and what dilation gives", shapes)


def _seen(
    windows: Sequence[Window], shape: Sequence[int], positions: Sequence[int]
) -> Iterator[tuple[tuple[int, int], Any, Any]]:
    """Each element of the filter, from which positions it sees anything, and what it sees."""
    before = [w.padding(n, m)[0] for w, n, m in zip(windows, shape, positions, strict=True)]
    for element in product(*(range(int(window.size)) for window in windows)):
        taps = [
            tap_at(place * window.rate - margin, window.stride, size, number)
            for place, window, margin, size, number in zip(
                element, windows, before, shape, positions, strict=True
            )
        ]
        rows, columns = taps
        if rows is not None and columns is not None:
            yield (
                (element[0], element[1]),
                (slice(None), rows.positions, columns.positions),
                (slice(None), rows.elements, columns.elements),
            )


@DILATION2D.kernel
def _dilation_kernel(c: KernelContext) -> Kernel:
    slide = _slide(c)

    def dilated(x: Array, filters: Array) -> Array:
        check_ranks(4, input=x)
        check_ranks(3, filter=filters)
        shape = _sizes(c, slide, x.shape, filters.shape)
        best = new_array(shape, x.dtype)
        best[...] = lowest(x.dtype)
        windows = slide.windows(filters.shape[:2])
        for element, target, source in _seen(windows, x.shape[1:3], shape[1:3]):
            for seen, part in zip(x[source], best[target], strict=True):
                value = along_channels(np.add, [seen], [filters[element]], x.dtype)
                # Not np.maximum: NaN is never greater.
                part[...] = chosen(value > part, value, part)
        return best

    return fresh(dilated)


def _winners(x: Array, filters: Array, slide: Sliding, shape: Sequence[int]) -> Array:
    """The number of the element of the filter that made each maximum, or -1 where none did."""
    best, winner = new_array(shape, x.dtype), new_array(shape, np.dtype(np.int64))
    best[...], winner[...] = lowest(x.dtype), -1
    windows = slide.windows(filters.shape[:2])
    for element, target, source in _seen(windows, x.shape[1:3], shape[1:3]):
        value = x[source] + filters[element]
        greater = value > best[target]
        np.copyto(best[target], value, where=greater)
        winner[target][greater] = element[0] * filters.shape[1] + element[1]
    return winner


def _backprop(c: KernelContext, *, to_image: bool) -> Kernel:
    slide = _slide(c)

    def backprop(x: Array, filters: Array, gradient: Array) -> Array:
        check_ranks(4, input=x, out_backprop=gradient)
        check_ranks(3, filter=filters)
        shape = tuple(map(int, _sizes(c, slide, x.shape, filters.shape)))
        if gradient.shape != shape:
            raise ValueError(f"out_backprop must have shape {list(shape)}, got {gradient.shape}")
        winner = _winners(x, filters, slide, shape)
        result = new_zeros(x.shape if to_image else filters.shape, x.dtype)
        # Where no element made it, TensorFlow takes the first one, or the first pixel inside.
        rows, columns = np.divmod(np.maximum(winner, 0), filters.shape[1])
        batch, _, _, channels = np.ix_(*map(np.arange, shape))
        if to_image:
            windows = slide.windows(filters.shape[:2])
            places = [
                _pixels(axis, window, x.shape[axis], numbers, winner < 0)
                for axis, window, numbers in zip((1, 2), windows, (rows, columns), strict=True)
            ]
            np.add.at(result, (batch, *places, channels), gradient)
        else:
            np.add.at(result, (rows, columns, channels), gradient)
        return result

    return fresh(backprop)


def _pixels(axis: int, window: Window, size: int, numbers: Array, unseen: Array) -> Array:
    """Image coordinates, along an axis, of the window elements with these indices."""
    before = window.padding(size, numbers.shape[axis])[0]
    starts = np.arange(numbers.shape[axis]) * window.stride - before
    starts = np.expand_dims(starts, [i for i in range(4) if i != axis])
    return np.asarray(np.where(unseen, np.maximum(starts, 0), starts + numbers * window.rate))


@DILATION2D_BACKPROP_INPUT.kernel
def _dilation_backprop_input_kernel(c: KernelContext) -> Kernel:
    return _backprop(c, to_image=True)


@DILATION2D_BACKPROP_FILTER.kernel
def _dilation_backprop_filter_kernel(c: KernelContext) -> Kernel:
    return _backprop(c, to_image=False)


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: Any = None,
) -> Tensor:
    """Grayscale dilation: the greatest sum of image and filter in each window.

    As in TensorFlow 1.15, each channel has a filter of its own, margins never win, and the least
    finite number stands where nothing does. Unlike `scipy.ndimage.grey_dilation`, the filter is
    not turned around.

    Args:
        input: images [batch, rows, columns, channels] of real numbers.
        filter: [rows, columns, channels], of the same dtype.
        strides: how far the window moves: one number, two, or one for each dimension.
        rates: how far apart the elements of the window are, in the same forms.
        padding: "SAME" or "VALID".
        name: a name for the op.
        filters: another name of `filter`.
        dilations: another name of `rates`.

    Returns:
        A Tensor [batch, rows, columns, channels] of the dtype of `input`.

    Raises:
        ValueError: the shapes do not fit together, or an argument is given twice.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = [[[[1.0], [5.0], [2.0]]]]
        ...     wider = td.nn.dilation2d(image, [[[0.0], [0.0]]], 1, 1, "SAME")
        ...     print(session.run(wider).ravel())
        [5. 5. 2.]
    """
    if filter is not None and filters is not None:
        raise ValueError("filters is another name of filter: give one of them")
    if rates is not None and dilations is not None:
        raise ValueError("dilations is another name of rates: give one of them")
    return DILATION2D(
        input,
        filters if filter is None else filter,
        strides=over_space("strides", strides, "NHWC", 1),
        rates=over_space("rates", dilations if rates is None else rates, "NHWC", 1),
        padding=padding,
        name=name,
    )


def erosion2d(
    value: TensorLike,
    kernel: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Grayscale erosion: the least difference of image and filter in each window.

    It is the dilation of the negated image by the kernel turned around, negated, as in
    TensorFlow 1.15.

    Args:
        value: images [batch, rows, columns, channels] of real numbers.
        kernel: [rows, columns, channels], of the same dtype.
        strides: as for `td.nn.dilation2d`.
        rates: as for `td.nn.dilation2d`.
        padding: "SAME" or "VALID".
        name: a name for the ops.

    Returns:
        A Tensor [batch, rows, columns, channels] of the dtype of `value`.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = [[[[1.0], [5.0], [2.0]]]]
        ...     narrower = td.nn.erosion2d(image, [[[0.0], [0.0]]], 1, 1, "VALID")
        ...     print(session.run(narrower).ravel())
        [1. 2.]
    """
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        image = convert_to_tensor(value, name="value")
        turned = reverse(convert_to_tensor(kernel, image.dtype, "kernel"), [0, 1])
        return negative(dilation2d(negative(image), turned, strides, rates, padding), name=scope)
