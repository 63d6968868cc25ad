"""Pools of ONNX: greatest elements, means and norms of windows."""

from __future__ import annotations

import math
from functools import partial, reduce
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import scaled, selected
from .nodes import (
    apply,
    cast,
    expand,
    joined,
    lowest,
    number,
    part_of,
    rank_of,
    reduced,
    reshape,
    shape_of,
    squeeze,
    static_shape,
    wide,
)
from .tensors import UnsupportedError
from .windows import Windows, ceiled, linear_indices, padded, taps, windows_of


def _windows(c: Call) -> Windows:
    windows = windows_of(c, list(c.list("kernel_shape")))
    if c.int("ceil_mode", 0) and windows.pads is not None and not windows.same:
        windows = ceiled(windows, c[0])
    return windows


def _max_pool(c: Call) -> Any:
    x, windows = c[0], _windows(c)
    if c.wants(1):
        return _max_pool_with_indices(c, windows)
    if max(windows.dilations) > 1:
        return _along_each("Maximum", padded(x, _pads(windows), lowest(x.dtype)), windows)
    return _pooled("MaxPool", x, windows, lowest(x.dtype))


def _pads(windows: Windows) -> list[tuple[int, int]]:
    if windows.pads is None:
        raise UnsupportedError("auto_pad is SAME, and sizes are not known: not supported")
    return windows.pads


def _pooled(op_type: str, x: Tensor, windows: Windows, value: Any = None) -> Tensor:
    """A pool without dilation, of one of TensorFlow's types; `value` is that of the padding."""
    if len(windows.kernel) == 1:
        pads = None if windows.pads is None else [(0, 0), *windows.pads]
        flat = Windows([1, *windows.kernel], [1, *windows.strides], [1, 1], pads, windows.same)
        return squeeze(_pooled(op_type, expand(x, [2]), flat, value), [2])
    attrs: dict[str, Any] = {
        "ksize": [1, 1, *windows.kernel],
        "strides": [1, 1, *windows.strides],
        "data_format": "NCHW",
        "padding": "VALID",
    }
    if windows.pads is None:
        attrs["padding"] = "SAME"
    elif len(windows.kernel) == 3:
        x = padded(x, windows.pads, value)
    elif any(map(any, windows.pads)):
        inside = all(max(pad) < k for pad, k in zip(windows.pads, windows.kernel, strict=True))
        if op_type == "MaxPool" and inside:
            flat_pads = [0, 0, 0, 0, *(pad for pair in windows.pads for pad in pair)]
            attrs |= {"padding": "EXPLICIT", "explicit_paddings": flat_pads}
        else:
            x = padded(x, windows.pads, value)
    if len(windows.kernel) == 3:
        attrs["data_format"] = "NCDHW"
        op_type = f"{op_type}3D"
    return wide(op_type, x, **attrs)


def _max_pool_with_indices(c: Call, windows: Windows) -> Any:
    x = c[0]
    pads = _pads(windows)
    values = taps(padded(x, pads, lowest(x.dtype)), windows)
    numbers = linear_indices(x, bool(c.int("storage_order", 0)))
    places = taps(padded(numbers, pads, np.int64(-1)), windows)
    best, place = values[0], places[0]
    for value, number_of in zip(values[1:], places[1:], strict=True):
        better = wide("Greater", value, best)
        if any(map(any, pads)):  # padding is never the best, even where all are the lowest number
            better = apply("LogicalOr", better, apply("Less", place, np.int64(0)))
        best = selected(better, value, best)
        place = selected(better, number_of, place)
    return [best, place]


def _average_pool(c: Call) -> Tensor:
    """The means of windows, of which padding is part or not."""
    x, windows = c[0], _windows(c)
    included = bool(c.int("count_include_pad", 0))
    if windows.pads is None:
        if included or max(windows.dilations) > 1:
            _pads(windows)
        return _pooled("AvgPool", x, windows)
    plain = not any(map(any, windows.pads))
    bare = windows._replace(pads=[(0, 0)] * len(windows.kernel))
    total = _mean(padded(x, windows.pads), bare)
    if plain:
        return total
    ones = apply("Fill", joined([1, 1], part_of(shape_of(x), 2)), number(x, 1))
    if included:
        stated = windows_of(c, list(c.list("kernel_shape"))).pads or []
        more = [
            (0, after[1] - before[1]) for before, after in zip(stated, windows.pads, strict=True)
        ]
        if not any(map(any, more)):
            return total
        ones = padded(padded(ones, stated, number(x, 1)), more)
    else:
        ones = padded(ones, windows.pads)
    return wide("RealDiv", total, _mean(ones, bare))


def _mean(x: Tensor, windows: Windows) -> Tensor:
    if max(windows.dilations) == 1:
        return _pooled("AvgPool", x, windows)
    return scaled(_along_each("AddV2", x, windows), 1 / math.prod(windows.kernel))


def _along_each(op_type: str, x: Tensor, windows: Windows) -> Tensor:
    """The elements of windows combined by an op, along one axis after the other."""
    ones = [1] * len(windows.kernel)
    for axis in range(len(ones)):
        kernel, strides, dilations = (
            [*ones[:axis], values[axis], *ones[axis + 1 :]] for values in windows[:3]
        )
        parts = taps(x, Windows(kernel, strides, dilations, None, False))
        x = reduce(partial(wide, op_type), parts)
    return x


def _lp_pool(c: Call) -> Tensor:
    order = c.int("p", 2) if c.version >= 2 else c.float("p", 2.0)
    windows = _windows(c)
    powers = _power(wide("Abs", c[0]), order)
    bare = windows._replace(pads=[(0, 0)] * len(windows.kernel))
    means = _mean(padded(powers, _pads(windows)), bare)
    return _power(scaled(means, math.prod(windows.kernel)), 1 / order)


def _power(x: Tensor, order: float) -> Tensor:
    if order == 1:
        return x
    if order == 2:
        return wide("Square", x)
    return wide("Sqrt", x) if order == 0.5 else wide("Pow", x, number(x, order))


def _global(op_type: str, c: Call) -> Tensor:
    return reduced(op_type, c[0], range(2, rank_of(c[0])), True)


def _global_lp_pool(c: Call) -> Tensor:
    order = c.int("p", 2)
    powers = _power(wide("Abs", c[0]), order)
    return _power(reduced("Sum", powers, range(2, rank_of(c[0])), True), 1 / order)


def _max_unpool(c: Call) -> Tensor:
    x, indices = c[0], cast(c[1], dtypes.int64)
    windows = windows_of(c, list(c.list("kernel_shape")))
    sizes = static_shape(x)
    if sizes is None:
        raise UnsupportedError("the shape of its input is not known: not supported")
    inner = [
        (size - 1) * stride + k - sum(pad)
        for size, stride, k, pad in zip(
            sizes[2:], windows.strides, windows.kernel, windows.pads or [], strict=True
        )
    ]
    natural = [*sizes[:2], *inner]
    values = reshape(x, [-1])
    places = reshape(indices, [-1, 1])
    flat = apply("ScatterNd", places, values, np.array([math.prod(natural)], np.int64))
    result = reshape(flat, natural)
    if not c.has(2):
        return result
    wanted = c.const(2)
    # The elements are placed in the natural shape, and the rest is zeros behind it.
    if wanted is not None:
        more = [(0, int(new) - old) for new, old in zip(wanted, natural, strict=True)]
        return apply("Pad", result, np.array(more, np.int32)) if any(map(any, more)) else result
    more = apply("Sub", cast(c[2], dtypes.int64), np.array(natural, np.int64))
    return apply("Pad", result, apply("Pack", [np.zeros(len(natural), np.int64), more], axis=1))


RULES: dict[str, Rule] = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": partial(_global, "Mean"),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": partial(_global, "Max"),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
    "MaxUnpool": _max_unpool,
}
