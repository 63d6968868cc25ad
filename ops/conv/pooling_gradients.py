"""TensorFlow's gradient ops of pooling, for graphs that it differentiated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.sliding_windows import Window, sliding
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import new_array, new_zeros
from ..common.elementwise import FLOATS, REALS
from ..common.parallel_blocks import share
from .first_maxima import to_first_maxima
from .jit_pooling import with_loop_of_maxima
from .pooling import WINDOW, WINDOW_3D, v2_windows
from .pooling_rules import (
    elements_seen,
    images_at_a_time,
    lowest,
    pool_windows,
    pooled_sizes,
    taps,
    taps_along,
)
from .window_flops import average_gradient_flops, maximum_gradient_flops

if TYPE_CHECKING:
    Find = Callable[[Array, Array, Array, list[Window]], Array]

_PADDING = "padding: {'SAME', 'VALID'}"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_GRADIENT = "orig_input: T, orig_output: T, grad: T"
AVG_POOL_GRAD = OpDef(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    f"{WINDOW}, {_PADDING}, {_FORMAT}, T: {{{FLOATS}}}",
    traits=Traits(splits="#,n*->n*"),
)
AVG_POOL_3D_GRAD = OpDef(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    f"{WINDOW_3D}, T: {{{FLOATS}}}",
    traits=Traits(splits="#,n*->n*"),
)
MAX_POOL_GRAD = OpDef(
    "MaxPoolGrad",
    f"{_GRADIENT} -> output: T",
    f"{WINDOW}, padding: {{'SAME', 'VALID', 'EXPLICIT'}}, explicit_paddings: list(int) = [], "
    f"{_FORMAT}, T: {{{REALS}}} = float32",
    traits=Traits(splits="n*,n*,n*->n*"),
)
MAX_POOL_GRAD_V2 = OpDef(
    "MaxPoolGradV2",
    f"{_GRADIENT}, ksize: int32, strides: int32 -> output: T",
    f"{_PADDING}, {_FORMAT}, T: {{{REALS}}} = float32",
    traits=Traits(splits="n*,n*,n*,*,*->n*"),
)
MAX_POOL_3D_GRAD = OpDef(
    "MaxPool3DGrad",
    "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    f"{WINDOW_3D}, T: {{half, bfloat16, float32}} = float32, "
    "TInput: {half, bfloat16, float32} = float32",
    traits=Traits(splits="n*,n*,n*->n*"),
)
MAX_POOL_GRAD_GRAD = OpDef(
    "MaxPoolGradGrad",
    f"{_GRADIENT} -> output: T",
    f"{WINDOW}, {_PADDING}, {_FORMAT}, T: {{{REALS}}}",
    traits=Traits(splits="n*,n*,n*->n*"),
)
MAX_POOL_GRAD_GRAD_V2 = OpDef(
    "MaxPoolGradGradV2",
    f"{_GRADIENT}, ksize: int32, strides: int32 -> output: T",
    f"{_PADDING}, {_FORMAT}, T: {{{REALS}}}",
    traits=Traits(splits="n*,n*,n*,*,*->n*"),
)
MAX_POOL_3D_GRAD_GRAD = OpDef(
    "MaxPool3DGradGrad",
    f"{_GRADIENT} -> output: T",
    f"{WINDOW_3D}, T: {{{REALS}}}",
    traits=Traits(splits="n*,n*,n*->n*"),
)
for _definition in (AVG_POOL_GRAD, AVG_POOL_3D_GRAD):
    _definition.flops(average_gradient_flops)
for _definition in (MAX_POOL_GRAD, MAX_POOL_3D_GRAD, MAX_POOL_GRAD_GRAD, MAX_POOL_3D_GRAD_GRAD):
    _definition.flops(maximum_gradient_flops)


def _rank(c: OpContext) -> int:
    return 5 if "3D" in c.node.definition.name else 4


def _fixed_windows(c: OpContext) -> list[Window]:
    return pool_windows(c.attr("ksize"), sliding(c, _rank(c)))


def _check_sizes(name: str, wanted: Sequence[Any], given: Sequence[int]) -> None:
    if tuple(wanted) != tuple(given):
        raise ValueError(f"{name} must have shape {list(wanted)}, got {list(given)}")


@AVG_POOL_GRAD.shape
@AVG_POOL_3D_GRAD.shape
def _avg_pool_grad_shape(c: ShapeContext) -> TensorShape:
    c.shape("grad", rank=_rank(c))
    shape = shape_from_value(c, "orig_input_shape")
    if shape.sizes is None:
        return TensorShape([None] * _rank(c))
    if len(shape.sizes) != _rank(c):
        raise ValueError(f"orig_input_shape must have {_rank(c)} elements, got {shape}")
    return shape


@AVG_POOL_GRAD.kernel
@AVG_POOL_3D_GRAD.kernel
def _avg_pool_grad_kernel(c: KernelContext) -> Kernel:
    windows = _fixed_windows(c)
    dtype = c.output_dtype.numpy_dtype
    inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype

    def avg_pool_grad(shape: Array, gradient: Array) -> Array:
        if shape.shape != (len(windows),):
            raise ValueError(
                f"orig_input_shape must have shape [{len(windows)}], got {list(shape.shape)}"
            )
        sizes = shape.tolist()
        if min(sizes) < 0:
            raise ValueError(f"orig_input_shape must not be negative, got {sizes}")
        _check_sizes("grad", pooled_sizes(windows, sizes), gradient.shape)
        share: Array = gradient.astype(inner)
        for divisor in elements_seen(sizes, windows):
            share /= divisor.astype(inner)
        for axis, window in enumerate(windows):
            if share.shape[axis] != sizes[axis] or window.size != 1:
                share = _spread_along(axis, share, window, sizes[axis])
        return share.astype(dtype, copy=False)

    return fresh(avg_pool_grad)


def _spread_along(axis: int, x: Array, window: Window, size: int) -> Array:
    """Adds each position to all elements, `size` along a dimension, that the window sees there."""
    lead = (slice(None),) * axis
    result = new_zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
    for positions, elements in taps_along(window, size, x.shape[axis]):
        part = result[(*lead, elements)]
        part += x[(*lead, positions)]
    return result


def _first_maxima(x: Array, windows: list[Window], shape: Sequence[int]) -> Array:
    """Index of the first window element that holds the maximum at each position."""
    best, which = new_array(shape, x.dtype), new_array(shape, np.dtype(np.int32))
    best[...], which[...] = lowest(x.dtype), -1
    begun = False  # at all positions
    for number, (target, source) in enumerate(taps(windows, x.shape, shape)):
        seen = x[source]
        if not begun and seen.shape == best.shape:
            greater: Any = ... if number == 0 else (seen > best) | (which < 0)
            begun = True
        else:
            greater = seen > best[target]
            if not begun:
                greater |= which[target] < 0
        np.copyto(best[target], seen, where=True if greater is ... else greater)
        np.copyto(which[target], number, where=True if greater is ... else greater)
    return which


def _to_first_maxima(x: Array, y: Array, gradient: Array, windows: list[Window]) -> Array:
    """Adds the gradient of each position to the first element that is its maximum."""
    images = images_at_a_time(x.shape, x.itemsize, windows)
    if images >= len(x):
        return _to_first_of_some(x, gradient, windows)
    result = new_array(x.shape, gradient.dtype)

    def go_back(firsts: Iterator[int]) -> None:
        for first in firsts:
            some = slice(first, first + images)
            result[some] = _to_first_of_some(x[some], gradient[some], windows)

    share(go_back, range(0, len(x), images))
    return result


def _to_first_of_some(x: Array, gradient: Array, windows: list[Window]) -> Array:
    by_dimensions = to_first_maxima(x, gradient, windows)
    if by_dimensions is not None:
        return by_dimensions
    which = _first_maxima(x, windows, gradient.shape)
    result = new_zeros(x.shape, gradient.dtype)
    for number, (target, source) in enumerate(taps(windows, x.shape, gradient.shape)):
        part, chosen = result[source], which[target] == number
        np.add(part, gradient[target], out=part, where=chosen)
    return result


def _to_all_maxima(x: Array, y: Array, gradient: Array, windows: list[Window]) -> Array:
    """Adds the gradient of each position to all elements that are its maximum, as for volumes."""
    result = new_zeros(x.shape, gradient.dtype)
    for target, source in taps(windows, x.shape, gradient.shape):
        part = result[source]
        np.add(part, gradient[target], out=part, where=x[source] == y[target])
    return result


def _from_first_maxima(x: Array, y: Array, gradient: Array, windows: list[Window]) -> Array:
    """Values of `gradient` at the first maximum of each position."""
    shape = [int(size) for size in pooled_sizes(windows, x.shape)]
    which = _first_maxima(x, windows, shape)
    result = new_zeros(shape, gradient.dtype)
    for number, (target, source) in enumerate(taps(windows, x.shape, shape)):
        np.copyto(result[target], gradient[source], where=which[target] == number)
    return result


def _max_pool_grad_shape(c: ShapeContext) -> TensorShape:
    rank = _rank(c)
    shape = c.shape("orig_input", rank=rank)
    for name in ("orig_output", "grad"):
        c.shape(name, rank=rank)
    return shape


def _max_pool_grad_grad_shape(c: ShapeContext) -> TensorShape:
    rank = _rank(c)
    shapes = {name: c.shape(name, rank=rank) for name in ("orig_input", "orig_output", "grad")}
    c.merged("orig_input and grad", [shapes["orig_input"], shapes["grad"]])
    return shapes["orig_output"]


def _checked(find: Find, windows: list[Window], forward: bool) -> Callable[..., Array]:
    """`find` behind the checks of shapes; `forward` where the gradient has the input's shape."""

    def checked(x: Array, y: Array, gradient: Array) -> Array:
        sizes = pooled_sizes(windows, x.shape)
        _check_sizes("orig_output", sizes, y.shape)
        _check_sizes("grad", x.shape if forward else sizes, gradient.shape)
        return find(x, y, gradient, windows)

    return checked


def _define(definition: OpDef, find: Find, forward: bool) -> None:
    definition.shape(_max_pool_grad_grad_shape if forward else _max_pool_grad_shape)

    @definition.kernel
    def kernel(c: KernelContext) -> Kernel:
        if "ksize" in c.node.attrs:
            windows, dtype = _fixed_windows(c), c.output_dtype.numpy_dtype
            if find is _to_first_maxima:
                return with_loop_of_maxima(
                    find, lambda go_back: _checked(go_back, windows, forward), windows, dtype
                )
            return fresh(_checked(find, windows, forward))

        def with_fed_windows(*arrays: Array) -> Array:
            x, y, gradient, ksize, strides = arrays
            return _checked(find, v2_windows(c, ksize, strides), forward)(x, y, gradient)

        return fresh(with_fed_windows)


for _definition in (MAX_POOL_GRAD, MAX_POOL_GRAD_V2):
    _define(_definition, _to_first_maxima, False)
_define(MAX_POOL_3D_GRAD, _to_all_maxima, False)
for _definition in (MAX_POOL_GRAD_GRAD, MAX_POOL_GRAD_GRAD_V2, MAX_POOL_3D_GRAD_GRAD):
    _define(_definition, _from_first_maxima, True)
