"""Roots, exponentials, circular functions, complex numbers, and special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import Case
from harness import check

from tensordraft.ops import special

INF, NAN = float("inf"), float("nan")
X = np.array([0.25, 0.5, 0.75], np.float64)

MATHEMATICS = [
    *[
        Case(op, [X], expected=np.array([function(x) for x in X]), rtol=1e-15)
        for op, function in {
            "Sqrt": math.sqrt,
            "Exp": math.exp,
            "Expm1": math.expm1,
            "Log": math.log,
            "Log1p": math.log1p,
            "Sin": math.sin,
            "Cos": math.cos,
            "Tan": math.tan,
            "Asin": math.asin,
            "Acos": math.acos,
            "Atan": math.atan,
            "Sinh": math.sinh,
            "Cosh": math.cosh,
            "Tanh": math.tanh,
            "Asinh": math.asinh,
            "Atanh": math.atanh,
            "Erf": math.erf,
            "Erfc": math.erfc,
            "Lgamma": math.lgamma,
        }.items()
    ],
    Case("Acosh", [[1.0, 2.0]], expected=[0.0, 1.3169578969], rtol=1e-6),
    Case("Rsqrt", [[4.0, 0.0, -1.0]], expected=[0.5, INF, NAN]),
    Case("Rsqrt", [(4.0, "float16")], expected=(0.5, "float16"), id="small"),
    Case("Sigmoid", [[0.0, 1000.0, -1000.0, NAN]], expected=[0.5, 1.0, 0.0, NAN]),
    Case("Sigmoid", [([-12.0], "float16")], expected=([6.1e-06], "float16"), rtol=0.02, id="half"),
    Case("Atan2", [[1.0, 0.0], [0.0, -1.0]], expected=[math.pi / 2, math.pi], rtol=1e-6),
    Case("Xlogy", [[0.0, 2.0], [0.0, 1.0]], expected=[0.0, 0.0]),
    Case("Xlog1py", [[0.0, 2.0], [-1.0, 0.0]], expected=[0.0, 0.0]),
    Case("SigmoidGrad", [[0.5], [2.0]], expected=[0.5]),
    Case("TanhGrad", [[0.5], [2.0]], expected=[1.5]),
    Case("Real", [([1 + 2j], "complex64")], expected=([1.0], "float32")),
    Case("Imag", [1 + 2j], {"Tout": "float64"}, (2.0, "float64")),
    Case("Angle", [([2j], "complex64")], expected=([math.pi / 2], "float32"), rtol=1e-6),
    Case("Conj", [[1 + 2j]], expected=[1 - 2j]),
    Case("Complex", [[1.0, 2.0], 0.5], expected=([1 + 0.5j, 2 + 0.5j], "complex64")),
    Case("Digamma", [[1.0, 0.0, -2.0]], expected=[-0.57721566, NAN, NAN], rtol=1e-6),
    Case("Igamma", [[1.0, 2.0, -1.0], 1.0], expected=[0.63212056, 0.26424112, NAN], rtol=1e-6),
    Case("Igammac", [[1.0, 2.0, 3.0], [1.0, 1.0, 0.0]], expected=[0.36787944, 0.73575888, 1.0],
         rtol=1e-6),
]  # fmt: skip

test_mathematics = check(MATHEMATICS)

SIZES = np.concatenate([np.logspace(-300, 1.42, 3000), np.linspace(0.01, 26, 3000)])
POINTS = np.concatenate([-SIZES, [0.0], SIZES])


def relative_error(actual: Any, function: Any, points: Any) -> float:
    wanted = np.array([function(x) for x in points.tolist()])
    normal = np.abs(wanted) >= np.finfo(actual.dtype).tiny
    error = np.abs(actual.astype(np.float64) - wanted)[normal] / np.abs(wanted)[normal]
    return float(error.max())


@pytest.mark.parametrize(
    ("name", "dtype", "bound"),
    [
        ("erf", np.float64, 4e-16),
        ("erfc", np.float64, 1e-15),
        ("erf", np.float32, 1e-7),
        ("erfc", np.float32, 1e-7),
        ("erf", np.float16, 5e-4),
    ],
)
def test_error_function_stays_in_its_bound(name: str, dtype: Any, bound: float) -> None:
    points = POINTS.astype(dtype)
    actual = getattr(special, f"_{name}")(points)
    assert actual.dtype == dtype
    assert relative_error(actual, getattr(math, name), points.astype(np.float64)) < bound


def test_error_function_at_the_ends() -> None:
    ends = np.array([INF, -INF, NAN, 0.0, -0.0])
    np.testing.assert_array_equal(special._erf(ends), [1.0, -1.0, NAN, 0.0, -0.0])
    np.testing.assert_array_equal(special._erfc(ends), [0.0, 2.0, NAN, 1.0, 1.0])


def test_lgamma_is_infinite_at_its_poles() -> None:
    points = np.array([0.0, -1.0, -2.0, INF, 1e306])
    with np.errstate(all="ignore"):  # as around kernels
        np.testing.assert_array_equal(special._lgamma(points), [INF] * 5)


# Values of TensorFlow 2.21.
DIGAMMA = {
    0.001: -1000.5755719318103,
    0.5: -1.9635100260214235,
    -0.5: 0.03648997397857645,
    1.5: 0.03648997397857652,
    -2.5: 1.1031566406452433,
    6.0: 1.7061176684318005,
    100.0: 4.600161852738087,
    1e30: 69.07755278982137,
}


def test_digamma() -> None:
    with np.errstate(all="ignore"):  # as around kernels
        actual = special._digamma(np.array([*DIGAMMA]))
    np.testing.assert_allclose(actual, [*DIGAMMA.values()], rtol=1e-14, atol=1e-14)


def test_igamma_and_igammac_are_complements() -> None:
    a, x = np.meshgrid(np.logspace(-3, 3, 40), np.logspace(-3, 3, 40))
    lower, upper = special._igamma(a, x), special._igammac(a, x)
    np.testing.assert_allclose(lower + upper, 1.0, rtol=1e-12)
    # With whole a the sum is finite: 1 - exp(-x) (1 + x + x**2 / 2).
    x = np.linspace(0.5, 30, 60)
    exact = np.exp(-x) * (1 + x + x * x / 2)
    np.testing.assert_allclose(special._igammac(np.full_like(x, 3.0), x), exact, rtol=1e-12)
