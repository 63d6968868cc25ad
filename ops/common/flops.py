"""Cost rules for ops whose traits do not determine their flops."""

from __future__ import annotations

from math import log2
from typing import Any

from ...graph.op_def import OpDef
from ...shape_inference.context import settled
from ...shape_inference.costs import CostContext, elements_of
from ...shape_inference.symbolic.formulas import Formula
from ...shape_inference.symbolic.symbolic import Dim, dim_symbol


def flops_per_element(number: int, *definitions: OpDef[Any]) -> None:
    """Sets the number of operations that ops spend on each element of the first input."""
    for definition in definitions:
        definition.flops(lambda c: number * c.first_elements())


def combined(c: CostContext) -> Formula:
    """Cost rule of ops that combine all elements of the first input into the result."""
    return c.first_elements() - c.result_elements()


def transform_flops(c: CostContext, rank: int) -> Formula:
    """Cost rule of Fourier transforms: `5 n log2(n)` per `n` elements, half of it for reals.

    The logarithm of a size that is not known counts as that of an unknown number.
    """
    given, made = c.node.inputs[0], c.node.outputs[0]
    reals = next((edge for edge in (given, made) if edge.dtype.is_floating), None)
    shape = c.shape_of(given) if reals is given else c.result_shape()
    length = Formula.product((settled(shape) or [dim_symbol()])[-rank:]).simplest
    number: Dim = dim_symbol()
    if isinstance(length, int):
        number = round((5 if reals is None else 2.5) * log2(max(length, 1)))
    return elements_of(shape) * number
