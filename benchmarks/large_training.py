"""Training on large tables: steps that touch few rows, passes over many, and Adam's update.

Measured on an otherwise idle machine, with as many threads as libraries take by default. Where
numba is installed, as it was here, Adam's update is machine code; without it, 0.8 of the time by
hand.

Logistic regression by hand leaves out what keeps the loss of large logits finite: the graphs, ours
as TensorFlow's, have those ops, and their gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from libraries import tensorflow
from timing import compare

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from timing import Row

    Array = np.ndarray[Any, Any]
    Step = Callable[[], Any]

RATE = 0.01
WORDS, WIDTH, BATCH = 50_000, 128, 128
ROWS, FEATURES = 1_000_000, 20
NUMBERS = 2_000_000


def stepping(lib: Any, make: Callable[[Any], tuple[Any, dict[Any, Array]]]) -> Step:
    """A step of a session of `lib`; `make` builds it, and says what is fed."""
    graph = lib.Graph()
    with graph.as_default():
        train, feeds = make(lib)
        session = lib.Session(graph=graph)
        session.run(lib.global_variables_initializer())
    return lambda: session.run(train, feeds)


def words(random: np.random.Generator) -> tuple[Step, Callable[[Any], Any]]:
    """Word vectors that learn from pairs: of 50,000 rows a step changes 256."""
    table = random.normal(0, 0.1, (WORDS, WIDTH)).astype(np.float32)
    centers, others = random.integers(0, WORDS, (2, BATCH))
    inputs, outputs = table.copy(), table.copy()

    def by_hand() -> None:
        x, y = inputs[centers], outputs[others]
        score = 1 / (1 + np.exp(-(x * y).sum(1, keepdims=True)))
        slope = (score - 1) * np.float32(RATE / BATCH)
        np.subtract.at(inputs, centers, slope * y)
        np.subtract.at(outputs, others, slope * x)

    def make(lib: Any) -> Any:
        tables = [lib.Variable(table), lib.Variable(table)]
        ids = [lib.placeholder(lib.int64, [BATCH]) for _ in range(2)]
        x, y = (lib.nn.embedding_lookup(*pair) for pair in zip(tables, ids, strict=True))
        losses = lib.log1p(lib.exp(-lib.reduce_sum(x * y, 1)))
        train = lib.train.GradientDescentOptimizer(RATE).minimize(lib.reduce_mean(losses))
        return train, dict(zip(ids, (centers, others), strict=True))

    return by_hand, make


def rows_of_numbers(random: np.random.Generator) -> tuple[Step, Callable[[Any], Any]]:
    """Logistic regression, a pass over a million rows of twenty numbers."""
    x = random.normal(size=(ROWS, FEATURES)).astype(np.float32)
    labels = (x @ random.normal(size=(FEATURES, 1)) > 0).astype(np.float32)
    weights = np.zeros((FEATURES, 1), np.float32)

    def by_hand() -> None:
        slope = 1 / (1 + np.exp(-(x @ weights))) - labels
        weights[...] -= x.T @ slope * np.float32(RATE / ROWS)

    def make(lib: Any) -> Any:
        fed, known = lib.placeholder(lib.float32, x.shape), lib.placeholder(lib.float32, [ROWS, 1])
        logits = lib.matmul(fed, lib.Variable(np.zeros((FEATURES, 1), np.float32)))
        losses = lib.nn.sigmoid_cross_entropy_with_logits(labels=known, logits=logits)
        train = lib.train.GradientDescentOptimizer(RATE).minimize(lib.reduce_mean(losses))
        return train, {fed: x, known: labels}

    return by_hand, make


def adam(random: np.random.Generator) -> tuple[Step, Callable[[Any], Any]]:
    """Adam over two million numbers, whose slope is a constant."""
    slope = random.normal(size=NUMBERS).astype(np.float32)
    weights, first, second = np.zeros((3, NUMBERS), np.float32)
    powers = np.ones(2)

    def by_hand() -> None:
        powers[:] *= 0.9, 0.999
        rate = np.float32(RATE * np.sqrt(1 - powers[1]) / (1 - powers[0]))
        first[...] += (slope - first) * np.float32(0.1)
        second[...] += (slope * slope - second) * np.float32(0.001)
        weights[...] -= rate * first / (np.sqrt(second) + np.float32(1e-8))

    def make(lib: Any) -> Any:
        variable, fed = lib.Variable(np.zeros(NUMBERS, np.float32)), lib.constant(slope)
        optimizer = lib.train.AdamOptimizer(RATE)
        return optimizer.apply_gradients([(fed, variable)]), {}

    return by_hand, make


def rows() -> Iterator[Row]:
    """The lines of the table."""
    random = np.random.default_rng(0)
    library = tensorflow()
    for name, made in (
        ("train, word vectors, 256 rows of 50,000", words(random)),
        ("train, logistic regression, 1M x 20", rows_of_numbers(random)),
        ("Adam over 2M numbers", adam(random)),
    ):
        by_hand, make = made
        theirs = None if library is None else stepping(library.compat.v1, make)
        yield compare(name, stepping(td, make), by_hand, 1.1, theirs, seconds=2.0)
