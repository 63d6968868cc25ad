"""Pooling that also tells where each maximum stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype
from ...shape_inference.sliding_windows import sliding
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import new_array
from ..kit.elementwise import REALS
from .pooling_rules import lowest, pool_windows, pooled_sizes
from .window_arguments import over_space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.sliding_windows import Window

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


@MAX_POOL_WITH_ARGMAX.kernel
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
        for rows in _seen(windows[1], x.shape[1], shape[1]):
            for columns in _seen(windows[2], x.shape[2], shape[2]):
                target = (slice(None), rows.positions, columns.positions)
                source = (slice(None), rows.elements, columns.elements)
                greater = (x[source] > best[target]) | (place[target] < 0)
                np.copyto(best[target], x[source], where=greater)
                np.copyto(place[target], numbers[source], where=greater)
        return best, place

    return max_pool


class _Seen(NamedTuple):
    """Positions of a window, and the elements that one offset within it sees from there."""

    positions: slice
    elements: slice


def _seen(window: Window, size: int, number: int) -> Sequence[_Seen]:
    before, _ = window.padding(size, number)
    found = []
    for offset in range(-before, int(window.size) - before):
        first = max(-(offset // window.stride), 0)
        last = min((size - 1 - offset) // window.stride, number - 1)
        if first <= last:
            start, end = (offset + position * window.stride for position in (first, last))
            found.append(_Seen(slice(first, last + 1), slice(start, end + 1, window.stride)))
    return found


class MaxPoolWithArgmax(NamedTuple):
    """What `max_pool_with_argmax` returns.

    Args:
        output: the maxima.
        argmax: where they stood.
    """

    output: Tensor
    argmax: Tensor


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> MaxPoolWithArgmax:
    """The greatest element that a window sees at each position, of each channel, and its place.

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
        >>> import numpy as np
        >>> import tensordraft as td
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
