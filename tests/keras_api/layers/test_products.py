"""Products of two inputs, and what is drawn around them; numbers of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

layers = td.keras.layers
A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
B = np.arange(30, dtype=np.float32).reshape(2, 3, 5)


def result(layer: Any, *inputs: Any, training: bool = False) -> Any:
    tensors = [td.constant(item) for item in inputs]
    with td.Session() as session:
        made = layer(tensors if len(tensors) > 1 else tensors[0])
        return session.run(made, {td.keras.backend.learning_phase(): training})


@pytest.fixture(autouse=True)
def own_graph() -> Any:
    with td.Graph().as_default():
        td.set_random_seed(3)
        yield


def test_examples_are_multiplied() -> None:
    found = result(layers.Dot(1), A, B)
    np.testing.assert_allclose(found, np.einsum("bki,bkj->bij", A, B), rtol=1e-6)
    found = result(layers.Dot((2, 1)), A, B.transpose(0, 2, 1)[:, :4])
    np.testing.assert_allclose(found, np.einsum("bik,bkj->bij", A, B.transpose(0, 2, 1)[:, :4]))
    rows = result(layers.Dot(-1), A[:, 0], A[:, 1])
    assert rows.tolist() == [[38.0], [950.0]]
    cosine = result(layers.Dot(1, normalize=True), A[:, 0], A[:, 1])
    np.testing.assert_allclose(cosine.ravel(), [0.90476197, 0.99982274], rtol=1e-5)
    assert layers.Dot.from_config(layers.Dot((2, 1)).get_config()).axes == (2, 1)
    with pytest.raises(ValueError, match="axes must be a number or a pair"):
        layers.Dot([1, 2, 3])
    with pytest.raises(ValueError, match="exactly 2 inputs, got 3"):
        layers.Dot(1)([td.ones([1, 2])] * 3)


def test_what_is_dropped_keeps_mean_and_variance() -> None:
    x = np.random.RandomState(0).randn(300, 300).astype(np.float32)
    for layer in (layers.GaussianDropout(0.4), layers.AlphaDropout(0.4)):
        np.testing.assert_array_equal(result(layer, x), x)
    ones = result(layers.GaussianDropout(0.2), np.ones((300, 300), np.float32), training=True)
    assert ones.mean() == pytest.approx(1.0, abs=0.01)
    assert ones.std() == pytest.approx(0.5, abs=0.01)
    found = result(layers.AlphaDropout(0.4), x, training=True)
    assert found.mean() == pytest.approx(0.0, abs=0.02)
    assert found.std() == pytest.approx(1.0, abs=0.02)
    values, counts = np.unique(found, return_counts=True)
    assert counts.max() / found.size == pytest.approx(0.4, abs=0.01)
    assert values[counts.argmax()] < 0
    rows = result(layers.AlphaDropout(0.4, noise_shape=[300, 1]), np.ones_like(x), training=True)
    assert (rows == rows[:, :1]).all()
    with pytest.raises(ValueError, match=r"rate must be in \[0, 1\), got 1"):
        layers.GaussianDropout(1)


def test_edges_and_slices() -> None:
    steps = A[..., :1]
    assert result(layers.Cropping1D(1), steps)[:, :, 0].tolist() == [[4.0], [16.0]]
    assert result(layers.Cropping1D((0, 2)), steps)[:, :, 0].tolist() == [[0.0], [12.0]]
    volume = A.reshape(1, 2, 3, 4, 1)
    grown = result(layers.UpSampling3D((1, 2, 3)), volume)
    np.testing.assert_array_equal(grown, volume.repeat(2, 2).repeat(3, 3))
    with pytest.raises(ValueError, match="data_format must be"):
        layers.UpSampling3D(data_format="first")
    with pytest.raises(ValueError, match="must be a number, or 3 numbers or pairs"):
        layers.ZeroPadding3D((1, 2))
