"""Layers of Keras that add noise, cut or repeat; texts as numbers; names of before 1.0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

layers = td.keras.layers
X = np.arange(24, dtype=np.float32).reshape(1, 2, 4, 3)


def result(layer: Any, x: Any, train: bool = False) -> Any:
    with td.Graph().as_default():
        held = td.placeholder(td.float32, [None, *np.shape(x)[1:]])
        output = layer(held)
        feeds = {held: x, td.keras.backend.learning_phase(): train}
        return td.keras.backend.get_session().run(output, feeds)


def test_images_are_cut_and_repeated() -> None:
    np.testing.assert_array_equal(result(layers.Cropping2D(((1, 0), (1, 2))), X), X[:, 1:, 1:2])
    np.testing.assert_array_equal(result(layers.Cropping2D(0), X), X)
    twice = X.repeat(2, 1).repeat(3, 2)
    np.testing.assert_array_equal(result(layers.UpSampling2D((2, 3)), X), twice)
    np.testing.assert_array_equal(result(layers.UpSampling1D(2), X[0]), X[0].repeat(2, 1))
    padded = np.pad(X[0], ((0, 0), (1, 2), (0, 0)))
    np.testing.assert_array_equal(result(layers.ZeroPadding1D((1, 2)), X[0]), padded)
    with pytest.raises(ValueError, match="interpolation must be one of"):
        layers.UpSampling2D(interpolation="cubic")


def test_noise_is_for_training_alone() -> None:
    many = np.ones((1, 50, 60, 40), np.float32)
    for layer in (layers.GaussianNoise(0.5), layers.SpatialDropout2D(0.5)):
        np.testing.assert_array_equal(result(layer, many), many)
    assert result(layers.GaussianNoise(0.5), many, True).std() == pytest.approx(0.5, rel=0.05)
    dropped = result(layers.SpatialDropout2D(0.5), many, True)
    assert {*dropped.max((0, 1, 2))} == {0.0, 2.0}
    np.testing.assert_array_equal(dropped.min((0, 1, 2)), dropped.max((0, 1, 2)))
    steps = result(layers.SpatialDropout1D(0.5), many[0], True)
    assert (steps == steps[:, :1]).all()


def test_slopes_are_learned() -> None:
    x = np.array([[-2.0, 3.0]], np.float32)
    layer = layers.PReLU("ones")
    np.testing.assert_array_equal(result(layer, x), x)
    np.testing.assert_array_equal(result(layers.ThresholdedReLU(2.5), x), [[0, 3]])
    with td.Graph().as_default(), pytest.raises(ValueError, match="must be known"):
        layers.PReLU()(td.placeholder(td.float32, [None, None]))


def test_texts_become_rows() -> None:
    tokenizer = td.keras.preprocessing.text.Tokenizer(num_words=4, oov_token="?")  # noqa: S106 - a word
    tokenizer.fit_on_texts(["The cat, the dog!", ["the", "cat"], "a cow"])
    assert tokenizer.word_index["the"] == 2
    assert tokenizer.texts_to_sequences(["the Cat cow"]) == [[2, 3, 1]]
    assert tokenizer.sequences_to_texts([[2, 3, 99]]) == ["the cat"]
    assert tokenizer.texts_to_matrix(["the the cat"], "count").tolist() == [[0, 0, 2, 1]]
    assert tokenizer.texts_to_matrix(["the the"], "freq").tolist() == [[0, 0, 1, 0]]
    assert tokenizer.texts_to_matrix(["the the"]).tolist() == [[0, 0, 1, 0]]
    letters = td.keras.preprocessing.text.Tokenizer(char_level=True)
    letters.fit_on_texts(["abA"])
    assert letters.texts_to_sequences(["ba"]) == [[2, 1]]
    with pytest.raises(ValueError, match="mode must be"):
        tokenizer.texts_to_matrix([], "all")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [[0, 0, 1], [2, 3, 4], [0, 0, 0]]),
        ({"padding": "post"}, [[1, 0, 0], [2, 3, 4], [0, 0, 0]]),
        ({"maxlen": 2}, [[0, 1], [3, 4], [0, 0]]),
        ({"maxlen": 2, "truncating": "post", "value": 9}, [[9, 1], [2, 3], [9, 9]]),
        ({"maxlen": 0}, [[], [], []]),
    ],
)
def test_sequences_get_one_length(settings: dict[str, Any], expected: Any) -> None:
    pad = td.keras.preprocessing.sequence.pad_sequences
    assert pad([[1], [2, 3, 4], []], **settings).tolist() == expected
    with pytest.raises(ValueError, match="padding must be"):
        pad([[1]], padding="both")
    with pytest.raises(ValueError, match="steps of sequences differ in shape"):
        pad([[1], [[2]]])


def test_products_of_matrices_of_before() -> None:
    x, y = np.ones((2, 3, 4), np.float32), np.ones((2, 5, 4), np.float32)
    with td.Graph().as_default(), td.Session() as session:
        product = session.run(td.batch_matmul(x, y, adj_y=True))
        np.testing.assert_array_equal(product, x @ y.transpose(0, 2, 1))
        np.testing.assert_array_equal(session.run(td.inv(td.constant([2.0, 4.0]))), [0.5, 0.25])


def test_contrib_has_keras_and_signal() -> None:
    contrib: Any = td.contrib
    assert contrib.keras.layers.Dense is layers.Dense
    assert contrib.signal.frame is td.signal.frame


def test_words_stand_beside_tensors_in_what_a_layer_takes() -> None:
    class Pyramid(layers.Layer):
        def build(self, input_shape: Any) -> None:
            assert input_shape is None  # a word has no shape
            super().build(input_shape)

        def call(self, inputs: Any) -> Any:
            return {name: (tensor * 2.0, name) for name, tensor in inputs}

    with td.Graph().as_default(), td.Session() as session:
        outputs = Pyramid()([("block2", td.constant([1.0, 2.0])), ("block3", td.constant([3.0]))])
        assert outputs["block3"][1] == "block3"
        np.testing.assert_array_equal(session.run(outputs["block2"][0]), [2, 4])


def test_settings_of_a_kernel_over_all_channels_say_nothing_to_one_of_each() -> None:
    with td.Graph().as_default():
        layer = layers.DepthwiseConv2D(2, kernel_regularizer=td.reduce_sum)
        layer(td.ones([1, 4, 4, 2]))
        assert layer.losses == []


def test_updates_and_losses_are_told_by_what_they_depend_on() -> None:
    with td.Graph().as_default():
        x, other = td.placeholder(td.float32, [2, 3]), td.placeholder(td.float32, [2, 3])
        norm = layers.BatchNormalization()
        norm(x, training=True)
        assert len(norm.get_updates_for(x)) == len(norm.updates) == 2
        assert norm.get_updates_for(None) == norm.get_updates_for(other) == []
        dense = layers.Dense(
            2, kernel_regularizer=td.reduce_sum, activity_regularizer=td.reduce_sum
        )
        dense(x)
        weights, activity = dense.get_losses_for(None), dense.get_losses_for([x])
        assert sorted(map(id, weights + activity)) == sorted(map(id, dense.losses))
        assert [len(weights), len(activity)] == [1, 1]
