"""Gradients of `ops/math` where elements meet: reductions, running sums, selection."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import zeros_like
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape
from ...ops.array.shapes import rank, shape, size
from ...ops.array.transpose import invert_permutation, transpose
from ...ops.indexing.gather import gather
from ...ops.math.arithmetic import add, maximum, multiply, negative, subtract
from ...ops.math.comparison import equal, greater, less
from ...ops.math.complex_numbers import conj
from ...ops.math.cumsum import cumprod, cumsum, cumulative_logsumexp
from ...ops.math.division import div_no_nan, floordiv, floormod, truediv
from ...ops.math.exponentials import exp, log
from ...ops.math.logical import logical_or
from ...ops.math.reductions import reduce_prod, reduce_sum
from ...ops.math.where import SELECT, where_v2
from ...ops.sorting.setdiff1d import setdiff1d
from ...protos.dtypes import int32
from ..common.rule_tables import gradient_of
from ..common.static_facts import (
    constant_like,
    known_sizes,
    spread,
    static_axes,
    summed_to,
    with_axes,
)
from .math import masked


def _spread(op: Operation, gradient: Tensor) -> Tensor:
    return spread(gradient, op.inputs[0], op.inputs[1], op.get_attr("keep_dims"))


def _keep(op: Operation) -> Callable[[Tensor], Tensor]:
    """A function from tensors of the result's shape to tensors that broadcast against the input.

    As in TensorFlow, the axes of these reductions may be fed unless the input's shape is static.
    """
    x, axes = op.inputs
    if op.get_attr("keep_dims"):
        return lambda y: y
    return with_axes(x, None if known_sizes(x) is None else static_axes(x, axes), axes)


@gradient_of("Sum")
def _sum(op: Operation, gradient: Tensor) -> Any:
    return lambda: _spread(op, gradient), None


@gradient_of("Mean")
def _mean(op: Operation, gradient: Tensor) -> Any:
    # Few elements are divided rather than many: the quotients are the same.
    return lambda: _spread(op, truediv(gradient, _number_of_terms(op, gradient))), None


def _number_of_terms(op: Operation, gradient: Tensor) -> Tensor:
    """Number of elements reduced to each result, in the dtype of the gradient."""
    x, y = op.inputs[0], op.outputs[0]
    sizes, axes = x.shape.sizes, static_axes(x, op.inputs[1])
    if sizes is not None and axes is not None:
        reduced = [sizes[axis] for axis in axes]
        known = [size for size in reduced if isinstance(size, int)]
        if len(known) == len(reduced):
            return constant_like(math.prod(known), gradient)
    left = known_sizes(y)
    number = None if left is None else max(math.prod(left), 1)
    count = size(x)
    if number is None:
        count = floordiv(count, maximum(size(y), np.array(1, np.int32)))
    elif number > 1:
        count = floordiv(count, np.array(number, np.int32))
    return cast(count, gradient.dtype.base_dtype)


@gradient_of("Max", "Min")
def _extremum(op: Operation, gradient: Tensor) -> Any:
    """Elements that are equally extreme share the gradient."""

    def for_input() -> Tensor:
        x, axes = op.inputs
        keep = _keep(op)
        chosen = cast(equal(keep(op.outputs[0]), x), gradient.dtype.base_dtype)
        number = reduce_sum(chosen, axes, op.get_attr("keep_dims"))
        return multiply(truediv(chosen, keep(number)), keep(gradient))

    return for_input, None


@gradient_of("EuclideanNorm")
def _euclidean_norm(op: Operation, gradient: Tensor) -> Any:
    return lambda: truediv(op.inputs[0], _keep(op)(truediv(op.outputs[0], gradient))), None


@gradient_of("Prod")
def _prod(op: Operation, gradient: Tensor) -> Any:
    """The product of all other elements: of those before times those after, so that 0 may be."""

    def for_input() -> Tensor:
        x, axes = op.inputs
        sizes = shape(x)
        number = rank(x)
        reduced = floormod(add(cast(reshape(axes, [-1]), int32), number), number)
        others = setdiff1d(arange(number), reduced)[0]
        order = concat([reduced, others], 0)
        moved = transpose(x, order)
        matrix = reshape(
            moved, [reduce_prod(gather(sizes, reduced)), reduce_prod(gather(sizes, others))]
        )
        before = cumprod(matrix, 0, exclusive=True)
        after = cumprod(matrix, 0, exclusive=True, reverse=True)
        rest = reshape(multiply(conj(before), conj(after)), shape(moved))
        back = transpose(rest, invert_permutation(order))
        back.set_shape(x.shape)
        return multiply(_keep(op)(gradient), back)

    return for_input, None


@gradient_of("AddN")
def _add_n(op: Operation, gradient: Any) -> list[Any]:
    return [gradient] * len(op.inputs)


gradient_of("AccumulateNV2")(_add_n)


@gradient_of("Cumsum")
def _cumsum(op: Operation, gradient: Tensor) -> Any:
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    return lambda: cumsum(gradient, op.inputs[1], exclusive, not reverse), None


@gradient_of("Cumprod")
def _cumprod(op: Operation, gradient: Tensor) -> Any:
    x, axis = op.inputs
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")

    def for_input() -> Tensor:
        product = multiply(op.outputs[0], gradient)
        return div_no_nan(cumsum(product, axis, exclusive, not reverse), x)

    return for_input, None


@gradient_of("CumulativeLogsumexp")
def _cumulative_logsumexp(op: Operation, gradient: Tensor) -> Any:
    """Sums of gradients over exponentials, in logarithms: positive and negative ones apart."""
    x, axis = op.inputs
    exclusive, reverse = op.get_attr("exclusive"), op.get_attr("reverse")
    least = constant_like(np.finfo(gradient.dtype.base_dtype.numpy_dtype).min, gradient)
    zero = constant_like(0, gradient)

    def summed(condition: Tensor, size_of: Tensor) -> Tensor:
        logs = where_v2(condition, log(size_of), least)
        total = cumulative_logsumexp(
            subtract(logs, op.outputs[0]), axis, exclusive=exclusive, reverse=not reverse
        )
        return exp(add(total, x))

    return (
        lambda: subtract(
            summed(greater(gradient, zero), gradient),
            summed(less(gradient, zero), negative(gradient)),
        ),
        None,
    )


@gradient_of("Select")
def _select(op: Operation, gradient: Tensor) -> Any:
    condition, x, _ = op.inputs
    zero = constant_like(0, gradient)
    if condition.shape.rank is not None and condition.shape.rank == gradient.shape.rank:
        return (
            None,
            lambda: masked(condition, gradient),
            lambda: where_v2(condition, zero, gradient),
        )
    return (  # a vector chooses rows
        None,
        lambda: SELECT(condition, gradient, zeros_like(x)),
        lambda: SELECT(condition, zeros_like(x), gradient),
    )


@gradient_of("SelectV2")
def _select_v2(op: Operation, gradient: Tensor) -> Any:
    condition, x, y = op.inputs
    zero = constant_like(0, gradient)
    return (
        None,
        lambda: summed_to(where_v2(condition, gradient, zero), x, op.outputs[0]),
        lambda: summed_to(where_v2(condition, zero, gradient), y, op.outputs[0]),
    )


@gradient_of("ClipByValue")
def _clip_by_value(op: Operation, gradient: Tensor) -> Any:
    x, low, high = op.inputs
    below, above = less(x, low), greater(x, high)
    zero = constant_like(0, gradient)
    return (
        lambda: where_v2(logical_or(below, above), zero, gradient),
        lambda: summed_to(masked(below, gradient), low, x),
        lambda: summed_to(masked(above, gradient), high, x),
    )
