"""The Hurwitz zeta function, and the polygamma functions that it gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...shape_inference.protocols import Array
from ..common.blockwise import in_blocks
from ..common.elementwise import binary
from .gamma_functions import digamma_of, lgamma_of

public = {"td, td.math": "polygamma zeta"}

_SUMMED = 10  # terms, before Euler's and Maclaurin's formula gives the rest
# B(2k) / (2k)!
_BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
)


def _of_positive(x: Array, q: Array) -> Array:
    """Sum of (q + k)**-x, for x > 1 and q > 0."""
    total = np.zeros_like(x)
    for k in range(_SUMMED):
        total += np.power(q + k, -x)
    end = q + _SUMMED
    power = np.power(end, -x)
    total += power * end / (x - 1) + 0.5 * power
    factor = x * power / end
    for k, coefficient in enumerate(_BERNOULLI):
        total += coefficient * factor
        factor *= (x + (2 * k + 1)) / end
        factor *= (x + (2 * k + 2)) / end
    return total


def zeta_values(x: Array, q: Array) -> Array:
    """The zeta function of float64 vectors."""
    result = np.full_like(x, np.nan)
    result[x == 1] = np.inf
    whole = q == np.floor(q)
    even = np.fmod(x, 2) == 0
    result[(x > 1) & (q <= 0) & whole & even] = np.inf
    # All terms vanish at infinity but those of numbers up to 1.
    result[np.isposinf(x)] = np.select([q > 1, q == 1, q < 1], [0, 1, np.inf], np.nan)[
        np.isposinf(x)
    ]
    result[(x > 1) & np.isposinf(q)] = 0
    legal = (x > 1) & (q > 0) & np.isfinite(x) & np.isfinite(q)
    result[legal] = _of_positive(x[legal], q[legal])
    # Below 0, x is whole: the sum runs over all of q + k, less what lies below q.
    below = (x > 1) & (q < 0) & ~whole & (x == np.floor(x)) & np.isfinite(x)
    x, q, sign = x[below], q[below], np.where(even[below], 1, -1)
    fraction = q - np.floor(q)
    left = _of_positive(x, 1 - fraction) - _of_positive(x, 1 - q)
    result[below] = _of_positive(x, fraction) + sign * left
    return result


@in_blocks
def zeta_of(x: Array, q: Array, precise: bool) -> Array:
    """Zeta function of arrays of any float dtype."""
    return zeta_values(x, q)


@in_blocks
def polygamma_of(a: Array, x: Array, precise: bool) -> Any:
    """Derivative number `a` of digamma."""
    sign = np.where(np.fmod(a, 2) == 0, -1, 1)
    derivative = sign * np.exp(lgamma_of(a + 1)) * zeta_values(a + 1, x)
    derivative[(a != np.floor(a)) | (a < 0)] = np.nan
    return np.where(a == 0, digamma_of(x), derivative)


zeta = binary(
    "zeta",
    "Zeta",
    zeta_of,
    "float32, float64",
    "The Hurwitz zeta function: the sum of `(q + k)**-x` over k = 0, 1, 2, ...\n\n"
    "Infinite where `x` is 1, NaN where it is less, and where `q` is negative but `x` is not "
    "whole. The relative error is below 1e-14 for float64 and 1e-7 for float32.",
    ("[2.0, 3.0], [1.0, 1.0]", "[1.644934  1.2020569]"),
    args=("x", "q"),
)
polygamma = binary(
    "polygamma",
    "Polygamma",
    polygamma_of,
    "float32, float64",
    "The derivatives of `digamma`: `x` is the point, `a` the order, a whole number from 0.\n\n"
    "NaN for other `a`. The relative error is below 1e-13 for float64 and 1e-7 for float32, but "
    "for `a` = 0, which is `digamma`.",
    ("[0.0, 1.0], [1.0, 1.0]", "[-0.5772157  1.644934 ]"),
    args=("a", "x"),
)
