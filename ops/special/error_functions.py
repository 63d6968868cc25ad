"""The error function, its complement, and their inverses.

NumPy has none of these. The quotients of polynomials were fitted for this module at 60 digits;
the bounds that the docstrings state are those of the tests.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.default_scopes import name_scope
from ..kit.blockwise import in_blocks, quotient
from ..kit.elementwise import FLOATS, unary
from ..math.arithmetic import multiply

if TYPE_CHECKING:
    from ...graph.node import Tensor
    from ...graph.surface.tensor_like import TensorLike
    from ...shape_inference.protocols import Array

public = {
    "td, td.math": "erf erfc",
    "td.math": "erfcinv erfinv ndtri",
}

# For float64 (True) and the shorter dtypes: erf(x) / x in x**2, on [0, 1] and on [0, 16].
_ERF = {
    True: (
        (
            1.1283791670955126, 0.14350670771244078, 0.045483619248494436, 0.0018774128742869022,
            0.00019688480350830555, 7.772033296025144e-08,
        ),
        (
            1.0, 0.4605128416911775, 0.0938130886087754, 0.01069308301617369,
            0.0006924985967461523, 2.0810274830505652e-05,
        ),
    ),
    False: (
        (
            1.1283791693489065, 0.1852193399926879, 0.05431692902209495, 0.003849989800968814,
            0.00037952767589743546, 4.682244722031534e-06, -1.3190308611525255e-08,
        ),
        (
            1.0, 0.49747977909561264, 0.11396319875978418, 0.015462577760154639,
            0.0013075368526851475, 6.308659671543482e-05,
        ),
    ),
}  # fmt: skip
# exp(x**2) erfc(x) in x, from 0 to where erfc(x) is below the least number of the dtype.
_SCALED_ERFC = {
    True: (
        (
            1.0, 2.3395911800954425, 2.7137045232483477, 2.0162618728012283, 1.0527571489325869,
            0.40178915633467965, 0.11336086465299658, 0.023375597930717723, 0.003384332750994737,
            0.00031284092668290743, 1.4193122472027692e-05,
        ),
        (
            1.0, 3.4679703471909553, 5.6268900151236, 5.649809772277465, 3.9097851068131733,
            1.9634590297922891, 0.7325915760719403, 0.20391360947013656, 0.041709416625587026,
            0.006011151944460932, 0.0005544961052209946, 2.5156654581912814e-05,
        ),
    ),
    False: (
        (
            0.9999999999311794, 1.4324054179384207, 0.9983148112690453, 0.40098105472551954,
            0.09237163643379627, 0.009947657014007238,
        ),
        (
            1.0, 2.5607845759027974, 2.8878509875874827, 1.8510382983744291, 0.7195596017562254,
            0.16372335133227237, 0.01763178659664688,
        ),
    ),
}  # fmt: skip
_ERFC_VANISHES = {True: 27.3, False: 10.2}
# erfinv(y) / y in 0.7225 - y**2, for |y| up to 0.85.
_INVERSE_CENTRE = {
    True: (
        (
            1.1975323115670913, 11.771242498683979, 43.59138278801176, 75.92949091987099,
            63.50985941371377, 23.26938105739076, 2.892948898118709, 0.05431892705344765,
        ),
        (
            1.0, 10.580896673513957, 42.97196237878251, 84.35791495115025, 82.97254959935981,
            38.45424526320645, 7.03019163015044, 0.31993831866138045,
        ),
    ),
    False: (
        (
            1.1975323112248648, 6.293352315806361, 9.362868099328631, 3.8577887455468884,
            0.2099249832217939,
        ),
        (
            1.0, 6.006581410831893, 10.952682896704415, 6.423887156334048, 0.8194153865195313,
        ),
    ),
}  # fmt: skip
# erfinv(1 - z) in sqrt(-log(z)) - 1.375, for z from 0.15 down to the least number of the dtype.
_INVERSE_TAIL = {
    True: (
        (
            1.015467274429816, 3.5433526412924636, 5.285039390886913, 4.388235994187124,
            2.2120240236311854, 0.6953119290889, 0.13673530616221047, 0.016855175140413937,
            0.0012838366087041988, 5.5294323203788415e-05, 1.097002187152548e-06,
            6.696260469037912e-09,
        ),
        (
            1.0, 2.4732338519137906, 2.6543189279830792, 1.5734490728905097, 0.5535837318780784,
            0.11764473603872729, 0.015293650372783692, 0.0012125124484180672,
            5.3820438340365805e-05, 1.0878057614736013e-06, 6.696246461643475e-09,
        ),
    ),
    False: (
        (
            1.0154672839618781, 2.243606280475652, 1.7705395598989317, 0.5724965349086665,
            0.058582082180739424,
        ),
        (
            1.0, 1.1932854546398388, 0.4939601899458708, 0.058524505805999605,
            1.1098277985021165e-06,
        ),
    ),
}  # fmt: skip


def _scaled_erfc(x: Array, precise: bool) -> Any:
    """Erfc of what is not negative."""
    x = np.minimum(x, _ERFC_VANISHES[precise])
    result = quotient(_SCALED_ERFC[precise], x)
    if precise:
        # exp would multiply the rounding error of x * x by x * x: so the square of a shorter x,
        # which is exact, and the small rest apart.
        short = x.astype(np.float32).astype(np.float64)
        result *= np.exp((short - x) * (short + x))
        x = short
    x *= x
    np.negative(x, out=x)
    result *= np.exp(x, out=x)
    return result


@in_blocks
def erf_of(x: Array, precise: bool) -> Any:
    """The error function."""
    if not precise:
        x = np.clip(x, -4.0, 4.0)  # beyond, it is 1
        return x * quotient(_ERF[False], x * x)
    size = np.abs(x)
    near = x * quotient(_ERF[True], np.minimum(x * x, 1.0))
    far = np.copysign(1 - _scaled_erfc(size, precise), x)
    return np.where(size < 1, near, far)


@in_blocks
def erfc_of(x: Array, precise: bool) -> Any:
    """The complement of the error function."""
    result = _scaled_erfc(np.abs(x), precise)
    return np.where(x < 0, 2 - result, result)


def _inverse(y: Array, z: Array, precise: bool) -> Any:
    """What has the error function `y`, whose distance from 1 or -1 is `z`."""
    centre = y * quotient(_INVERSE_CENTRE[precise], np.maximum(0.7225 - y * y, 0))
    steps = np.sqrt(-np.log(z)) - 1.375
    tail = quotient(_INVERSE_TAIL[precise], np.clip(steps, 0, 26))
    tail /= z > 0  # 0 at the ends, where it is infinite
    return np.where(z < 0.15, np.copysign(tail, y), centre)


@in_blocks
def erfinv_of(y: Array, precise: bool) -> Any:
    """The inverse of the error function."""
    return _inverse(y, 1 - np.abs(y), precise)


@in_blocks
def ndtri_of(p: Array, precise: bool) -> Any:
    """The quantiles of the normal distribution."""
    return math.sqrt(2) * _inverse(p - (1 - p), 2 * np.minimum(p, 1 - p), precise)


erf = unary(
    "erf",
    "Erf",
    erf_of,
    FLOATS,
    "The error function: twice the integral of `exp(-t**2) / sqrt(pi)` from 0 to `x`.\n\n"
    "The error is below 1 unit in the last place for float32 and 3 units for float64.",
    ("[0.0, 0.5, -3.0]", "[ 0.         0.5204999 -0.9999779]"),
    of_sparse=True,
)
erfc = unary(
    "erfc",
    "Erfc",
    erfc_of,
    FLOATS,
    "`1 - erf(x)`, accurate also where that is near 0.\n\n"
    "The error is below 1 unit in the last place for float32 and 6 units for float64, down to the "
    "least normal number.",
    ("[0.0, 3.0, -3.0]", "[1.0000000e+00 2.2090497e-05 1.9999779e+00]"),
)
erfinv = unary(
    "erfinv",
    "Erfinv",
    erfinv_of,
    FLOATS,
    "The inverse of the error function: NaN outside of [-1, 1].\n\n"
    "The error is below 1 unit in the last place for float32 and 5 units for float64.",
    ("[0.0, 0.5, -1.0]", "[0.         0.47693628       -inf]"),
    home="td.math",
)
ndtri = unary(
    "ndtri",
    "Ndtri",
    ndtri_of,
    FLOATS,
    "The quantiles of the standard normal distribution: the number that a draw is below with "
    "probability `x`. NaN outside of [0, 1].\n\n"
    "The error is below 1 unit in the last place for float32 and 8 units for float64.",
    ("[0.5, 0.975, 0.0]", "[0.        1.9599644      -inf]"),
    home="td.math",
)


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `erfc`.

    Args:
        x: a tensor of floats in [0, 2].
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the shape and dtype of `x`; NaN outside of [0, 2].

    Raises:
        TypeError: `x` is of another dtype.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.math.erfcinv([0.5, 2.0])).round(4))
        [0.4769   -inf]
    """
    with name_scope(name, "erfcinv", [x]):
        return multiply(ndtri(multiply(x, 0.5)), -math.sqrt(0.5))
