"""Number of ops that `td.gradients` and TensorFlow add to a network, before optimization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from libraries import tensorflow
from timing import Row

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Network = Callable[[Any], tuple[Any, list[Any]]]


def rows() -> Iterator[Row]:
    """Networks; what TensorFlow 2.21 adds is recorded, and counted again where it runs beside."""
    for name, network, recorded in (
        ("dense network, 784-256-10", _dense, 36),
        ("2 convolutions, pooled, and a dense layer", _convolutional, 42),
        ("LSTM, 2 steps", _lstm, 142),
    ):
        beside = None if tensorflow() is None else _added(_version_1(), network)
        yield Row(name, _added(td, network), beside or recorded, 1, "ops", beside)
    # TensorFlow 2 has such cells no more, but for its own use, where this was counted.
    yield Row("LSTM by static_rnn, 4 steps", _added(td, _static_rnn), 238, 1, "ops")


def _version_1() -> Any:
    return tensorflow().compat.v1


def _added(library: Any, network: Network) -> int:
    """Number of ops that the gradients of all weights add to the graph of a network."""
    with library.Graph().as_default() as graph:
        loss, weights = network(library)
        before = len(graph.get_operations())
        library.gradients(loss, weights)
        return len(graph.get_operations()) - before


def _weights(library: Any, *shapes: list[int]) -> list[Any]:
    return [library.placeholder(library.float32, shape) for shape in shapes]


def _loss(library: Any, logits: Any) -> Any:
    labels = library.placeholder(library.int32, [None])
    return library.reduce_mean(
        library.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


def _dense(library: Any) -> tuple[Any, list[Any]]:
    x = library.placeholder(library.float32, [None, 784])
    weights = _weights(library, [784, 256], [256], [256, 10], [10])
    hidden = library.nn.relu(library.matmul(x, weights[0]) + weights[1])
    return _loss(library, library.matmul(hidden, weights[2]) + weights[3]), weights


def _convolutional(library: Any) -> tuple[Any, list[Any]]:
    nn = library.nn
    x = library.placeholder(library.float32, [None, 28, 28, 1])
    weights = _weights(library, [5, 5, 1, 8], [8], [5, 5, 8, 16], [16], [784, 10], [10])
    for filters, bias in (weights[0:2], weights[2:4]):
        x = nn.relu(nn.bias_add(nn.conv2d(x, filters, [1, 1, 1, 1], "SAME"), bias))
        x = nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    flat = library.reshape(x, [-1, 784])
    return _loss(library, library.matmul(flat, weights[4]) + weights[5]), weights


def _lstm(library: Any) -> tuple[Any, list[Any]]:
    x = library.placeholder(library.float32, [None, 2, 8])
    weights = _weights(library, [24, 64], [64], [16, 10], [10])
    state = output = library.zeros(library.stack([library.shape(x)[0], 16]))
    for step in range(2):
        seen = library.concat([x[:, step], output], 1)
        gates = library.matmul(seen, weights[0]) + weights[1]
        take, new, keep, show = library.split(gates, 4, 1)
        state *= library.sigmoid(keep + 1.0)
        state += library.sigmoid(take) * library.tanh(new)
        output = library.tanh(state) * library.sigmoid(show)
    return _loss(library, library.matmul(output, weights[2]) + weights[3]), weights


def _static_rnn(library: Any) -> tuple[Any, list[Any]]:
    x = library.placeholder(library.float32, [None, 4, 8])
    cell = library.nn.rnn_cell.BasicLSTMCell(16)
    outputs, _ = library.nn.static_rnn(cell, library.unstack(x, 4, 1), dtype=library.float32)
    return library.reduce_mean(library.square(outputs[-1])), library.trainable_variables()
