"""Static facts for gradient rules: equal shapes, uniform values."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...graph.constant_value import constant_value, known_value
from ...graph.graph import Graph
from ...graph.node import Operation, Tensor
from ...ops.array.broadcast import BROADCAST_GRADIENT_ARGS, broadcast_to
from ...ops.array.cast import cast
from ...ops.array.constants import constant, fill, ones_like
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import expand_dims, reshape, squeeze
from ...ops.array.shapes import shape as shape_op, size as size_op
from ...ops.indexing.dynamic_partition import dynamic_stitch
from ...ops.math.arithmetic import add, multiply
from ...ops.math.division import floormod
from ...ops.math.reductions import reduce_sum
from ...protos.dtypes import int32
from ...shape_inference.symbolic.symbolic import equal
from ...shape_inference.tensor_shape import TensorShape

_SMALL = 64  # elements up to which constants are written out
_PASSING_ON = ("Identity", "Reshape", "BroadcastTo", "Tile", "ExpandDims", "Squeeze")
_HANDING_ON = ("Identity", "Reshape", "ExpandDims", "Squeeze", "StopGradient", "PreventGradient")
_GRADIENT_OPS: WeakKeyDictionary[Graph, list[range]] = WeakKeyDictionary()


def same_shape(x: Tensor, y: Tensor) -> bool:
    """Returns True if two tensors have the same shape in every run."""
    return known_equal(x.shape, y.shape)


def known_equal(x: TensorShape, y: TensorShape) -> bool:
    """Returns True if two shapes are equal in every run; symbols may prove it."""
    if x.sizes is None or y.sizes is None or len(x.sizes) != len(y.sizes):
        return False
    return all(_same_size(m, n) for m, n in zip(x.sizes, y.sizes, strict=True))


def _same_size(m: Any, n: Any) -> bool:
    return m is not None and n is not None and equal(m, n) is True


def known_sizes(x: Tensor) -> list[int] | None:
    """The shape as a list of ints, where it is the same at every run."""
    sizes = x.shape.sizes
    known = [size for size in sizes or () if isinstance(size, int)]
    return known if sizes is not None and len(known) == len(sizes) else None


def shape_of(x: Tensor, dtype: Any = np.int32) -> Any:
    """The shape of `x`: an array where it is known, else the result of `td.shape`."""
    sizes = known_sizes(x)
    if sizes is None or (sizes and max(sizes) > np.iinfo(dtype).max):
        return shape_op(x, out_type=dtype)
    return np.array(sizes, dtype)


@contextmanager
def gradient_ops(graph: Graph) -> Iterator[None]:
    """Marks the ops that are added to `graph` inside the block as those of gradients."""
    made = _GRADIENT_OPS.setdefault(graph, [])
    place, start = len(made), graph.version
    made.append(range(start, sys.maxsize))
    kept: list[range] = []
    try:
        yield
        kept = [range(start, graph.version)]
    finally:
        made[place:] = kept


def _is_gradient_op(op: Operation) -> bool:
    """Returns True for ops that `gradients` makes or made, and for those of a body, never fed."""
    graph = op.graph
    if graph.outer is not None:
        return True
    return any(op.index in made for made in _GRADIENT_OPS.get(graph, ()))


def uniform(x: Tensor) -> Any:
    """The value of all elements of `x` where these are known to be the same, else None.

    Only what `gradients` has filled itself counts: a program may feed other tensors, `grad_ys`
    among them, though their values are known. What builds without `x` calls `leave_out(x)`.
    """
    op = x.op
    while op.type in _PASSING_ON:
        op = op.inputs[0].op
    if not _is_gradient_op(op):
        return None
    match op.type:
        case "OnesLike":
            return 1
        case "ZerosLike":
            return 0
        case "Fill":
            value = known_value(op.inputs[1])
        case "Const":
            value = known_value(op.outputs[0])
        case _:
            return None
    if value is None or not 0 < value.size <= _SMALL:
        return None
    first = value.ravel()[0]
    return first if (value == first).all() else None


def times(x: Tensor, y: Tensor) -> Tensor:
    """`x * y`, without the factor that is 1 throughout and makes the result no larger."""
    for one, other in ((x, y), (y, x)):
        if uniform(one) == 1 and covers(other.shape, one.shape) and not _is_memory(other):
            leave_out(one)
            return other
    return multiply(x, y)


def _is_memory(x: Tensor) -> bool:
    """Returns True if `x` is the memory of a reference variable, into which updates write.

    A gradient is what it was before the updates that it is for, so that it has to be computed.
    """
    while not x.dtype.is_ref_dtype:
        if x.op.type not in _HANDING_ON:
            return False
        x = x.op.inputs[0]
    return True


def leave_out(x: Tensor) -> None:
    """Prevents feeding tensors that the graph was built without, and identities of them."""
    while True:
        x.op.graph.prevent_feeding(x)
        if x.op.type not in _PASSING_ON:
            break
        x = x.op.inputs[0]


def covers(large: TensorShape, small: TensorShape) -> bool:
    """Returns True if the shape `small` broadcasts to `large` in every run."""
    a, b = large.sizes, small.sizes
    if a is None or b is None or len(b) > len(a):
        return False
    pairs = zip(a[len(a) - len(b) :], b, strict=True)
    return all(n == 1 or _same_size(m, n) for m, n in pairs)


def filled_like(x: Tensor, value: Any, name: str | None = None) -> Tensor:
    """A tensor of the shape and dtype of `x`, filled with `value`."""
    scalar = np.array(value, x.dtype.base_dtype.numpy_dtype)
    sizes = known_sizes(x)
    if sizes is not None and math.prod(sizes) <= _SMALL:
        return constant_like(np.full(sizes, scalar), x, name)
    return fill(shape_of(x), constant_like(scalar, x), name=name)


def constant_like(value: Any, x: Tensor, name: str | None = None) -> Tensor:
    """A constant of the dtype of `x`."""
    return constant(value, x.dtype.base_dtype, name=name or "Const")


def summed_to(gradient: Tensor, x: Tensor, other: Tensor | None = None) -> Tensor:
    """The gradient of `x` from that of its broadcast: sums over the new elements.

    Args:
        gradient: of the shape of the result.
        x: the operand.
        other: the operand that it was broadcast against; by default something of the shape of
            `gradient`.
    """
    if same_shape(gradient, x):
        return gradient
    axes = _broadcast_axes(gradient, x)
    if axes is None:
        shapes = [shape_op(x), shape_op(gradient if other is None else other)]
        return reshape(reduce_sum(gradient, BROADCAST_GRADIENT_ARGS(*shapes)[0]), shapes[0])
    leading, inner = axes
    if not leading:
        return reduce_sum(gradient, inner, keep_dims=True) if inner else gradient
    if not inner:
        return reduce_sum(gradient, leading)
    sizes = known_sizes(x)
    if sizes is not None:
        return reshape(reduce_sum(gradient, leading + inner), sizes)
    return squeeze(reduce_sum(gradient, leading + inner, keep_dims=True), leading)


def _broadcast_axes(gradient: Tensor, x: Tensor) -> tuple[list[int], list[int]] | None:
    """The axes that `x` does not have, and those where its only element was repeated."""
    large, small = gradient.shape.sizes, x.shape.sizes
    if large is None or small is None:
        return None
    lead = len(large) - len(small)
    inner = []
    for axis, size in enumerate(small, lead):
        if isinstance(size, int):
            if size == 1 and large[axis] != 1:
                inner.append(axis)
        elif not _same_size(large[axis], size):
            return None
    return list(range(lead)), inner


def spread(gradient: Tensor, x: Tensor, axes: Any, keep_dims: bool) -> Tensor:
    """The gradient of a reduction of `x` over `axes`, repeated for the elements that it summed."""
    kept = gradient if keep_dims else with_axes(x, static_axes(x, axes), axes)(gradient)
    return kept if same_shape(kept, x) else broadcast_to(kept, shape_of(x))


def static_axes(x: Tensor, axes: Tensor) -> list[int] | None:
    """The axes of a sum or mean of `x`, where the gradient may rely upon them.

    These are the cases in which TensorFlow does, and prevents feeding `axes`: other programs may
    feed them.
    """
    rank = x.shape.rank
    value = None if rank is None else constant_value(axes)
    if rank is None or value is None:
        return None
    return sorted(int(axis) % rank for axis in np.reshape(value, -1)) if rank else []


def with_axes(x: Tensor, places: list[int] | None, axes: Tensor) -> Callable[[Tensor], Tensor]:
    """A function that gives reductions of `x` the reduced axes back, with size 1.

    Axes in front, which broadcasting adds by itself, may be left out.

    Args:
        x: the tensor that was reduced.
        places: the axes, if the graph may rely upon them.
        axes: the axes as a tensor.
    """
    rank, sizes = x.shape.rank, known_sizes(x)
    if rank is None or places is None:
        whole = _kept_shape(x, axes)
        return lambda y: reshape(y, whole)
    if places == list(range(len(places))):
        return lambda y: y
    if len(places) == rank or (sizes is not None and len(places) > 1):
        kept = [1 if i in places else size for i, size in enumerate(sizes or [1] * rank)]
        return lambda y: reshape(y, kept)
    return lambda y: reduce(expand_dims, places, y)


def _kept_shape(x: Tensor, axes: Tensor) -> Tensor:
    """The shape of `x` with 1 at `axes`, worked out in the run."""
    sizes = shape_op(x)
    number = size_op(sizes)
    places = floormod(add(cast(reshape(axes, [-1]), int32), number), number)
    return dynamic_stitch([arange(number), places], [sizes, ones_like(places)])
