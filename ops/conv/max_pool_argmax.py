"""Max pooling that also returns the indices of the maxima."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.sliding_windows import sliding
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import new_array, new_zeros
from ..common.elementwise import REALS
from .pooling_rules import lowest, pool_windows, pooled_sizes, taps
from .window_arguments import over_space

public = {"td.nn": "max_pool_with_argmax"}

MAX_POOL_WITH_ARGMAX = OpDef(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    "ksize: list(int) >= 4, strides: list(int) >= 4, Targmax: {int32, int64} = int64, "
    f"padding: {{'SAME', 'VALID'}}, include_batch_in_index: bool = false, T: {{{REALS}}}",
)


@MAX_POOL_WITH_ARGMAX.shape
def _max_pool_with_argmax_shape(c: ShapeContext) -> list[TensorShape]:
    windows = pool_windows(c.attr("ksize"), sliding(c, 4))
    sizes: Any = c.shape("input", rank=4).sizes
    shape = TensorShape.of(pooled_sizes(windows, sizes))
    return [shape, shape]


@MAX_POOL_WITH_ARGMAX.fresh_kernel
def _max_pool_with_argmax_kernel(c: KernelContext) -> Kernel:
    windows = pool_windows(c.attr("ksize"), sliding(c, 4))
    if windows[3].size != 1 or windows[3].stride != 1:
        raise ValueError(f"ksize and strides must be 1 for the channels, got {c.attr('ksize')}")
    whole = c.attr("include_batch_in_index")
    dtype = c.node.outputs[1].dtype.numpy_dtype

    def max_pool(x: Array) -> tuple[Array, Array]:
        shape = tuple([int(size) for size in pooled_sizes(windows, x.shape)])
        best, place = new_array(shape, x.dtype), new_array(shape, dtype)
        best[...], place[...] = lowest(x.dtype), -1
        numbers = np.arange(x.size if whole else x[:1].size, dtype=dtype)
        numbers = numbers.reshape(-1, *x.shape[1:]) if x.size else numbers.reshape(0, *x.shape[1:])
        for target, source in taps(windows, x.shape, shape):
            greater = (x[source] > best[target]) | (place[target] < 0)
            np.copyto(best[target], x[source], where=greater)
            np.copyto(place[target], numbers[source], where=greater)
        return best, place

    return max_pool


_GIVEN = (
    "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, "
    f"include_batch_in_index: bool = false, Targmax: {{int32, int64}}, T: {{{REALS}}}"
)
MAX_POOL_GRAD_WITH_ARGMAX = OpDef(
    "MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T", _GIVEN
)
MAX_POOL_GRAD_GRAD_WITH_ARGMAX = OpDef(
    "MaxPoolGradGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T", _GIVEN
)


@MAX_POOL_GRAD_WITH_ARGMAX.shape
def _max_pool_grad_with_argmax_shape(c: ShapeContext) -> TensorShape:
    c.merged("grad and argmax", [c.shape("grad", rank=4), c.shape("argmax", rank=4)])
    return c.shape("input", rank=4)


@MAX_POOL_GRAD_GRAD_WITH_ARGMAX.shape
def _max_pool_grad_grad_with_argmax_shape(c: ShapeContext) -> TensorShape:
    c.merged("input and grad", [c.shape("input", rank=4), c.shape("grad", rank=4)])
    return c.shape("argmax", rank=4)


def _places(c: KernelContext, x: Array, argmax: Array) -> Array:
    """Flat indices of the maxima in `x`.

    Raises:
        ValueError: `argmax` is not an index in `x`, or its shape differs from that of the maxima.
    """
    whole = c.attr("include_batch_in_index")
    wanted = [*pooled_sizes(pool_windows(c.attr("ksize"), sliding(c, 4)), x.shape)]
    if wanted != [*argmax.shape]:
        raise ValueError(f"argmax must have shape {wanted}, got {list(argmax.shape)}")
    most = x.size if whole else x[:1].size
    wrong = (argmax < 0) | (argmax >= most)
    if wrong.any():
        first = np.unravel_index(wrong.argmax(), argmax.shape)
        at = ",".join(map(str, first))
        raise ValueError(f"argmax[{at}] = {argmax[first]} is not in [0, {most})")
    if whole:
        return argmax
    return np.asarray(argmax + (np.arange(len(x), dtype=np.int64) * most)[:, None, None, None])


@MAX_POOL_GRAD_WITH_ARGMAX.kernel
def _max_pool_grad_with_argmax_kernel(c: KernelContext) -> Kernel:
    def backwards(x: Array, gradient: Array, argmax: Array) -> Array:
        if gradient.shape != argmax.shape:
            raise ValueError(
                f"grad must have shape {list(argmax.shape)}, got {list(gradient.shape)}"
            )
        result = new_zeros(x.shape, x.dtype)
        np.add.at(result.reshape(-1), _places(c, x, argmax).reshape(-1), gradient.reshape(-1))
        return result

    return fresh(backwards)


@MAX_POOL_GRAD_GRAD_WITH_ARGMAX.kernel
def _max_pool_grad_grad_with_argmax_kernel(c: KernelContext) -> Kernel:
    def forwards(x: Array, gradient: Array, argmax: Array) -> Array:
        if gradient.shape != x.shape:
            raise ValueError(f"grad must have shape {list(x.shape)}, got {list(gradient.shape)}")
        return gradient.reshape(-1)[_places(c, x, argmax)]

    return fresh(forwards)


class MaxPoolWithArgmax(NamedTuple):
    """Result of `max_pool_with_argmax`.

    Args:
        output: the maxima.
        argmax: where they stood.
    """

    output: Tensor
    argmax: Tensor


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> MaxPoolWithArgmax:
    """Max pooling, with the flat index of each maximum.

    Args:
        input: images `[batch, rows, columns, channels]` of numbers.
        ksize: the size of the window: a number, one for rows and one for columns, or one for each
            dimension of `input`.
        strides: how far the window moves from one position to the next, as `ksize`.
        padding: "VALID" for the positions inside the image; "SAME" for one position per stride.
        data_format: "NHWC" only.
        Targmax: the older name of `output_dtype`.
        name: a name for the op.
        output_dtype: the dtype of the places: int64, the default, or int32.
        include_batch_in_index: whether places are counted over all images, not within each.

    Returns:
        The maxima `[batch, out_rows, out_columns, channels]`, and the place of the first of each:
        `(row * columns + column) * channels + channel`.

    Raises:
        ValueError: the rank is not 4, the window is larger than the image, or the data format is
            another one.

    Example:
        >>> image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     pool = session.run(td.nn.max_pool_with_argmax(image, 2, 2, "VALID"))
        ...     print(pool.argmax[0, :, :, 0])
        [[ 5  7]
         [13 15]]
    """
    if data_format != "NHWC":
        raise ValueError(f"data_format = {data_format!r} is not 'NHWC'")
    dtype = Targmax if output_dtype is None else output_dtype
    pool = MAX_POOL_WITH_ARGMAX(
        input,
        ksize=over_space("ksize", ksize, data_format),
        strides=over_space("strides", strides, data_format),
        padding=padding,
        Targmax=as_dtype("int64" if dtype is None else dtype),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return MaxPoolWithArgmax(*pool)
