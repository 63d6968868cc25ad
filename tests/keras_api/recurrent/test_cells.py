"""Cells of Keras and the layers over them, beside the numbers of TensorFlow's own.

Numbers are those of TensorFlow 2.21's tensorflow.python.keras in graph mode, with the same weights;
names of variables are those of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
keras, layers = td.keras, td.keras.layers
RANDOM = np.random.RandomState(0)
X = RANDOM.rand(4, 7, 3).astype(np.float32)
X[1, 3:] = 0
X[2, 0] = 0


def with_weights(model: Any) -> Any:
    random = np.random.RandomState(1)
    model.set_weights([random.rand(*w.shape) - 0.5 for w in model.get_weights()])
    return model


class Minimal(layers.Layer):
    """A cell as users write it."""

    def __init__(self, units: int, **kwargs: Any) -> None:
        self.units = self.state_size = units
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        shape = (input_shape[-1], self.units)
        self.kernel = self.add_weight(shape=shape, initializer="uniform", name="kernel")
        self.back = self.add_weight(shape=(self.units, self.units), name="rec")
        self.built = True

    def call(self, inputs: Any, states: Any) -> Any:
        made = keras.backend.dot(inputs, self.kernel) + keras.backend.dot(states[0], self.back)
        return made, [made]


def stacked() -> Any:
    return [layers.LSTMCell(3), layers.GRUCell(2), layers.SimpleRNNCell(2)]


CASES: dict[str, Any] = {
    "reset after": (
        lambda: [layers.GRU(2, reset_after=True, input_shape=(7, 3))],
        [0.0111, -0.0766, 0.3878, -0.0249, 0.2552, -0.0374, 0.1998, -0.1103],
    ),
    "cells": (
        lambda: [layers.RNN(stacked(), input_shape=(7, 3))],
        [-0.355, -0.2481, -0.3547, -0.252, -0.3519, -0.2472, -0.3521, -0.2476],
    ),
    "masked from behind": (
        lambda: [
            layers.Masking(input_shape=(7, 3)),
            layers.LSTM(2, return_sequences=True, go_backwards=True),
            layers.SimpleRNN(2),
        ],
        [0.0268, -0.185, 0.0598, -0.2636, 0.0934, -0.2082, 0.0633, -0.2001],
    ),
    "unrolled": (
        lambda: [layers.LSTM(2, unroll=True, recurrent_activation="sigmoid", input_shape=(7, 3))],
        [-0.135, 0.1944, -0.2186, -0.0772, -0.1513, 0.0781, -0.1547, 0.0328],
    ),
    "unrolled and masked": (
        lambda: [
            layers.Masking(input_shape=(7, 3)),
            layers.GRU(2, unroll=True, use_bias=False),
        ],
        [-0.2995, -0.0653, -0.2741, -0.128, -0.1184, -0.0302, -0.1627, -0.102],
    ),
    "own": (
        lambda: [layers.RNN([Minimal(4), Minimal(2)], input_shape=(7, 3))],
        [-0.2446, 0.0172, 0.026, -0.0648, -0.002, -0.0755, -0.2172, -0.0561],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_cells_give_what_those_of_keras_give(name: str) -> None:
    make, expected = CASES[name]
    model = with_weights(keras.Sequential(make()))
    np.testing.assert_allclose(model.predict(X).ravel(), expected, atol=6e-5)


def test_states_are_kept_from_batch_to_batch() -> None:
    layer = layers.LSTM(2, stateful=True, batch_input_shape=(4, 7, 3))
    model = with_weights(keras.Sequential([layer]))
    assert model.stateful
    assert len(model.weights) == 3
    first, second = model.predict(X, batch_size=4), model.predict(X, batch_size=4)
    np.testing.assert_allclose(first[0], [-0.1439, 0.1842], atol=6e-5)
    np.testing.assert_allclose(second[0], [-0.1435, 0.1885], atol=6e-5)
    model.reset_states()
    np.testing.assert_array_equal(model.predict(X, batch_size=4), first)
    model.compile("sgd", "mse")
    goal = np.ones((4, 2))
    losses = model.train_on_batch(X, goal), model.test_on_batch(X, goal)
    np.testing.assert_allclose(losses, [1.13093, 1.12143], rtol=1e-5)
    np.testing.assert_allclose(model.predict(X, batch_size=4)[0], [-0.1411, 0.1956], atol=6e-5)
    layer.reset_states([np.ones((4, 2)), np.zeros((4, 2))])
    held = [keras.backend.get_value(state) for state in layer.states]
    np.testing.assert_array_equal(held, [np.ones((4, 2)), np.zeros((4, 2))])
    with pytest.raises(ValueError, match="has 2 states, got 1"):
        layer.reset_states([np.ones((4, 2))])
    with pytest.raises(ValueError, match="got an array of shape"):
        layer.reset_states([np.ones((4, 3)), np.zeros((4, 2))])
    with pytest.raises(AttributeError, match="keeps no states"):
        layers.GRU(2).reset_states()


def test_first_states_of_masked_rows_stay() -> None:
    inputs, begun = keras.Input((7, 3)), keras.Input((2,))
    both = layers.GRU(2, return_state=True, return_sequences=True)
    y, h = both(layers.Masking()(inputs), initial_state=begun)
    model = with_weights(keras.Model([inputs, begun], [y, h]))
    outputs, states = model.predict([X, np.ones((4, 2))])
    np.testing.assert_allclose(outputs[2, :2].ravel(), [0, 0, 0.2003, 0.4739], atol=6e-5)
    np.testing.assert_allclose(outputs[1, -1], [-0.1541, -0.0105], atol=6e-5)
    np.testing.assert_array_equal(states[1], outputs[1, -1])


def test_variables_are_called_as_in_tensorflow() -> None:
    layer = layers.RNN([layers.LSTMCell(3), layers.GRUCell(2, reset_after=True)])
    layer(td.placeholder(td.float32, [None, 7, 3]))
    assert [(w.name, tuple(w.shape.as_list())) for w in layer.weights] == [
        ("rnn/kernel:0", (3, 12)),
        ("rnn/recurrent_kernel:0", (3, 12)),
        ("rnn/bias:0", (12,)),
        ("rnn/kernel_1:0", (3, 6)),
        ("rnn/recurrent_kernel_1:0", (2, 6)),
        ("rnn/bias_1:0", (2, 6)),
    ]
    both = layers.Bidirectional(layers.LSTM(2))
    both(td.placeholder(td.float32, [None, 7, 3]))
    assert [w.name for w in both.weights][::3] == [
        "bidirectional/forward_lstm/kernel:0",
        "bidirectional/backward_lstm/kernel:0",
    ]


def test_states_of_cells_come_cell_by_cell() -> None:
    cells = [layers.LSTMCell(3), layers.SimpleRNNCell(2)]
    y, first, second = layers.RNN(cells, return_state=True)(td.constant(X))
    assert [part.shape.as_list() for part in first] == [[4, 3], [4, 3]]
    assert second.shape.as_list() == [4, 2]
    session = keras.backend.get_session()
    np.testing.assert_array_equal(*session.run([y, second]))


def test_steps_may_come_first() -> None:
    layer = layers.GRU(2, time_major=True, return_sequences=True)
    alike = layers.GRU(2, return_sequences=True)
    y, z = layer(td.constant(X.transpose(1, 0, 2))), alike(td.constant(X))
    alike.set_weights(layer.get_weights())
    found = keras.backend.get_session().run([y, z])
    np.testing.assert_allclose(found[0].transpose(1, 0, 2), found[1], rtol=1e-6)


def test_cells_of_graphs_run_as_layers() -> None:
    cell = td.nn.rnn_cell.BasicLSTMCell(2)
    y = layers.RNN(cell, return_sequences=True)(td.constant(X))
    assert y.shape.as_list() == [4, 7, 2]
    assert len(cell.weights) == 2


def test_constants_reach_the_cell() -> None:
    class Added(layers.Layer):
        state_size = 3

        def call(self, inputs: Any, states: Any, constants: Any) -> Any:
            return inputs + states[0] + constants[0], [inputs + states[0]]

    sequences, added = keras.Input((7, 3)), keras.Input((3,))
    model = keras.Model([sequences, added], layers.RNN(Added())(sequences, constants=added))
    found = model.predict([X, np.full((4, 3), 5.0)])
    np.testing.assert_allclose(found, X.sum(1) + 5, rtol=1e-5)


@pytest.mark.parametrize(("name", "gates"), [("CuDNNLSTM", 4), ("CuDNNGRU", 3)])
def test_variables_of_cudnn_lie_otherwise(name: str, gates: int) -> None:
    plain = {"CuDNNLSTM": layers.LSTM, "CuDNNGRU": layers.GRU}[name]
    options = {"reset_after": True} if gates == 3 else {}
    layer = getattr(layers, name)(2, input_shape=(7, 3))
    model = with_weights(keras.Sequential([layer]))
    alike = keras.Sequential(
        [plain(2, recurrent_activation="sigmoid", input_shape=(7, 3), **options)]
    )
    kernel, recurrent, bias = model.get_weights()
    assert bias.shape == (gates * 4,)
    turned = [
        np.concatenate([part.reshape(2, -1).T for part in np.split(each, gates, 1)], 1)
        for each in (kernel, recurrent)
    ]
    halves = bias.reshape(2, -1)
    alike.set_weights([*turned, halves if gates == 3 else halves.sum(0)])
    np.testing.assert_allclose(model.predict(X), alike.predict(X), rtol=1e-5)


def test_what_a_layer_drops_is_alike_for_all_steps() -> None:
    layer = layers.SimpleRNN(
        50,
        "linear",
        kernel_initializer="ones",
        recurrent_initializer="zeros",
        dropout=0.5,
        return_sequences=True,
    )
    y = layer(td.ones([1, 4, 1]), training=True)
    found = keras.backend.get_session().run(y)[0]
    assert {*found[0]} <= {0.0, 2.0}
    np.testing.assert_array_equal(found, found[:1].repeat(4, 0))
