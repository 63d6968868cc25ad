"""One step of training, forward, backward and update, beside the same written by hand in NumPy.

Measured on an otherwise idle machine, with as many threads as libraries take by default. Where
numba is installed, as it was here, convolutions and updates are machine code.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import character_network
import numpy as np
from libraries import tensorflow
from timing import compare

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from timing import Row

    Array = np.ndarray[Any, Any]
    Step = Callable[[], Any]

RATE = 0.01
CHECKED_STEPS = 5


class Network(NamedTuple):
    """A training task: initial weights, one batch, and the network in graph ops and by hand."""

    name: str
    weights: list[Array]
    images: Array
    labels: Array
    logits: Callable[..., Any]
    by_hand: Callable[..., list[Array]]


def drawn(random: np.random.Generator, *shape: int) -> Array:
    """Weights of about the size that keeps signals."""
    fan = int(np.prod(shape[:-1])) or 1
    return np.asarray(random.normal(0, 1 / np.sqrt(fan), shape), np.float32)


def slope_of_loss(logits: Array, labels: Array) -> Array:
    """The gradient of the mean cross entropy for the logits."""
    powers: Array = np.exp(logits - logits.max(1, keepdims=True))
    powers /= powers.sum(1, keepdims=True)
    powers[np.arange(len(labels)), labels] -= 1
    powers /= np.float32(len(labels))
    return powers


def dense(lib: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """The dense network as graph ops."""
    hidden = lib.nn.relu(lib.nn.bias_add(lib.matmul(x, w1), b1))
    return lib.nn.bias_add(lib.matmul(hidden, w2), b2)


def dense_by_hand(
    x: Array, labels: Array, w1: Array, b1: Array, w2: Array, b2: Array
) -> list[Array]:
    """The gradients of the dense network."""
    hidden = x @ w1
    hidden += b1
    np.maximum(hidden, 0, out=hidden)
    logits = hidden @ w2
    logits += b2
    slope = slope_of_loss(logits, labels)
    below = slope @ w2.T
    below *= hidden > 0
    return [x.T @ below, below.sum(0), hidden.T @ slope, slope.sum(0)]


def convolutional(lib: Any, x: Any, f1: Any, b1: Any, f2: Any, b2: Any, w: Any, b: Any) -> Any:
    """The convolutional network as graph ops."""
    for filters, bias in ((f1, b1), (f2, b2)):
        x = lib.nn.conv2d(x, filters, strides=[1, 1, 1, 1], padding="SAME")
        x = lib.nn.relu(lib.nn.bias_add(x, bias))
        x = lib.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return lib.nn.bias_add(lib.matmul(lib.reshape(x, [-1, w.shape[0]]), w), b)


def patches(x: Array, size: int) -> Array:
    """im2col: the windows of padded images, as rows of a matrix."""
    margin = size // 2
    padded = np.pad(x, ((0, 0), (margin, margin), (margin, margin), (0, 0)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (1, 2))
    return seen.transpose(0, 1, 2, 4, 5, 3).reshape(-1, size * size * x.shape[3])


def convolutional_by_hand(
    x: Array, labels: Array, f1: Array, b1: Array, f2: Array, b2: Array, w: Array, b: Array
) -> list[Array]:
    """The gradients of the convolutional network."""
    saved: list[Any] = []
    for filters, bias in ((f1, b1), (f2, b2)):
        columns = patches(x, filters.shape[0])
        y = columns @ filters.reshape(-1, filters.shape[3])
        y += bias
        np.maximum(y, 0, out=y)
        y = y.reshape(*x.shape[:3], -1)
        quarters = y.reshape(y.shape[0], y.shape[1] // 2, 2, y.shape[2] // 2, 2, y.shape[3])
        x = quarters.max((2, 4))
        saved.append((columns, y, quarters, x))
    flat = x.reshape(len(x), -1)
    slope = slope_of_loss(flat @ w + b, labels)
    gradients = [flat.T @ slope, slope.sum(0)]
    below = (slope @ w.T).reshape(x.shape)
    for filters, (columns, y, quarters, pooled) in zip((f2, f1), reversed(saved), strict=True):
        at_most = quarters == pooled[:, :, None, :, None]
        back = (at_most * below[:, :, None, :, None]).reshape(y.shape)
        back *= y > 0
        rows = back.reshape(-1, y.shape[3])
        gradients = [(columns.T @ rows).reshape(filters.shape), rows.sum(0), *gradients]
        if filters is f2:
            turned = filters[::-1, ::-1].swapaxes(2, 3).reshape(-1, filters.shape[2])
            below = (patches(back, filters.shape[0]) @ turned).reshape(saved[0][3].shape)
    return gradients


def networks() -> list[Network]:
    """The networks, with weights and batches drawn from a fixed seed."""
    random = np.random.default_rng(0)
    shapes = {
        "dense 784-256-10": ((784, 256), (256,), (256, 10), (10,)),
        "conv 28x28": ((5, 5, 1, 16), (16,), (5, 5, 16, 32), (32,), (7 * 7 * 32, 10), (10,)),
    }
    kinds: Any = (
        (128, (784,), dense, dense_by_hand),
        (64, (28, 28, 1), convolutional, convolutional_by_hand),
    )
    made = [
        Network(
            name,
            initial(random, sizes),
            random.random((batch, *image), np.float32),
            random.integers(0, 10, batch),
            logits,
            by_hand,
        )
        for (name, sizes), (batch, image, logits, by_hand) in zip(
            shapes.items(), kinds, strict=True
        )
    ]
    lines = random.integers(
        character_network.CHARACTERS,
        size=(character_network.LENGTH + 1, character_network.LINES),
    )
    characters = Network(
        "LSTM of characters",
        initial(random, character_network.SIZES),
        lines[:-1],
        lines[1:].reshape(-1),
        character_network.characters,
        partial(character_network.characters_by_hand, slope_of_loss),
    )
    return [*made, characters]


def initial(random: np.random.Generator, shapes: Iterable[tuple[int, ...]]) -> list[Array]:
    """Weights drawn at random, and biases of 0."""
    return [drawn(random, *shape) if len(shape) > 1 else np.zeros(shape, "f") for shape in shapes]


def step_by_hand(network: Network) -> tuple[Step, Callable[[], list[Array]]]:
    """A step in NumPy, and what the weights are."""
    weights = [weight.copy() for weight in network.weights]

    def step() -> None:
        slopes = network.by_hand(network.images, network.labels, *weights)
        for weight, slope in zip(weights, slopes, strict=True):
            slope *= np.float32(RATE)
            weight -= slope

    return step, lambda: weights


def step_in_graph(lib: Any, network: Network) -> tuple[Step, Callable[[], list[Array]]]:
    """A step of a session of `lib`, which is tensordraft or TensorFlow, and the weights."""
    graph = lib.Graph()
    with graph.as_default():
        x = lib.placeholder(lib.as_dtype(network.images.dtype), network.images.shape)
        y = lib.placeholder(lib.int64, network.labels.shape)
        weights = [lib.Variable(weight) for weight in network.weights]
        losses = lib.nn.sparse_softmax_cross_entropy_with_logits(
            labels=y, logits=network.logits(lib, x, *weights)
        )
        train = lib.train.GradientDescentOptimizer(RATE).minimize(lib.reduce_mean(losses))
        session = lib.Session(graph=graph)
        session.run(lib.global_variables_initializer())
    feeds = {x: network.images, y: network.labels}
    return lambda: session.run(train, feeds), lambda: session.run(weights)


def rows() -> Iterator[Row]:
    """The lines of the table."""
    for network in networks():
        by_hand, known = step_by_hand(network)
        ours, weights = step_in_graph(td, network)
        library = tensorflow()
        theirs = None if library is None else step_in_graph(library.compat.v1, network)[0]
        for _ in range(CHECKED_STEPS):
            ours()
            by_hand()
        for got, wanted in zip(weights(), known(), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-3, 1e-4)
        yield compare(f"train, {network.name}", ours, by_hand, 1.1, theirs, seconds=2.0)
