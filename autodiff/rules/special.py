"""Gradients of `ops/special`. What TensorFlow gives none for, such as orders, has none."""

from __future__ import annotations

import math
from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.math.arithmetic import negative, reciprocal, sign, square
from ...ops.math.comparison import equal
from ...ops.math.exponentials import exp, log, xlog1py, xlogy
from ...ops.math.where import where_v2
from ...ops.special.gamma_functions import digamma, lgamma
from ...ops.special.incomplete_gamma_gradients import IGAMMA_GRAD_A
from ...ops.special.zeta import polygamma, zeta
from ..common.rule_tables import binary, gradient_of, raw, unary, undefined
from ..common.static_facts import constant_like, summed_to, times

undefined(
    "what is known of the shape parameter stops at the first order",
    "IgammaGradA",
    "RandomGammaGrad",
)


def _of(value: float, x: Tensor) -> Tensor:
    return constant_like(value, x)


def _bell(scale: float, x: Tensor) -> Tensor:
    return _of(scale, x) * exp(negative(square(x)))


def _bessel_i1e(x: Tensor, y: Tensor) -> Tensor:
    """1/2 at 0, where the formula divides by 0."""
    slope = raw("BesselI0e")(x) - y * (sign(x) + reciprocal(x))
    return where_v2(equal(x, _of(0, x)), _of(0.5, x), slope)


def _bessel_i1(x: Tensor, y: Tensor) -> Tensor:
    """1/2 at 0, where the formula divides by 0, and TensorFlow has 1."""
    slope = raw("BesselI0")(x) - y * reciprocal(x)
    return where_v2(equal(x, _of(0, x)), _of(0.5, x), slope)


unary(
    {
        "BesselI0": lambda g, x, y: times(g, raw("BesselI1")(x)),
        "BesselI1": lambda g, x, y: times(g, _bessel_i1(x, y)),
        "BesselI0e": lambda g, x, y: times(g, raw("BesselI1e")(x) - sign(x) * y),
        "BesselI1e": lambda g, x, y: times(g, _bessel_i1e(x, y)),
        "Digamma": lambda g, x, y: times(g, polygamma(_of(1, x), x)),
        "Erf": lambda g, x, y: times(g, _bell(2 / math.sqrt(math.pi), x)),
        "Erfc": lambda g, x, y: times(g, _bell(-2 / math.sqrt(math.pi), x)),
        "Erfinv": lambda g, x, y: times(g, _of(math.sqrt(math.pi) / 2, y) * exp(square(y))),
        "Lgamma": lambda g, x, y: times(g, digamma(x)),
        "Ndtri": lambda g, x, y: times(
            g, _of(math.sqrt(2 * math.pi), y) * exp(square(y) * _of(0.5, y))
        ),
    }
)


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    return exp((a - _of(1, a)) * log(x) - x - lgamma(a))


binary(
    {
        "Igamma": (
            lambda g, a, x, z: times(g, IGAMMA_GRAD_A(a, x)),
            lambda g, a, x, z: times(g, _gamma_density(a, x)),
        ),
        "Igammac": (
            lambda g, a, x, z: negative(times(g, IGAMMA_GRAD_A(a, x))),
            lambda g, a, x, z: negative(times(g, _gamma_density(a, x))),
        ),
        "Polygamma": (None, lambda g, n, x, z: times(g, polygamma(n + _of(1, n), x))),
        "Zeta": (None, lambda g, x, q, z: times(g, negative(x) * zeta(x + _of(1, x), q))),
    }
)


@gradient_of("Betainc")
def _betainc(op: Operation, gradient: Tensor) -> Any:
    a, b, x = op.inputs

    def for_x() -> Tensor:
        logarithm = lgamma(a) + lgamma(b) - lgamma(a + b)
        one = _of(1, x)
        density = exp(xlog1py(b - one, negative(x)) + xlogy(a - one, x) - logarithm)
        return summed_to(times(gradient, density), x, op.outputs[0])

    return None, None, for_x
