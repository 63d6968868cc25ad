"""Ops of ONNX that reduce along axes, or compute along one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from .call import Call, Rule
from .elementwise import scaled, selected
from .nodes import (
    apply,
    as_size,
    axis_of,
    cast_size,
    ints,
    number,
    rank_of,
    reduced,
    reshape,
    size_of,
    transpose,
    wide,
)
from .tensors import MalformedError

_REDUCTIONS = {
    "ReduceMean": "Mean",
    "ReduceProd": "Prod",
    "ReduceSum": "Sum",
}
_EXTREMES = {"ReduceMax": ("Max", "Any"), "ReduceMin": ("Min", "All")}


def _reduce(op_type: str, c: Call, x: Tensor | None = None, keep: bool = False) -> Tensor:
    """A reduction, by the axes of the call, which keeps them if told to or if the call does."""
    x = c[0] if x is None else x
    keep = keep or bool(c.int("keepdims", 1))
    axes = c.attrs.get("axes")
    given: Any = None
    if axes is None and c.has(1):
        given = c[1]
        known = c.const(1)
        axes = None if known is None else [int(axis) for axis in known.reshape(-1)]
        if axes is None and given.shape.ndims == 1 and given.shape.as_list()[0] == 0:
            axes = []
    if axes is None and given is not None:
        return _by_unknown_axes(op_type, x, given, keep, bool(c.int("noop_with_empty_axes", 0)))
    if not axes:
        if c.int("noop_with_empty_axes", 0):
            return apply("Identity", x)
        axes = range(rank_of(x))
    places = np.array([axis_of(axis, rank_of(x)) for axis in axes], np.int32)
    return wide(op_type, x, places, keep_dims=keep)


def _by_unknown_axes(op_type: str, x: Tensor, axes: Tensor, keep: bool, noop: bool) -> Tensor:
    """A reduction whose axes are not known before a run: none of them may mean all."""
    rank = rank_of(x)
    count = axes.shape.as_list()[0] if axes.shape.ndims == 1 else None
    if count is None and not noop:
        everything = ints(range(rank))
        none = apply("Equal", apply("Size", axes), np.int32(0))
        chosen = apply("Where", apply("LogicalOr", none, _among(axes, everything, rank)))
        axes = reshape(chosen, [-1])
    return wide(op_type, x, axes, keep_dims=keep)


def _among(axes: Tensor, everything: Any, rank: int) -> Tensor:
    front = apply("ExpandDims", apply("FloorMod", axes, np.int64(rank)), np.int32(0))
    return apply("Any", apply("Equal", front, everything[:, None]), np.int32(1))


def _reduce_l1(c: Call) -> Tensor:
    return _reduce("Sum", c, wide("Abs", c[0]))


def _reduce_l2(c: Call) -> Tensor:
    return wide("Sqrt", _reduce("Sum", c, wide("Square", c[0])))


def _reduce_sum_square(c: Call) -> Tensor:
    return _reduce("Sum", c, wide("Square", c[0]))


def _reduce_log_sum(c: Call) -> Tensor:
    return wide("Log", _reduce("Sum", c))


def _reduce_log_sum_exp(c: Call) -> Tensor:
    x = c[0]
    most = apply("StopGradient", _reduce("Max", c, x, keep=True))
    most = selected(wide("IsFinite", most), most, number(x, 0))
    total = wide("Log", _reduce("Sum", c, wide("Exp", wide("Sub", x, most))))
    if not c.int("keepdims", 1):
        most = apply("Reshape", most, apply("Shape", total))
    return wide("AddV2", total, most)


def _extreme(names: tuple[str, str], c: Call) -> Tensor:
    return _reduce(names[1] if c[0].dtype is dtypes.bool else names[0], c)


def _arg(op_type: str, c: Call) -> Tensor:
    x = c[0]
    axis = axis_of(c.int("axis", 0), rank_of(x))
    if c.int("select_last_index", 0):
        found = apply(
            op_type, apply("ReverseV2", x, [axis]), np.int32(axis), output_type=dtypes.int64
        )
        size = size_of(x, axis)
        last = apply("Sub", as_size(size), np.int64(1))
        found = apply("Sub", last, found)
    else:
        found = apply(op_type, x, np.int32(axis), output_type=dtypes.int64)
    return apply("ExpandDims", found, np.int32(axis)) if c.int("keepdims", 1) else found


def along_last(c: Call, function: Callable[[Tensor], Tensor]) -> Tensor:
    """A function along an axis, or before opset 13 along all axes from one on."""
    x = c[0]
    rank = rank_of(x)
    if c.version < 13:
        axis = axis_of(c.int("axis", 1), rank) if rank else 0
        if axis == rank - 1:
            return function(x)
        shape = apply("Shape", x)
        front = [size_of(x, i) for i in range(axis)]
        return apply("Reshape", function(reshape(x, [*front, -1])), shape)
    axis = axis_of(c.int("axis", -1), rank)
    if axis == rank - 1:
        return function(x)
    perm = list(range(rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return transpose(function(transpose(x, perm)), perm)


def _softmax(op_type: str, c: Call) -> Tensor:
    return along_last(c, partial(wide, op_type))


def _hardmax(c: Call) -> Tensor:
    def hardmax(x: Tensor) -> Tensor:
        best = apply("ArgMax", x, np.int32(-1), output_type=dtypes.int64)
        return apply("OneHot", best, cast_size(size_of(x, -1)), number(x, 1), number(x, 0))

    return along_last(c, hardmax)


def _cumulative(op_type: str, c: Call) -> Tensor:
    settings = {name: bool(c.int(name, 0)) for name in ("exclusive", "reverse")}
    return wide(op_type, c[0], reshape(c[1], []) if c[1].shape.ndims != 0 else c[1], **settings)


def _top_k(c: Call) -> Any:
    x = c[0]
    rank = rank_of(x)
    axis = axis_of(c.int("axis", -1), rank)
    k: Any = np.int64(c.int("k")) if c.version < 10 else reshape(c[1], [])
    perm = list(range(rank))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    moved = transpose(x, perm)
    if c.int("largest", 1):
        values, indices = apply("TopKV2", moved, k, index_type=dtypes.int64)
    else:
        values, indices = smallest(moved, k)
    return [transpose(values, perm), transpose(indices, perm)]


def smallest(x: Tensor, k: Any) -> tuple[Tensor, Tensor]:
    """The smallest elements along the last axis, in ascending order; equal ones in theirs."""
    if x.dtype.is_floating:
        values, indices = apply("TopKV2", apply("Neg", x), k, index_type=dtypes.int64)
        return apply("Neg", values), indices
    flipped = apply("Invert", x)  # reverses the order of integers, and does not overflow
    values, indices = apply("TopKV2", flipped, k, index_type=dtypes.int64)
    return apply("Invert", values), indices


def _mean_variance_normalization(c: Call) -> Tensor:
    x = c[0]
    axes = [axis_of(axis, rank_of(x)) for axis in c.list("axes", [0, 2, 3])]
    apart = apply("Sub", x, reduced("Mean", x, axes, True))
    deviation = apply("Sqrt", reduced("Mean", apply("Square", apart), axes, True))
    return apply("RealDiv", apart, scaled(deviation, 1, 1e-9))


def _lp_normalization(c: Call) -> Tensor:
    x, order = c[0], c.int("p", 2)
    axis = axis_of(c.int("axis", -1), rank_of(x))
    if order == 1:
        norm = reduced("Sum", apply("Abs", x), [axis], True)
    elif order == 2:
        norm = apply("Sqrt", reduced("Sum", apply("Square", x), [axis], True))
    else:
        raise MalformedError(f"p must be 1 or 2, got {order}")
    return apply("DivNoNan", x, norm)


RULES: dict[str, Rule] = {
    **{name: partial(_reduce, op_type) for name, op_type in _REDUCTIONS.items()},
    **{name: partial(_extreme, names) for name, names in _EXTREMES.items()},
    "ArgMax": partial(_arg, "ArgMax"),
    "ArgMin": partial(_arg, "ArgMin"),
    "CumProd": partial(_cumulative, "Cumprod"),
    "CumSum": partial(_cumulative, "Cumsum"),
    "Hardmax": _hardmax,
    "LogSoftmax": partial(_softmax, "LogSoftmax"),
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance_normalization,
    "ReduceL1": _reduce_l1,
    "ReduceL2": _reduce_l2,
    "ReduceLogSum": _reduce_log_sum,
    "ReduceLogSumExp": _reduce_log_sum_exp,
    "ReduceSumSquare": _reduce_sum_square,
    "Softmax": partial(_softmax, "Softmax"),
    "TopK": _top_k,
}
