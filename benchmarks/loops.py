"""Overhead of a loop beside the work of its iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from libraries import callables
from timing import Row, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS = 10_000
_BATCH, _TIME, _UNITS = 32, 100, 128


def rows() -> Iterator[Row]:
    """A round with little in it, one with a product, and a recurrent network."""
    yield _small_rounds()
    yield _products()
    yield _lstm()


def _counted(library: Any, rounds: int, body: Callable[..., Any], start: Any) -> Any:
    """Result of a loop from `start`, over a number of iterations that is fed."""
    number = library.identity(library.placeholder_with_default(np.int32(rounds), []))
    first = [library.constant(0), start]
    return library.while_loop(lambda i, _: i < number, lambda i, y: (i + 1, body(y)), first)[1]


def _small_rounds() -> Row:
    """Against 2 us for a round, beyond the calls of NumPy in condition and body."""
    value = np.ones(4, np.float32)

    def loop() -> Any:
        i, y = np.array(0, np.int32), np.zeros(4, np.float32)
        end, one = np.array(_ROUNDS, np.int32), np.array(1, np.int32)
        while np.less(i, end):
            i, y = np.add(i, one), np.add(y, value)
        return y

    ours, tensorflow = callables(
        lambda library, x: _counted(library, _ROUNDS, lambda y: y + x, library.zeros([4])), [value]
    )
    row = compare("", ours, loop, tensorflow=tensorflow)
    beyond = max(row.ours - row.theirs, 0.0) / _ROUNDS
    beside = None if row.tensorflow is None else row.tensorflow / _ROUNDS
    return Row("a round with one small add, beyond NumPy / 2 us", beyond, 2e-6, 1.0, "s", beside)


def _products() -> Row:
    rounds = 1_000
    random = np.random.default_rng(0)
    factor = np.linalg.qr(random.normal(size=(256, 256)))[0].astype(np.float32)

    def loop() -> Any:
        y = np.eye(256, dtype=np.float32)
        for _ in range(rounds):
            y = y @ factor
        return y

    ours, tensorflow = callables(
        lambda library, x: _counted(
            library, rounds, lambda y: library.matmul(y, x), library.eye(256)
        ),
        [factor],
    )
    return compare("1000 rounds of a 256x256 product / NumPy", ours, loop, 1.05, tensorflow)


def _lstm() -> Row:
    """A network of 100 steps; the number of steps is fed."""
    random = np.random.default_rng(0)
    x = random.normal(size=(_TIME, _BATCH, _UNITS)).astype(np.float32)
    kernel = (random.normal(size=(2 * _UNITS, 4 * _UNITS)) / 16).astype(np.float32)
    bias = np.zeros(4 * _UNITS, np.float32)

    def network(library: Any, x: Any) -> Any:
        time = library.shape(x)[0]
        given = library.TensorArray(np.float32, time).unstack(x)

        def step(i: Any, c: Any, h: Any, made: Any) -> Any:
            gates = library.matmul(library.concat([given.read(i), h], 1), kernel) + bias
            put, new, keep, out = library.split(gates, 4, 1)
            c = c * library.sigmoid(keep + 1.0) + library.sigmoid(put) * library.tanh(new)
            h = library.tanh(c) * library.sigmoid(out)
            return i + 1, c, h, made.write(i, h)

        zeros = library.zeros([_BATCH, _UNITS])
        state = [library.constant(0), zeros, zeros, library.TensorArray(np.float32, time)]
        return library.while_loop(lambda i, *_: i < time, step, state)[3].stack()

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def by_hand() -> Any:
        c = h = np.zeros((_BATCH, _UNITS), np.float32)
        made = []
        for given in x:
            gates = np.concatenate([given, h], 1) @ kernel + bias
            put, new, keep, out = np.split(gates, 4, 1)
            c = c * sigmoid(keep + np.float32(1)) + sigmoid(put) * np.tanh(new)
            h = np.tanh(c) * sigmoid(out)
            made.append(h)
        return np.stack(made)

    ours, tensorflow = callables(network, [x], [[None, _BATCH, _UNITS]])
    np.testing.assert_allclose(ours(), by_hand(), 1e-4, 1e-5)
    return compare("LSTM, 100 steps of 128 units / NumPy by hand", ours, by_hand, 1.2, tensorflow)
