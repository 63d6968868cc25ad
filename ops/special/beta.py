"""The incomplete beta function, and the logarithm of the beta function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.blockwise import in_blocks, settle
from ..math.reductions import reduce_sum
from .gamma_functions import excess, lgamma, lgamma_of, stirling_rest

public = {"td, td.math": "betainc lbeta"}

_LARGE = 10  # from here on Stirling's formula is good
_TOLERANCE = {True: 1e-16, False: 1e-9}
BETAINC = OpDef(
    "Betainc",
    "a: T, b: T, x: T -> z: T",
    "T: {float32, float64}",
    traits=Traits(splits="...,...,...->..."),
)


def _common(c: OpContext, shapes: Sequence[TensorShape]) -> TensorShape:
    """The common shape of all arguments that are not scalars."""
    merged_shape = c.merged("a, b and x", [shape for shape in shapes if shape.rank])
    if merged_shape.rank is None and any(shape.rank is None for shape in shapes):
        return UNKNOWN_SHAPE
    return SCALAR if merged_shape.rank is None else merged_shape


@BETAINC.shape
def _betainc_shape(c: ShapeContext) -> TensorShape:
    return _common(c, [c.shape(name) for name in "abx"])


@BETAINC.view_kernel
def _betainc_kernel(c: KernelContext) -> Kernel:
    def betainc(*inputs: Array) -> Array:
        _common(c, [TensorShape.of(x.shape) for x in inputs])
        return betainc_of(*inputs)

    return betainc


def _log_gamma_ratio(a: Array, b: Array) -> Array:
    """`lgamma(a + b) - lgamma(a)`."""
    total = a + b
    rest = stirling_rest(total, True) - stirling_rest(a, True)
    large = (a - 0.5) * np.log1p(b / a) + b * (np.log(total) - 1) + rest
    return np.where(a < _LARGE, lgamma_of(total) - lgamma_of(a), large)


def _scale(a: Array, b: Array, x: Array) -> Any:
    """`x**a (1 - x)**b gamma(a + b) / (gamma(a) gamma(b))`."""
    total, most, least = a + b, np.maximum(a, b), np.minimum(a, b)
    powers = a * np.log(x) + b * np.log1p(-x)
    plain = np.exp(powers + _log_gamma_ratio(most, least) - lgamma_of(least))
    # How far x is from its mean, where the powers are greatest:
    away = x - a / total
    powers = a * excess(away * total / a) + b * excess(-away * total / b)
    rest = stirling_rest(total, True) - stirling_rest(a, True) - stirling_rest(b, True)
    large = np.sqrt(a * (b / (2 * math.pi * total))) * np.exp(rest - powers)
    return np.where(least < _LARGE, plain, large)


def _fraction(a: Array, b: Array, x: Array, tolerance: float) -> Array:
    """The continued fraction of the integral by Lentz's method: good for x below its mean."""

    def step(i: int, result: Array, c: Array, d: Array, a: Array, b: Array, x: Array) -> Array:
        twice, change = a + 2 * i, x
        for numerator in (
            i * (b - i) * x / ((twice - 1) * twice),
            -(a + i) * (a + b + i) * x / (twice * (twice + 1)),
        ):
            d *= numerator
            d += 1
            np.reciprocal(d, out=d)
            np.divide(numerator, c, out=c)
            c += 1
            change = c * d
            result *= change
        return np.abs(change - 1) <= tolerance

    start = 1 / (1 - (a + b) * x / (a + 1))
    return settle(step, np.stack([start, np.ones_like(x), start, a, b, x]))


@in_blocks
def betainc_of(a: Array, b: Array, x: Array, precise: bool) -> Array:
    """The regularised incomplete beta function."""
    legal = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & np.isfinite(a) & np.isfinite(b)
    result = np.where(legal, x, np.nan)  # which is right at the ends
    inside = legal & (x > 0) & (x < 1)
    a, b, x = a[inside], b[inside], x[inside]
    beyond = x > (a + 1) / (a + b + 2)
    first, second = np.where(beyond, b, a), np.where(beyond, a, b)
    y = np.where(beyond, 1 - x, x)
    part = _scale(first, second, y) * _fraction(first, second, y, _TOLERANCE[precise]) / first
    result[inside] = np.where(beyond, 1 - part, part)
    return result


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function: the share of the beta integral from 0 to `x`.

    The relative error is below 1e-12 for float64 and 1e-7 for float32 where `a` and `b` are below
    1e4, or the result is above 1/2.

    Args:
        a: a tensor of float32 or float64.
        b: a tensor of the same dtype.
        x: a tensor of the same dtype. All arguments that are not scalars have the same shape.
        name: a name for the op.

    Returns:
        A Tensor of that shape; NaN where `a` or `b` is not positive and finite, or `x` is outside
        of [0, 1].

    Raises:
        TypeError: the dtypes differ, or are others.
        ValueError: the shapes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.betainc([1.0, 2.0], 2.0, 0.5)))
        [0.75 0.5 ]
    """
    return BETAINC(convert_to_tensor(a), b, x, name=name)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the beta function of each row.

    Args:
        x: a tensor of floats, of rank at least 1: the arguments are along the last dimension.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape of `x` without the last dimension: the sum of `lgamma(x)` less
        `lgamma` of the sum. Of an empty row it is -inf.

    Raises:
        TypeError: `x` is of another dtype.
        ValueError: `x` is a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.lbeta([1.0, 2.0]))
        np.float32(-0.6931472)
    """
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        return reduce_sum(lgamma(x), [-1]) - lgamma(reduce_sum(x, [-1]))
