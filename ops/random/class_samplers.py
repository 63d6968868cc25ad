"""Samplers of classes: their draws, and the probability of each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import numpy as np

from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array
from .distributions import uniform
from .weighted_classes import Alias, fixed_weights, unbiased


class Sampler:
    """Draws classes of [0, range).

    Args:
        number: how many classes there are.
        chunks: from endless words to endless classes.
        probability: of some classes to be drawn at once, as float32.
        update: what is done with the true classes of a run when it is over.
    """

    def __init__(
        self,
        number: int,
        chunks: Callable[[Iterator[Array]], Iterator[Array]],
        probability: Callable[[Array], Array],
        update: Callable[[Array], None] | None = None,
    ) -> None:
        self.number = number
        self._chunks = chunks
        self._probability = probability
        self._update = update
        self._lock = Lock()

    def draw(self, words: Iterator[Array], count: int, unique: bool, true: Array) -> Any:
        """The classes drawn, and the expected counts of the true ones and of these."""
        with self._lock:
            if unique:
                classes, tries = _distinct(self._chunks(words), count)
            else:
                chunks: list[Array] = []
                for chunk in self._chunks(words):
                    chunks.append(chunk)
                    if sum(map(len, chunks)) >= count:
                        break
                classes, tries = np.concatenate(chunks)[:count], count
            counts = [self._expected(part, count, tries) for part in (true, classes)]
            if self._update is not None:
                self._update(true)
        return classes.astype(np.int64), *counts

    def _expected(self, classes: Array, count: int, tries: int) -> Array:
        p = self._probability(classes).astype(np.float32)
        if tries == count:
            return np.asarray(p * np.float32(count))
        return -np.expm1(np.float32(tries) * np.log1p(-p))


def _distinct(chunks: Iterator[Array], count: int) -> tuple[Array, int]:
    """The first `count` different numbers, and how many were looked at."""
    seen = np.empty(0, np.int64)
    for chunk in chunks:
        seen = np.concatenate([seen, chunk])
        _, first = np.unique(seen, return_index=True)
        if len(first) >= count:
            places = np.sort(first)[:count]
            return seen[places], int(places[-1]) + 1
    raise AssertionError("the chunks do not end")


def uniform_sampler(number: int) -> Sampler:
    """All classes equally likely."""
    share = np.float32(1.0 / number)
    return Sampler(
        number,
        lambda words: (part.astype(np.int64) for part in unbiased(words, number, np.uint64)),
        lambda classes: np.full(classes.shape, share),
    )


def log_uniform_sampler(number: int) -> Sampler:
    """Class `i` as likely as `log((i + 2) / (i + 1))` says."""
    scale = math.log1p(number)

    def chunks(words: Iterator[Array]) -> Iterator[Array]:
        for part in words:
            draws = uniform(part.reshape(-1, 4), np.dtype(np.float64)).reshape(-1)
            yield (np.exp(draws * scale).astype(np.int64) - 1) % number

    def probability(classes: Array) -> Array:
        return np.asarray(np.log((classes + 2.0) / (classes + 1.0)) / scale)

    return Sampler(number, chunks, probability)


def learned_sampler(number: int) -> Sampler:
    """Each class as likely as it was a true one until now, and once more."""
    if number >= 2**31 - 1:
        raise ValueError(f"range_max must be less than {2**31 - 1}, got {number}")
    weights = np.ones(number, np.int64)

    def chunks(words: Iterator[Array]) -> Iterator[Array]:
        sums = np.cumsum(weights)
        for part in unbiased(words, int(sums[-1]), np.uint32):
            yield np.searchsorted(sums, part, "right")

    def probability(classes: Array) -> Array:
        return weights[classes].astype(np.float32) / np.float32(weights.sum())

    def update(true: Array) -> None:
        np.add.at(weights, true.reshape(-1)[: 2**31 - 1 - int(weights.sum())], 1)

    return Sampler(number, chunks, probability, update)


def all_sampler(number: int) -> Sampler:
    """All classes in order, without any chance."""
    return Sampler(
        number,
        lambda words: (np.arange(number) for _ in words),
        lambda classes: np.full(classes.shape, np.float32(1 / number)),
    )


def fixed_sampler(c: KernelContext) -> Sampler:
    """Classes by the weights that the attrs of an op state."""
    number = c.attr("range_max")
    weights, total = fixed_weights(c)
    if len(weights) != number:
        raise ValueError(f"range_max = {number} must be the number of weights, {len(weights)}")
    return Sampler(
        number, Alias(weights).chunks, lambda classes: weights[classes] / np.float32(total)
    )
