"""Gradients of the segment ops in `ops/math`: each element gets that of its segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import ones_like
from ...ops.array.reshape import reshape
from ...ops.array.shapes import rank, shape
from ...ops.indexing.gather import gather
from ...ops.math.arithmetic import maximum, multiply
from ...ops.math.comparison import equal, greater, greater_equal
from ...ops.math.division import truediv
from ...ops.math.logical import logical_and
from ...ops.math.segments import (
    segment_prod,
    segment_sum,
    unsorted_segment_prod,
    unsorted_segment_sum,
)
from ...ops.math.where import where_v2
from ...protos.dtypes import int32
from ..common.rule_tables import gradient_of
from ..common.static_facts import constant_like
from .math import masked

if TYPE_CHECKING:
    Summing = Callable[[Tensor], Tensor]


def _prefix(x: Tensor, like: Tensor) -> Tensor:
    """`x` with trailing axes of size 1, so that its rank is that of `like`."""
    if x.shape.rank is None or like.shape.rank is None:
        ones = ones_like(shape(like)[rank(x) :])
        return reshape(x, concat([shape(x), ones], 0))
    missing = like.shape.rank - x.shape.rank
    if not missing:
        return x
    sizes = x.shape.as_list()
    if sizes.count(None) > 1 or (None in sizes and 0 in sizes):
        return reshape(x, concat([shape(x), [1] * missing], 0))
    return reshape(x, [-1 if size is None else size for size in sizes] + [1] * missing)


def _from_segments(op: Operation) -> Summing:
    """Gathers the value of each element's segment; 0 where the id is negative."""
    ids = op.inputs[1]
    if not op.type.startswith("Unsorted"):
        return lambda values: gather(values, ids)
    zero = np.zeros((), ids.dtype.numpy_dtype)
    places, inside = maximum(ids, zero), greater_equal(ids, zero)

    def taken(values: Tensor) -> Tensor:
        elements = gather(values, places)
        return masked(_prefix(inside, elements), elements)

    return taken


def _summing(op: Operation) -> Summing:
    if op.type.startswith("Unsorted"):
        return lambda data: unsorted_segment_sum(data, op.inputs[1], op.inputs[2])
    return lambda data: segment_sum(data, op.inputs[1])


def _results(op: Operation, gradient: Callable[[], Tensor]) -> list[Any]:
    return [gradient, *[None for _ in op.inputs[1:]]]


@gradient_of("SegmentSum", "UnsortedSegmentSum")
def _sum(op: Operation, gradient: Tensor) -> list[Any]:
    return _results(op, lambda: _from_segments(op)(gradient))


@gradient_of("SegmentMean")
def _mean(op: Operation, gradient: Tensor) -> list[Any]:
    def for_data() -> Tensor:
        sizes = _summing(op)(ones_like(op.inputs[1], gradient.dtype.base_dtype))
        return _from_segments(op)(truediv(gradient, _prefix(sizes, gradient)))

    return _results(op, for_data)


@gradient_of("SegmentMax", "SegmentMin", "UnsortedSegmentMax", "UnsortedSegmentMin")
def _extremum(op: Operation, gradient: Tensor) -> list[Any]:
    """Elements that are equally extreme share the gradient."""

    def for_data() -> Tensor:
        taken = _from_segments(op)
        chosen = equal(op.inputs[0], taken(op.outputs[0]))
        if op.type.startswith("Unsorted"):
            zero = np.zeros((), op.inputs[1].dtype.numpy_dtype)
            chosen = logical_and(chosen, _prefix(greater_equal(op.inputs[1], zero), chosen))
        number = _summing(op)(cast(chosen, gradient.dtype.base_dtype))
        return masked(chosen, taken(truediv(gradient, number)))

    return _results(op, for_data)


@gradient_of("SegmentProd", "UnsortedSegmentProd")
def _prod(op: Operation, gradient: Tensor) -> list[Any]:
    """The product of the others: by division, but for zeros, of which a segment may have one."""

    def for_data() -> Tensor:
        data, taken = op.inputs[0], _from_segments(op)
        is_zero = equal(data, constant_like(0, data))
        zeros = _summing(op)(cast(is_zero, int32))
        single = where_v2(greater(zeros, np.int32(1)), constant_like(0, gradient), gradient)
        others = where_v2(is_zero, constant_like(1, data), data)
        if op.type.startswith("Unsorted"):
            product = unsorted_segment_prod(others, op.inputs[1], op.inputs[2])
        else:
            product = segment_prod(others, op.inputs[1])
        rest = where_v2(is_zero, taken(product), truediv(taken(op.outputs[0]), others))
        return multiply(taken(single), rest)

    return _results(op, for_data)
