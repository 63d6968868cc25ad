"""Binomial random numbers."""

from __future__ import annotations

import numpy as np

from ...shape_inference.protocols import Array
from .distributions import RESERVED, uniform
from .philox import Philox

_MANY = 10  # expected successes from which on numbers are drawn by rejection
_APART = 42  # groups of the stream between the numbers that are drawn by inversion
# What Stirling's formula lacks of the logarithm of k!, for the first ten k.
_TAILS = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)
_double = np.dtype(np.float64)


def binomial(stream: Philox, counts: Array, probs: Array) -> Array:
    """Binomial numbers in float64, one for each element of two vectors of one length.

    They are NaN where a parameter is NaN, or the count infinite, for which TensorFlow has no end.

    Args:
        stream: where the words come from.
        counts: the numbers of attempts.
        probs: the probability of success of each attempt, of the dtype of `counts`.
    """
    lanes = np.arange(len(counts))
    wide = counts.astype(np.float64)
    result = np.full(len(counts), np.nan)
    nothing = (wide <= 0) | (probs <= 0)
    result[nothing] = 0
    certain = ~nothing & (probs >= 1)
    result[certain] = wide[certain]
    drawn = np.isfinite(wide) & (wide > 0) & (probs > 0) & (probs < 1)
    rarer = np.where(probs > 0.5, probs.dtype.type(1) - probs, probs)
    with np.errstate(over="ignore"):
        many = drawn & (counts * rarer >= _MANY)
    for chosen, rule, apart in (
        (lanes[drawn & ~many], _inverted, _APART),
        (lanes[many], _rejected, RESERVED),
    ):
        successes = rule(stream, wide[chosen], rarer[chosen].astype(np.float64), chosen * apart)
        result[chosen] = np.where(probs[chosen] > 0.5, wide[chosen] - successes, successes)
    return result


def _inverted(stream: Philox, count: Array, prob: Array, starts: Array) -> Array:
    """Number of geometrically distributed waits for a success that fit into the attempts."""
    waited = np.zeros_like(count)
    result = np.zeros_like(count)
    waiting = np.arange(count.size)
    attempt = 0
    while waiting.size:
        pairs = uniform(stream.words_at(starts[waiting] + attempt), _double)
        attempt += 1
        for column in (1, 0):
            running = waited[waiting] <= count[waiting]
            with np.errstate(divide="ignore"):
                wait = np.ceil(np.log(pairs[:, column]) / np.log1p(-prob[waiting]))
            waited[waiting] += np.where(running, wait, 0)
            result[waiting] += waited[waiting] <= count[waiting]
        waiting = waiting[waited[waiting] <= count[waiting]]
    return result


def _rejected(stream: Philox, count: Array, prob: Array, starts: Array) -> Array:
    """Hörmann's transformed rejection for binomial numbers, whose constants these are."""
    result = np.empty_like(count)
    waiting = np.arange(count.size)
    attempt = 0
    while waiting.size:
        n, p = count[waiting], prob[waiting]
        deviation = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        odds = p / (1 - p)
        m = np.floor((n + 1) * p)
        v, u = uniform(stream.words_at(starts[waiting] + attempt), _double).T
        attempt += 1
        u = u - 0.5
        shifted = 0.5 - np.absolute(u)
        with np.errstate(all="ignore"):
            k = np.floor((2 * a / shifted + b) * u + (n * p + 0.5))
            inside = (shifted >= 0.07) & (v <= 0.92 - 4.2 / b)
            outside = (k < 0) | (k > n)
            scale = (2.83 + 5.1 / b) * deviation
            s = np.log(v * scale / (a / (shifted * shifted) + b))
            t = (
                (m + 0.5) * np.log((m + 1) / (odds * (n - m + 1)))
                + (n + 1) * np.log((n - m + 1) / (n - k + 1))
                + (k + 0.5) * np.log(odds * (n - k + 1) / (k + 1))
                + (_tail(m) + _tail(n - m) - _tail(k) - _tail(n - k))
            )
        accepted = inside | (~outside & (s <= t))
        result[waiting[accepted]] = k[accepted]
        waiting = waiting[~accepted]
    return result


def _tail(k: Array) -> Array:
    """Correction of Stirling's formula for the logarithm of k!."""
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    few = np.clip(np.nan_to_num(k), 0, len(_TAILS) - 1).astype(np.intp)
    return np.asarray(np.where(k <= len(_TAILS) - 1, _TAILS[few], series))
