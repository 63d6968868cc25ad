"""Names, nested layers, initial values and configs of Keras layers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
keras, layers = td.keras, td.keras.layers


class Block(layers.Layer):
    """A layer of layers, as users write it."""

    def __init__(self, units: int, depth: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self._first = layers.Dense(units, "relu", kernel_regularizer="l2")
        self.rest: list[Any] = []
        for _ in range(depth - 1):
            self.rest.append(layers.Dense(units))
        self.scale = td.Variable(2.0, name="scale")

    def call(self, inputs: Any) -> Any:
        found = self._first(inputs)
        for layer in self.rest:
            found = layer(found)
        return found * self.scale


def test_layers_and_variables_within_are_found() -> None:
    block = Block(3, 3)
    model = keras.Sequential([layers.Dense(2, input_shape=(2,)), block])
    assert [w.shape.as_list() for w in block.weights] == [[], [2, 3], [3], [3, 3], [3], [3, 3], [3]]
    assert len(model.losses) == 1
    assert len(model.trainable_weights) == 9
    block.trainable = False
    assert len(model.trainable_weights) == 2
    assert len(block.non_trainable_weights) == 7
    assert block.weights[1].op.name.endswith("block/dense/kernel")


def test_lists_that_grow_belong_to_a_model() -> None:
    class Deep(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.blocks: list[Any] = []
            for size in (3, 1):
                self.blocks.append(layers.Dense(size))

        def call(self, inputs: Any) -> Any:
            for block in self.blocks:
                inputs = block(inputs)
            return inputs

    model = Deep()
    assert model.name == "deep"
    model.compile("sgd", "mse")
    model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
    assert len(model.trainable_weights) == 4


def test_names_are_given_when_layers_are_made() -> None:
    made = [layers.Dense(2), layers.Dense(2), layers.Dense(2, name="mine")]
    x = td.ones([1, 2])
    for layer in reversed(made):
        layer(x)
    assert [layer.name for layer in made] == ["dense", "dense_1", "mine"]
    assert [layer.weights[0].op.name for layer in made] == [
        "dense/kernel",
        "dense_1/kernel",
        "mine/kernel",
    ]


def test_weights_are_values_to_begin_with() -> None:
    rows = np.arange(6.0).reshape(3, 2)
    layer = layers.Embedding(3, 2, weights=[rows], trainable=False)
    found = keras.backend.get_session().run(layer(td.constant([[2, 0]])))
    np.testing.assert_array_equal(found, [[rows[2], rows[0]]])
    with pytest.raises(ValueError, match="has 1 variables, got 2"):
        layers.Embedding(3, 2, weights=[rows, rows])(td.constant([[2, 0]]))


def test_variables_may_have_one_name() -> None:
    class Own(layers.Layer):
        pass

    layer = Own()
    made = [layer.add_weight(shape=(2,), initializer="ones") for _ in range(2)]
    made.append(layer.add_weight("v", regularizer="l2", trainable=False))
    names = [v.op.name for v in made]
    assert names == ["own/Variable", "own/Variable_1", "own/v"]
    assert layer.trainable_weights == made[:2]
    assert len(layer.losses) == 1


MADE: dict[str, tuple[Any, dict[str, Any]]] = {
    "dense": (
        lambda: layers.Dense(3, "tanh", kernel_regularizer="l2", kernel_constraint="max_norm"),
        {
            "units": 3,
            "activation": "tanh",
            "use_bias": True,
            "kernel_initializer": {
                "class_name": "GlorotUniform",
                "config": {"seed": None, "dtype": "float32"},
            },
            "kernel_regularizer": {"class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.01}},
            "kernel_constraint": {"class_name": "MaxNorm", "config": {"max_value": 2, "axis": 0}},
            "bias_regularizer": None,
        },
    ),
    "convolution": (
        lambda: layers.Conv2D(4, 3, strides=2, input_shape=(8, 8, 1)),
        {
            "filters": 4,
            "kernel_size": (3, 3),
            "strides": (2, 2),
            "activation": "linear",
            "data_format": "channels_last",
            "batch_input_shape": (None, 8, 8, 1),
        },
    ),
    "pool": (layers.MaxPooling2D, {"pool_size": (2, 2), "strides": (2, 2)}),
    "slope": (lambda: layers.LeakyReLU(0.1), {"alpha": 0.1}),
    "embedding": (
        lambda: layers.Embedding(9, 4, mask_zero=True, input_length=5),
        {"input_dim": 9, "output_dim": 4, "mask_zero": True, "batch_input_shape": (None, 5)},
    ),
    "recurrent": (
        lambda: layers.LSTM(4, dropout=0.5, return_sequences=True, recurrent_constraint="non_neg"),
        {
            "units": 4,
            "dropout": 0.5,
            "return_sequences": True,
            "recurrent_activation": "hard_sigmoid",
            "recurrent_constraint": {"class_name": "NonNeg", "config": {}},
        },
    ),
    "wrapped": (
        lambda: layers.Bidirectional(layers.GRU(2), merge_mode="sum"),
        {"merge_mode": "sum"},
    ),
    "stacked": (lambda: layers.RNN([layers.LSTMCell(2), layers.GRUCell(3)]), {"unroll": False}),
    "own": (lambda: Block(3, depth=4), {"units": 3, "depth": 4}),
    "noted": (lambda: layers.SpatialDropout1D(0.3, seed=2), {"rate": 0.3, "seed": 2}),
    "regular": (lambda: layers.ActivityRegularization(l1=0.5), {"l1": 0.5, "l2": 0.0}),
}


@pytest.mark.parametrize("name", MADE)
def test_configs_make_layers_again(name: str) -> None:
    make, expected = MADE[name]
    layer = make()
    config = layer.get_config()
    assert {key: config[key] for key in expected} == expected
    again = type(layer).from_config(config)
    assert again is not layer
    assert again.get_config() == config
    assert again.name == layer.name


def test_a_frozen_layer_is_told_so() -> None:
    layer = layers.Dense(2)
    layer.trainable = False
    assert not layers.Dense.from_config(layer.get_config()).trainable


def test_unknown_classes_are_named() -> None:
    config = layers.TimeDistributed(layers.Dense(2)).get_config()
    config["layer"]["class_name"] = "Denes"
    with pytest.raises(ValueError, match=r"class_name = 'Denes' is not a layer.*'Dense'"):
        layers.TimeDistributed.from_config(config)


def test_rings_of_a_kernel_are_alike() -> None:
    kernel = np.arange(9.0, dtype=np.float32).reshape(3, 3, 1, 1)
    limit = keras.constraints.RadialConstraint()
    found = keras.backend.get_session().run(limit(td.constant(kernel)))[..., 0, 0]
    # As TensorFlow 2.21 gives them.
    np.testing.assert_array_equal(found, [[4, 4, 4], [4, 0, 4], [4, 4, 4]])
    even = keras.backend.get_session().run(limit(td.reshape(td.range(16), [4, 4, 1, 1])))[..., 0, 0]
    np.testing.assert_array_equal(even[:2], [[15, 15, 15, 15], [15, 5, 5, 15]])
    with pytest.raises(ValueError, match="square kernel"):
        keras.constraints.RadialConstraint()(td.ones([3, 2, 1, 1]))
