"""Integers below a bound, and classes by weights, from the words of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...formats.message_files import read_file
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from .distributions import uniform


def unbiased(words: Iterator[Array], bound: int, kind: Any) -> Iterator[Array]:
    """Integers of [0, bound), all equally likely: numbers that would favour some are passed over.

    Args:
        words: vectors of words, each of an even length.
        bound: what the integers are less than.
        kind: np.uint32 for one word each, np.uint64 for two, of which the lower comes first.
    """
    least = _least(bound, 8 * np.dtype(kind).itemsize)
    for part in words:
        numbers = part
        if kind is np.uint64:
            numbers = part[0::2] | part[1::2].astype(np.uint64) << np.uint64(32)
        yield numbers[numbers >= kind(least)] % kind(bound)


def _least(bound: int, bits: int) -> int:
    """From where on as many numbers of so many bits have each remainder."""
    return (1 << bits) % bound


class Alias:
    """Walker's alias method: each class has an alias, taken instead with some probability.

    Args:
        weights: of the classes, as float32.
    """

    def __init__(self, weights: Array) -> None:
        self._number = len(weights)
        total = sum(weights.tolist())
        shares = [float(np.float32(w) * np.float32(self._number)) / total for w in weights]
        other = list(range(self._number))
        low = [i for i, share in enumerate(shares) if share < 1]
        high = [i for i, share in enumerate(shares) if share >= 1]
        while low and high:
            small, large = low.pop(), high.pop()
            other[small] = large
            shares[large] -= 1.0 - shares[small]
            (low if shares[large] < 1 else high).append(large)
        for i in (*low, *high):  # left over by rounding
            shares[i] = 1.0
        self._shares = np.array(shares, np.float32)
        self._other = np.array(other, np.int64)

    def chunks(self, words: Iterator[Array]) -> Iterator[Array]:
        """Classes without end: each takes a float, and an unbiased class."""
        least = _least(self._number, 32)
        left = np.empty(0, np.uint32)
        for part in words:
            left = np.concatenate([left, part])
            while (over := np.flatnonzero(left[1::2] < least)).size:
                left = np.delete(left, 2 * over[0] + 1)
            pairs = left[: len(left) // 2 * 2]
            left = left[len(pairs) :]
            floats = uniform(pairs[0::2], np.dtype(np.float32))
            classes = (pairs[1::2] % np.uint32(self._number)).astype(np.int64)
            yield np.where(floats < self._shares[classes], classes, self._other[classes])


def fixed_weights(c: KernelContext) -> tuple[Array, float]:
    """The weights that the attrs of a sampler state, and their sum, in float32."""
    unigrams, path = c.attr("unigrams"), c.attr("vocab_file")
    if bool(unigrams) == bool(path):
        raise ValueError("one of vocab_file and unigrams is needed")
    if path:
        unigrams = _read_weights(path.decode() if isinstance(path, bytes) else path)
    shards, shard = c.attr("num_shards"), c.attr("shard")
    reserved = [0.0] * sum(i % shards == shard for i in range(c.attr("num_reserved_ids")))
    powers = np.power(np.array(unigrams, np.float32), np.float32(c.attr("distortion")))
    own = [w for i, w in enumerate(powers, len(reserved)) if i % shards == shard]
    total = np.float32(0)
    for weight in own:
        total += weight
    return np.array([*reserved, *own], np.float32), float(total)


def _read_weights(path: str) -> list[float]:
    """The last column of a file of comma-separated values."""
    weights = []
    for line in read_file(path).decode().splitlines():
        try:
            weights.append(float(line.rpartition(",")[2]))
        except ValueError:
            raise ValueError(f"a line of {path!r} does not end in a number: {line!r}") from None
    return weights
