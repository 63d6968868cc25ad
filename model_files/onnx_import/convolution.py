"""Convolutions of ONNX, whose channels precede space, as TensorFlow's with that data format."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .linear import less_zero_point
from .nodes import (
    apply,
    as_size,
    cast,
    concat,
    cut,
    expand,
    rank_of,
    reshape,
    size_of,
    squeeze,
    stated,
    transpose,
    vector,
    wide,
)
from .tensors import MalformedError, UnsupportedError
from .windows import Windows, padded, windows_of


def filter_sizes(c: Call, w: Tensor) -> list[int]:
    """The sizes of the filters of a convolution."""
    stated = c.attrs.get("kernel_shape")
    sizes: list[Any] = w.shape.as_list()[2:] if w.shape.ndims is not None else [None]
    if None in sizes:
        if stated is None:
            raise UnsupportedError("the sizes of its filters are not known: not supported")
        return list(stated)
    if stated is not None and list(stated) != sizes:
        raise MalformedError(f"kernel_shape = {stated}, and the filters are {sizes}")
    return sizes


def convolved(x: Tensor, w: Tensor, windows: Windows, groups: int) -> Tensor:
    """A convolution, of 1 to 3 axes of space."""
    space = len(windows.kernel)
    if rank_of(w) != space + 2:
        raise MalformedError(f"the filters have shape {w.shape}, and the input {x.shape}")
    _check_channels(x, w, groups)
    if space == 1:
        return squeeze(convolved(expand(x, [2]), expand(w, [2]), _flat(windows), groups), [2])
    strides, rates = [1, 1, *windows.strides], [1, 1, *windows.dilations]
    if space == 3:
        if windows.pads is None:
            raise UnsupportedError("auto_pad is SAME, and sizes are not known: not supported")
        attrs = {"strides": strides, "dilations": rates, "data_format": "NCDHW", "padding": "VALID"}
        filters = transpose(w, [2, 3, 4, 1, 0])
        return wide("Conv3D", padded(x, windows.pads), filters, **attrs)
    attrs = {"strides": strides, "dilations": rates, "data_format": "NCHW", **_padding(windows)}
    outputs, depth, *sizes = w.shape.as_list()
    equal = len(set(windows.strides)) == 1
    if groups > 1 and depth == 1 and outputs is not None and outputs % groups == 0 and equal:
        filters = reshape(transpose(w, [2, 3, 1, 0]), [*sizes, groups, outputs // groups])
        return wide("DepthwiseConv2dNative", x, filters, **attrs)
    return wide("Conv2D", x, transpose(w, [2, 3, 1, 0]), **attrs)


def _check_channels(x: Tensor, w: Tensor, groups: int) -> None:
    channels, depth = x.shape.as_list()[1], w.shape.as_list()[1]
    if groups < 1 or (channels is not None and depth is not None and channels != depth * groups):
        raise MalformedError(
            f"group = {groups} does not fit {channels} channels and filters of {depth}"
        )


def _flat(windows: Windows) -> Windows:
    """Windows along one axis as windows along two."""
    pads = None if windows.pads is None else [(0, 0), *windows.pads]
    kernel, strides, dilations = ([1, *x] for x in windows[:3])
    if kernel[1] > 1 or strides[1] > 1:
        strides[0] = strides[1]  # equal strides, as depthwise convolutions demand, of one row
    return Windows(kernel, strides, dilations, pads, windows.same)


def _padding(windows: Windows) -> dict[str, Any]:
    if windows.pads is None:
        return {"padding": "SAME"}
    if not any(map(any, windows.pads)):
        return {"padding": "VALID"}
    flat = [0, 0, 0, 0, *(pad for pair in windows.pads for pad in pair)]
    return {"padding": "EXPLICIT", "explicit_paddings": flat}


def with_bias(x: Tensor, bias: Tensor) -> Tensor:
    """A tensor with a number added to each channel."""
    if rank_of(x) == 4 and x.dtype.is_floating:
        return apply("BiasAdd", x, bias, data_format="NCHW")
    return apply("AddV2", x, reshape(bias, [-1, *[1] * (rank_of(x) - 2)]))


def _conv(c: Call) -> Tensor:
    c.inputs = [stated(c[0], [None] * rank_of(c[1])), *c.inputs[1:]]
    result = convolved(c[0], c[1], windows_of(c, filter_sizes(c, c[1])), c.int("group", 1))
    return with_bias(result, c[2]) if c.has(2) else result


def _conv_integer(c: Call) -> Tensor:
    x = less_zero_point(c[0], c, 2, None)
    w = c[1]
    filters = cast(w, dtypes.int32)
    if c.has(3):
        zero = cast(c[3], dtypes.int32)
        per_channel = zero.shape.ndims == 1 and zero.shape.as_list() != [1]
        zero = reshape(zero, [-1, *[1] * (rank_of(w) - 1)] if per_channel else [])
        filters = apply("Sub", filters, zero)
    return integers_convolved(x, filters, windows_of(c, filter_sizes(c, w)), c.int("group", 1))


def integers_convolved(x: Tensor, w: Tensor, windows: Windows, groups: int) -> Tensor:
    """A convolution of integers, computed in floats that hold the results exactly."""
    image, filters = (cast(value, dtypes.float64) for value in (x, w))
    return cast(convolved(image, filters, windows, groups), dtypes.int32)


def _conv_transpose(c: Call) -> Tensor:
    x, w = c[0], c[1]
    kernel = filter_sizes(c, w)
    space = len(kernel)
    result = _transposed(c, x, w, windows_of_transposed(c, kernel))
    if space == 1:
        result = squeeze(result, [2])
    return with_bias(result, c[2]) if c.has(2) else result


def windows_of_transposed(c: Call, kernel: list[int]) -> tuple[Windows, list[Any]]:
    """The windows of a transposed convolution, and what is cut off."""
    space = rank_of(c[0]) - 2
    if not 1 <= space <= 3 or len(kernel) != space:
        raise MalformedError(f"kernel_shape = {kernel} does not fit an input of rank {space + 2}")
    strides, dilations = c.list("strides", [1] * space), c.list("dilations", [1] * space)
    more = c.list("output_padding", [0] * space)
    pads = c.list("pads", [0] * (2 * space))
    mode = c.text("auto_pad", "NOTSET")
    sizes = c[0].shape.as_list()[2:]
    stated = c.attrs.get("output_shape")
    lists = (strides, dilations, more, stated or strides)
    if (
        any(len(x) != space for x in lists)
        or len(pads) != 2 * space
        or min(*strides, *dilations) < 1
    ):
        raise MalformedError(f"strides = {strides}, dilations, pads or output_padding do not fit")
    windows = Windows(kernel, strides, dilations, None, False)
    cuts = []
    for axis, span in enumerate(windows.spans):
        before, behind, size = pads[axis], pads[axis + space], sizes[axis]
        if stated is not None or mode in ("SAME_UPPER", "SAME_LOWER"):
            if stated is not None:
                if size is None:
                    raise UnsupportedError(
                        "output_shape is stated, and a size is not known: not supported"
                    )
                total = strides[axis] * (size - 1) + more[axis] + span - stated[axis]
            else:
                total = span - strides[axis] + more[axis]
            # What is missing is padded behind; an odd element is cut off in front by default.
            half = max(total, 0) // 2
            before = half if mode == "SAME_UPPER" else max(total, 0) - half
            behind = total - before
        elif mode == "VALID":
            before = behind = 0
        cuts.append((before, behind - more[axis]))
    return windows, cuts


def _transposed(c: Call, x: Tensor, w: Tensor, setting: tuple[Windows, list[Any]]) -> Tensor:
    windows, cuts = setting
    groups = c.int("group", 1)
    if len(windows.kernel) == 1:
        x, w = expand(x, [2]), expand(w, [2])
        windows, cuts = _flat(windows)._replace(pads=None), [(0, 0), *cuts]
        windows = windows._replace(strides=[1, windows.strides[1]])
    space = len(windows.kernel)
    depth = w.shape.as_list()[1]
    if depth is None:
        raise UnsupportedError("the channels of its filters are not known: not supported")
    if groups < 1:
        raise MalformedError(f"group must be positive, got {groups}")
    removed = [(max(before, 0), max(behind, 0)) for before, behind in cuts]
    added = [(max(-before, 0), max(-behind, 0)) for before, behind in cuts]
    sizes: list[Any] = [size_of(x, 0), depth * groups]
    for axis, (stride, span) in enumerate(zip(windows.strides, windows.spans, strict=True)):
        size = size_of(x, axis + 2)
        more = span - stride - (sum(removed[axis]) if space == 2 else 0)
        if isinstance(size, int):
            sizes.append(size * stride + more)
        else:
            sizes.append(apply("AddV2", apply("Mul", size, np.int64(stride)), np.int64(more)))
    shape = vector(sizes)
    shape = cast(shape, dtypes.int32) if isinstance(shape, Tensor) else shape.astype(np.int32)
    attrs: dict[str, Any] = {
        "strides": [1, 1, *windows.strides],
        "dilations": [1, 1, *windows.dilations],
    }
    if space == 2:
        attrs |= {"data_format": "NCHW", **_padding(windows._replace(pads=removed))}
        result = apply("Conv2DBackpropInput", shape, transpose(w, [2, 3, 1, 0]), x, **attrs)
    else:
        attrs |= {"data_format": "NCDHW", "padding": "VALID"}
        filters = transpose(w, [2, 3, 4, 1, 0])
        result = apply("Conv3DBackpropInputV2", shape, filters, x, **attrs)
        for axis, (before, behind) in enumerate(removed, 2):
            if before or behind:
                result = cut(result, axis, before, -behind if behind else None)
    return padded(result, added)


def _causal_conv(c: Call) -> Any:
    x, w = c[0], c[1]
    channels, _, size = w.shape.as_list()
    if channels is None or size is None:
        raise UnsupportedError("the sizes of its filters are not known: not supported")
    if c.has(3):
        whole = concat([c[3], x], 2)
    else:
        whole = apply("Pad", x, np.array([(0, 0), (0, 0), (size - 1, 0)], np.int32))
    windows = Windows([size], [1], [1], [(0, 0)], False)
    result = convolved(whole, w, windows, channels)
    if c.has(2):
        result = with_bias(result, c[2])
    activation = c.text("activation", "none")
    if activation in ("silu", "swish"):
        result = apply("Mul", result, apply("Sigmoid", result))
    elif activation != "none":
        raise MalformedError(f"activation must be none, silu or swish, got {activation!r}")
    total = size_of(whole, 2)
    start = apply("Sub", as_size(total), np.int64(size - 1))
    begin = apply("Pack", [np.int64(0), np.int64(0), start])
    return [result, apply("Slice", whole, begin, np.array([-1, -1, size - 1]))]


RULES: dict[str, Rule] = {
    "CausalConvWithState": _causal_conv,
    "Conv": _conv,
    "ConvInteger": _conv_integer,
    "ConvTranspose": _conv_transpose,
}
