"""What windows cost: at each position, a multiplication and an addition for all that is seen."""

from __future__ import annotations

from math import prod

from ...shape_inference.costs import CostContext
from ...shape_inference.symbolic.formulas import Formula


def convolution_flops(c: CostContext) -> Formula:
    """Of a convolution: each element of the result sums up what a filter sees, in all channels."""
    *seen, _ = c.sizes_or_unknown("filter", len(c.attr("strides")))
    return 2 * c.result_elements() * Formula.product(seen)


def input_gradient_flops(c: CostContext) -> Formula:
    """Of what goes back to images: as many as the convolution took."""
    *seen, _ = c.sizes_or_unknown("filter", len(c.attr("strides")))
    return 2 * c.elements("out_backprop") * Formula.product(seen)


def filter_gradient_flops(c: CostContext) -> Formula:
    """Of what goes back to filters: as many as the convolution took."""
    *seen, _ = c.result() or c.sizes_or_unknown("out_backprop", len(c.attr("strides")))
    return 2 * c.elements("out_backprop") * Formula.product(seen)


def depthwise_flops(c: CostContext) -> Formula:
    """Of a depthwise convolution: each element of the result sums up what a filter sees."""
    return 2 * c.result_elements() * Formula.product(c.sizes_or_unknown("filter", 4)[:2])


def depthwise_input_gradient_flops(c: CostContext) -> Formula:
    """Of what goes back to images: as many as the depthwise convolution took."""
    return 2 * c.elements("out_backprop") * Formula.product(c.sizes_or_unknown("filter", 4)[:2])


def depthwise_filter_gradient_flops(c: CostContext) -> Formula:
    """Of what goes back to filters: as many as the depthwise convolution took."""
    sizes = c.result() or c.sizes_or_unknown("out_backprop", 4)
    return 2 * c.elements("out_backprop") * Formula.product(sizes[:2])


def pooling_flops(c: CostContext) -> Formula:
    """Of a pool: one for each element that is seen."""
    return c.result_elements() * _seen(c)


def average_gradient_flops(c: CostContext) -> Formula:
    """Of the gradient of an average: a division and an addition for each element seen."""
    return c.elements("grad") * (2 * _seen(c))


def maximum_gradient_flops(c: CostContext) -> Formula:
    """Of the gradient of a maximum: a comparison for each element seen, and then an addition."""
    return c.elements("orig_output") * (_seen(c) + 1)


def _seen(c: CostContext) -> int:
    """How many elements a window of a pool sees."""
    return prod(map(int, c.attr("ksize")))
