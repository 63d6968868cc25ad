"""Windows that slide over space: strides, dilations and padding of convolutions and pools."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call
from .nodes import apply, rank_of, shape_of
from .tensors import MalformedError, UnsupportedError

_MOST_SPACE = 3


class Windows(NamedTuple):
    """Windows along the axes behind batch and channels.

    Attributes:
        kernel: their sizes.
        strides: how far they move.
        dilations: the distances of their elements.
        pads: pairs of numbers of elements before and behind; None for those of `same`.
        same: whether padding is that of TensorFlow's "SAME".
    """

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]] | None
    same: bool

    @property
    def spans(self) -> list[int]:
        """The numbers of elements that windows reach over."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]


def windows_of(c: Call, kernel: list[int]) -> Windows:
    """The windows of a convolution or pool.

    Args:
        c: the call, whose first input they slide over.
        kernel: their sizes.

    Raises:
        MalformedError: its attributes do not fit the input.
    """
    space = rank_of(c[0]) - 2
    if not 1 <= space <= _MOST_SPACE or len(kernel) != space:
        raise MalformedError(f"kernel_shape = {kernel} does not fit an input of rank {space + 2}")
    strides = c.list("strides", [1] * space)
    dilations = c.list("dilations", [1] * space)
    for name, values in (("kernel_shape", kernel), ("strides", strides), ("dilations", dilations)):
        if len(values) != space or any(value < 1 for value in values):
            raise MalformedError(f"{name} must be {space} positive integers, got {values}")
    mode = c.text("auto_pad", "NOTSET")
    if mode in ("NOTSET", ""):
        pads = c.list("pads", [0] * (2 * space))
        if len(pads) != 2 * space or any(pad < 0 for pad in pads):
            raise MalformedError(f"pads must be {2 * space} integers from 0 on, got {pads}")
        pairs = list(zip(pads[:space], pads[space:], strict=True))
        return Windows(kernel, strides, dilations, pairs, False)
    if mode == "VALID":
        return Windows(kernel, strides, dilations, [(0, 0)] * space, False)
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise MalformedError(f"auto_pad must be NOTSET, VALID or SAME_…, got {mode!r}")
    windows = Windows(kernel, strides, dilations, None, True)
    return _with_same_pads(windows, c[0].shape.as_list()[2:], mode == "SAME_LOWER")


def _with_same_pads(windows: Windows, sizes: list[int | None], lower: bool) -> Windows:
    """Windows with the padding that gives an output for each stride, where it is known."""
    pads = []
    for size, span, stride in zip(sizes, windows.spans, windows.strides, strict=True):
        if size is None and stride != 1:
            if lower:
                raise UnsupportedError(
                    "auto_pad is SAME_LOWER, and sizes are not known: not supported"
                )
            return windows
        total = (
            span - 1 if size is None else max((-(-size // stride) - 1) * stride + span - size, 0)
        )
        small, large = total // 2, total - total // 2
        pads.append((large, small) if lower else (small, large))
    return windows._replace(pads=pads)


def ceiled(windows: Windows, x: Tensor) -> Windows:
    """Windows of which the last may begin inside and end beyond the padding.

    Raises:
        MalformedError: a size is not known.
    """
    pads = []
    sizes = x.shape.as_list()[2:]
    for size, span, stride, pad in zip(
        sizes, windows.spans, windows.strides, windows.pads or [], strict=True
    ):
        if size is None:
            raise UnsupportedError("ceil_mode is 1, and a size is not known: not supported")
        before, behind = pad
        count = -(-(size + before + behind - span) // stride) + 1
        if (count - 1) * stride >= size + before:
            count -= 1
        more = (count - 1) * stride + span - (size + before)
        pads.append((before, max(more, behind)))
    return windows._replace(pads=pads)


def padded(x: Tensor, pads: list[tuple[int, int]], value: Any = None) -> Tensor:
    """A tensor padded along its axes of space."""
    if not any(map(any, pads)):
        return x
    pairs = np.array([(0, 0), (0, 0), *pads], np.int32)
    if value is None:
        return apply("Pad", x, pairs)
    return apply("PadV2", x, pairs, value)


def taps(x: Tensor, windows: Windows) -> list[Tensor]:
    """For each element of a window, that element of all windows; `x` is padded already.

    Raises:
        MalformedError: windows have too many elements for this.
    """
    if math.prod(windows.kernel) > 1024:
        raise UnsupportedError(f"kernel_shape = {windows.kernel} is too large: not supported")
    space = range(2, rank_of(x))
    result = []
    for place in np.ndindex(*windows.kernel):
        starts = [i * d for i, d in zip(place, windows.dilations, strict=True)]
        stops = [start + 1 - span for start, span in zip(starts, windows.spans, strict=True)]
        mask = sum(1 << axis for axis, stop in zip(space, stops, strict=True) if stop == 0)
        begin, end, strides = [0, 0, *starts], [0, 0, *stops], [1, 1, *windows.strides]
        result.append(
            apply("StridedSlice", x, begin, end, strides, begin_mask=3, end_mask=3 | mask)
        )
    return result


def linear_indices(x: Tensor, column_major: bool) -> Tensor:
    """The number of each element in a tensor, whose last two axes may be in the other order."""
    shape = shape_of(x)
    numbers = apply("Range", np.int64(0), apply("Size", x, out_type=dtypes.int64), np.int64(1))
    if not column_major or rank_of(x) < 4:
        return apply("Reshape", numbers, shape)
    order = list(range(rank_of(x)))
    order[2:] = order[2:][::-1]
    turned = apply("GatherV2", shape, np.array(order), np.int32(0))
    return apply("Transpose", apply("Reshape", numbers, turned), np.array(order, np.int32))
