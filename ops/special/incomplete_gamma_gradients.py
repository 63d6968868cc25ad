"""Derivatives of the incomplete gamma function and of gamma samples by the shape a.

There are no public functions; graphs that TensorFlow differentiated hold these ops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.protocols import Array
from ...shape_inference.traits import Traits
from ..common.elementwise import define_broadcasting
from .gamma_functions import digamma_of, lgamma_of

IGAMMA_GRAD_A = OpDef(
    "IgammaGradA",
    "a: T, x: T -> z: T",
    "T: {float32, float64}",
    traits=Traits(splits="...,...->..."),
)
RANDOM_GAMMA_GRAD = OpDef(
    "RandomGammaGrad",
    "alpha: T, sample: T -> output: T",
    "T: {float32, float64}",
    traits=Traits(splits="...,...->..."),
)
_MOST_TERMS = 10_000


def _series(a: Array, x: Array) -> tuple[Array, Array]:
    """The sum over n of x^n / ((a+1) ... (a+n)), and its derivative with respect to a."""
    total, slope = np.ones_like(x), np.zeros_like(x)
    term, harmonic = np.ones_like(x), np.zeros_like(x)
    for n in range(1, _MOST_TERMS):
        term = term * (x / (a + n))
        harmonic = harmonic + 1 / (a + n)
        total, slope = total + term, slope - term * harmonic
        if not (term * np.maximum(harmonic, 1) > 1e-17 * np.maximum(total, -slope)).any():
            break
    return total, slope


def _wide(a: Array, x: Array) -> tuple[Array, Array, Any]:
    """Both in float64 and of one shape, and the mask where they are in the supported domain."""
    wide_a, wide_x = np.broadcast_arrays(a.astype(np.float64), x.astype(np.float64))
    inside = (wide_a > 0) & (wide_x > 0) & (wide_x < wide_a + 40 * np.sqrt(wide_a) + 800)
    return np.where(inside, wide_a, 1), np.where(inside, wide_x, 1), inside


def _derivative(a: Array, x: Array) -> Array:
    wide_a, wide_x, inside = _wide(a, x)
    total, slope = _series(wide_a, wide_x)
    change = total * (np.log(wide_x) - digamma_of(wide_a + 1)) + slope
    logs = wide_a * np.log(wide_x) - wide_x - lgamma_of(wide_a + 1)
    fine = np.where(inside, np.exp(logs) * change, 0)
    wrong = ~((a > 0) & (x >= 0))
    return np.where(wrong, np.nan, fine).astype(a.dtype)


def _sample_derivative(alpha: Array, sample: Array) -> Array:
    """By implicit differentiation: -(dP/da) / (dP/dx)."""
    a, x, inside = _wide(alpha, sample)
    total, slope = _series(a, x)
    change = total * (np.log(x) - digamma_of(a + 1)) + slope
    fine = np.where(inside, -(x / a) * change, 0)
    return np.where(np.isnan(alpha) | np.isnan(sample), np.nan, fine).astype(alpha.dtype)


define_broadcasting(IGAMMA_GRAD_A, _derivative, None, ("a", "x"))
define_broadcasting(RANDOM_GAMMA_GRAD, _sample_derivative, None, ("alpha", "sample"))
