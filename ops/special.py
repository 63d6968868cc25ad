"""Special functions: the error function, the gamma function and their relatives.

NumPy has none of these. What is approximated by polynomials was fitted for this module at 40
digits; the bounds that the docstrings state are those of the tests.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .elementwise import FLOATS, binary, unary

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shape_inference.protocols import Array

# Coefficients from the constant one up, for float64 and, shorter, for dtypes up to float32.
# erf(x) / x on [-1, 1], in 2 x**2 - 1:
_ERF_NEAR_ZERO = {
    True: (
        0.9654687386698673, -0.1405360890227171, 0.019852496688984218, -0.0022854855611440855,
        0.00021751715603563488, -1.75371694412802e-05, 1.2233827638093572e-06,
        -7.51156925108609e-08, 4.115751500265885e-09, -2.035231956483527e-10,
        9.21125018742823e-12, -3.80659122412214e-13,
    ),
    False: (
        0.9654687386698673, -0.14053609727754268, 0.019852497140907616, -0.0022854195448728494,
        0.00021751354165582579, -1.7669068026125697e-05, 1.2306054785446075e-06,
    ),
}  # fmt: skip
# (1 + 2 x) exp(x**2) erfc(x) on [0, inf], in (x - 3.75) / (x + 3.75):
_SCALED_ERFC = {
    True: (
        1.2375126308378275, -0.14024059858554702, 0.003585415485479575, 0.08227673849014977,
        -0.10880393014246645, 0.09230432116025894, -0.05869339857631056, 0.028362277420377384,
        -0.009746579685962601, 0.0017556258434314113, 0.00029371439058111507,
        -0.0002901540420311413, 5.1646493402677405e-05, 2.2384138517893385e-05,
        -1.143798035926442e-05, -9.733875006646746e-07, 1.7419011744088031e-06,
        -5.7410781967870075e-08, -2.485110701360224e-07, 2.3398551596360358e-08,
        3.1953978645937614e-08, -3.798197691291965e-09, -2.618518691842152e-09,
        3.2052778054061957e-10,
    ),
    False: (
        1.2375126308378275, -0.14024065901788993, 0.003585438016476337, 0.08227843390475284,
        -0.10880456454860984, 0.09229069167207876, -0.058688252049401604, 0.028409430391479085,
        -0.009764690497787656, 0.0016757342508064558, 0.00032538846455354816,
        -0.00022405204951956114, 2.363482006845028e-05,
    ),
}  # fmt: skip
_BLOCK = 1 << 13  # elements: so that the intermediate arrays of a block stay in the cache


def _in_blocks(function: Callable[..., Any]) -> Callable[..., Array]:
    """`function(x, more..., precise)` of float64 vectors, as one of arrays of any float dtype."""

    def computed(*inputs: Array) -> Array:
        inputs = tuple(np.broadcast_arrays(*inputs)) if len(inputs) > 1 else inputs
        precise = inputs[0].dtype.itemsize == 8
        result = np.empty(inputs[0].shape, inputs[0].dtype)
        flat, target = [x.reshape(-1) for x in inputs], result.reshape(-1)
        for start in range(0, target.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            target[block] = function(*[x[block].astype(np.float64) for x in flat], precise)
        return result

    return computed


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    result: Array = x * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        result += coefficient
        result *= x
    result += coefficients[0]
    return result


def _erf_near_zero(x: Array, precise: bool) -> Any:
    return x * _polynomial(_ERF_NEAR_ZERO[precise], 2 * x * x - 1)


def _erfc_of_positive(x: Array, precise: bool) -> Any:
    x = np.minimum(x, 30.0)  # beyond, it is below the least float64
    scaled = _polynomial(_SCALED_ERFC[precise], (x - 3.75) / (x + 3.75)) / (1 + 2 * x)
    if not precise:
        return scaled * np.exp(-x * x)
    # exp would multiply the rounding error of x * x by x * x: so the square of a shorter x, which
    # is exact, and the small rest apart.
    short = x.astype(np.float32).astype(np.float64)
    return scaled * np.exp(-short * short) * np.exp((short - x) * (short + x))


@_in_blocks
def _erf(x: Array, precise: bool) -> Any:
    size = np.abs(x)
    far = np.copysign(1 - _erfc_of_positive(size, precise), x)
    return np.where(size < 1, _erf_near_zero(np.clip(x, -1, 1), precise), far)


@_in_blocks
def _erfc(x: Array, precise: bool) -> Any:
    size = np.abs(x)
    tail = _erfc_of_positive(size, precise)
    near = 1 - _erf_near_zero(np.clip(x, -1, 1), precise)
    return np.where(size < 0.5, near, np.where(x < 0, 2 - tail, tail))


erf = unary(
    "erf",
    "Erf",
    _erf,
    FLOATS,
    "The error function: twice the integral of `exp(-t**2) / sqrt(pi)` from 0 to `x`.\n\n"
    "The relative error is below 4e-16 for float64 and 1e-7 for float32.",
    ("[0.0, 0.5, -3.0]", "[ 0.         0.5204999 -0.9999779]"),
)
erfc = unary(
    "erfc",
    "Erfc",
    _erfc,
    FLOATS,
    "`1 - erf(x)`, accurate also where that is near 0.\n\n"
    "The relative error is below 1e-15 for float64 and 1e-7 for float32, down to the least normal "
    "number.",
    ("[0.0, 3.0, -3.0]", "[1.0000000e+00 2.2090497e-05 1.9999779e+00]"),
)


def _lgamma_of(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # at zero and negative integers, and beyond 1e305
        return math.inf


def _log_gamma(x: Array) -> Array:
    each: Any = np.frompyfunc(_lgamma_of, 1, 1)
    return each(x).astype(np.float64)  # type: ignore[no-any-return]


@_in_blocks
def _lgamma(x: Array, precise: bool) -> Array:
    del precise
    return _log_gamma(x)


# B(2k) / (2k), of the asymptotic series of digamma.
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


@_in_blocks
def _digamma(x: Array, precise: bool) -> Array:
    del precise
    below = x < 0.5
    y = np.where(below, 1 - x, x)
    steps = np.zeros_like(y)
    for _ in range(10):  # digamma(y) = digamma(y + 1) - 1 / y, until the series is good
        small = y < 10
        steps += np.where(small, 1 / y, 0)
        y += small
    square = 1 / (y * y)
    result = np.log(y) - 0.5 / y - square * _polynomial(_DIGAMMA, square) - steps
    # Reflection: sin and cos of pi x are exact at the poles only if x is brought near 0 first.
    fraction = x - np.round(x)
    mirrored = result - np.pi / np.tan(np.pi * fraction)
    return np.where(below, np.where(fraction == 0, np.nan, mirrored), result)


lgamma = unary(
    "lgamma",
    "Lgamma",
    _lgamma,
    FLOATS,
    "The logarithm of the absolute value of the gamma function.\n\n"
    "As accurate as Python's `math.lgamma`.",
    ("[1.0, 2.0]", "[0. 0.]"),
)
digamma = unary(
    "digamma",
    "Digamma",
    _digamma,
    FLOATS,
    "The derivative of `lgamma`; NaN at its poles, which are 0, -1, -2, ...\n\n"
    "The error is below 1e-14 for float64, relative to the larger of 1 and the result.",
    ("[1.0, 4.0]", "[-0.5772157  1.2561177]"),
)


_MOST_TERMS = 2000


def _igamma_series(a: Array, x: Array) -> Array:
    """Sum of x**n / (a (a + 1) ... (a + n)), which converges fast where x < a + 1."""
    term = 1 / a
    total, n = term.copy(), a.copy()
    for _ in range(_MOST_TERMS):
        n += 1
        term *= x / n
        total += term
        if not (term > total * 1e-17).any():
            break
    return total


def _igammac_fraction(a: Array, x: Array) -> Array:
    """The continued fraction of the upper integral by Lentz's method: good where x >= a + 1."""
    b = x + 1 - a
    c = np.full_like(b, 1e300)
    d = 1 / b
    result = d.copy()
    for i in range(1, _MOST_TERMS):
        numerator = -i * (i - a)
        b += 2
        d = 1 / (numerator * d + b)
        c = b + numerator / c
        result *= d * c
        if not (np.abs(d * c - 1) > 1e-16).any():
            break
    return result


def _igammas(a: Array, x: Array) -> tuple[Array, Array]:
    """The lower and the upper regularised incomplete gamma function."""
    legal = (a > 0) & (x >= 0)
    inside = legal & (x > 0) & np.isfinite(x) & np.isfinite(a)
    lower = np.where(legal, np.where(np.isinf(x) & np.isfinite(a), 1.0, 0.0), np.nan)
    upper = 1 - lower
    scale = np.exp(a * np.log(x) - x - _log_gamma(a))
    for mask, function, here, there in (
        (inside & (x < a + 1), _igamma_series, lower, upper),
        (inside & (x >= a + 1), _igammac_fraction, upper, lower),
    ):
        value = scale[mask] * function(a[mask], x[mask])
        here[mask], there[mask] = value, 1 - value
    return lower, upper


@_in_blocks
def _igamma(a: Array, x: Array, precise: bool) -> Array:
    del precise
    return _igammas(a, x)[0]


@_in_blocks
def _igammac(a: Array, x: Array, precise: bool) -> Array:
    del precise
    return _igammas(a, x)[1]


igamma = binary(
    "igamma",
    "Igamma",
    _igamma,
    FLOATS,
    "The lower regularised incomplete gamma function: "
    "the integral of `t**(a - 1) exp(-t)` from 0 to `x`, over `gamma(a)`.\n\n"
    "NaN where `a` is not positive or `x` is negative. The relative error is below 1e-12 for "
    "float64 where `a` is below 1000.",
    ("[1.0, 2.0], [1.0, 1.0]", "[0.63212055 0.26424113]"),
    args=("a", "x"),
)
igammac = binary(
    "igammac",
    "Igammac",
    _igammac,
    FLOATS,
    "The upper regularised incomplete gamma function: `1 - igamma(a, x)`.\n\n"
    "NaN where `a` is not positive or `x` is negative.",
    ("[1.0, 2.0], [1.0, 1.0]", "[0.36787945 0.7357589 ]"),
    args=("a", "x"),
)
