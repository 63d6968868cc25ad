"""Floating-point operations of ops with sliding windows."""

from __future__ import annotations

from math import prod

from ...shape_inference.costs import CostContext
from ...shape_inference.symbolic.formulas import Formula


def convolution_flops(c: CostContext) -> Formula:
    """Multiply-adds of a convolution: each output element sums a window over all channels."""
    *seen, _ = c.sizes_or_unknown("filter", len(c.attr("strides")))
    return 2 * c.result_elements() * Formula.product(seen)


def input_gradient_flops(c: CostContext) -> Formula:
    """Cost of a convolution's input gradient: equal to the forward pass."""
    *seen, _ = c.sizes_or_unknown("filter", len(c.attr("strides")))
    return 2 * c.elements("out_backprop") * Formula.product(seen)


def filter_gradient_flops(c: CostContext) -> Formula:
    """Cost of a convolution's filter gradient: equal to the forward pass."""
    *seen, _ = c.result() or c.sizes_or_unknown("out_backprop", len(c.attr("strides")))
    return 2 * c.elements("out_backprop") * Formula.product(seen)


def depthwise_flops(c: CostContext) -> Formula:
    """Multiply-adds of a depthwise convolution: each output element sums one window."""
    return 2 * c.result_elements() * Formula.product(c.sizes_or_unknown("filter", 4)[:2])


def depthwise_input_gradient_flops(c: CostContext) -> Formula:
    """Cost of a depthwise convolution's input gradient: equal to the forward pass."""
    return 2 * c.elements("out_backprop") * Formula.product(c.sizes_or_unknown("filter", 4)[:2])


def depthwise_filter_gradient_flops(c: CostContext) -> Formula:
    """Cost of a depthwise convolution's filter gradient: equal to the forward pass."""
    sizes = c.result() or c.sizes_or_unknown("out_backprop", 4)
    return 2 * c.elements("out_backprop") * Formula.product(sizes[:2])


def pooling_flops(c: CostContext) -> Formula:
    """Cost of pooling: one operation per window element."""
    return c.result_elements() * _seen(c)


def average_gradient_flops(c: CostContext) -> Formula:
    """Cost of the average-pooling gradient: a division and an addition per window element."""
    return c.elements("grad") * (2 * _seen(c))


def maximum_gradient_flops(c: CostContext) -> Formula:
    """Cost of the max-pooling gradient: a comparison per window element, and an addition."""
    return c.elements("orig_output") * (_seen(c) + 1)


def _seen(c: CostContext) -> int:
    """Number of elements in a pooling window."""
    return prod(map(int, c.attr("ksize")))
