"""Logarithm, sine and cosine of float32 as glibc computes them, used by TensorFlow's Box–Muller.

Normal numbers of float32 equal TensorFlow's only where these functions err as its do. Since version
2.28 glibc has them in float64 throughout: a table and a short polynomial each, whose coefficients
stand here; they are those of Arm's Optimized Routines. The results are within 0.82 of a unit in
the last place.
"""

from __future__ import annotations

import numpy as np

from ...shape_inference.protocols import Array

_HALF_PI = float.fromhex("0x1.921fb54442d18p0")
_LOG_2 = float.fromhex("0x1.62e42fefa39efp-1")


def _numbers(text: str) -> Array:
    return np.array([float.fromhex(word) for word in text.split()])


# 1 / c and log(c), for a c in each of 16 parts of [0.7, 1.4).
_RECIPROCALS = _numbers(
    "0x1.661ec79f8f3bep0 0x1.571ed4aaf883dp0 0x1.49539f0f010bp0 0x1.3c995b0b80385p0 "
    "0x1.30d190c8864a5p0 0x1.25e227b0b8eap0 0x1.1bb4a4a1a343fp0 0x1.12358f08ae5bap0 "
    "0x1.0953f419900a7p0 0x1p0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1 "
    "0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1"
)
_LOGARITHMS = _numbers(
    "-0x1.57bf7808caadep-2 -0x1.2bef0a7c06ddbp-2 -0x1.01eae7f513a67p-2 -0x1.b31d8a68224e9p-3 "
    "-0x1.6574f0ac07758p-3 -0x1.1aa2bc79c81p-3 -0x1.a4e76ce8c0e5ep-4 -0x1.1973c5a611cccp-4 "
    "-0x1.252f438e10c1ep-5 0x0p0 0x1.aa5aa5df25984p-5 0x1.c5e53aa362eb4p-4 "
    "0x1.526e57720db08p-3 0x1.bc2860d22477p-3 0x1.1058bc8a07ee1p-2 0x1.4043057b6ee09p-2"
)
_LOG = _numbers("-0x1.00ea348b88334p-2 0x1.5575b0be00b6ap-2 -0x1.ffffef20a4123p-2")
_SINE = _numbers("-0x1.555545995a603p-3 0x1.1107605230bc4p-7 -0x1.994eb3774cf24p-13")
_COSINE = _numbers(
    "-0x1.ffffffd0c621cp-2 0x1.55553e1068f19p-5 -0x1.6c087e89a359dp-10 0x1.99343027bf8c3p-16"
)
_START = 0x3F330000  # the bits of the least number that the table is for


def log(x: Array) -> Array:
    """The logarithms of positive, normal numbers of float32."""
    bits = x.view(np.int32)
    above = bits - np.int32(_START)
    part = above >> 19 & 15
    exponent = above >> 23
    mantissa = (bits - (exponent << 23)).view(np.float32).astype(np.float64)
    r = mantissa * _RECIPROCALS[part] - 1
    squared = r * r
    curved = _LOG[0] * squared + (_LOG[1] * r + _LOG[2])
    result = curved * squared + (_LOGARITHMS[part] + exponent * _LOG_2 + r)
    return np.asarray(result.astype(np.float32))


def sine_and_cosine(x: Array) -> tuple[Array, Array]:
    """The sines and cosines of numbers of float32 in [0, 2 pi]."""
    wide = x.astype(np.float64)
    quarter = np.floor(wide * (1 / _HALF_PI) + 0.5)
    wide -= quarter * _HALF_PI
    squared = wide * wide
    cubed = wide * squared
    sine = wide + cubed * _SINE[0] + cubed * squared * (_SINE[1] + squared * _SINE[2])
    fourth = squared * squared
    cosine = 1 + squared * _COSINE[0] + fourth * _COSINE[1]
    cosine += fourth * squared * (_COSINE[2] + squared * _COSINE[3])
    turns = quarter.astype(np.int8)
    across = turns & 1 != 0
    first = np.where(across, cosine, sine)
    second = np.where(across, sine, cosine)
    np.negative(first, where=turns & 2 != 0, out=first)
    np.negative(second, where=turns + 1 & 2 != 0, out=second)
    return first.astype(np.float32), second.astype(np.float32)
