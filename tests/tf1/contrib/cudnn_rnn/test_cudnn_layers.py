"""`td.contrib.cudnn_rnn`: beside the equations of cuDNN in NumPy, and names in checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from pathlib import Path

cudnn = td.contrib.cudnn_rnn
X = np.random.default_rng(0).normal(size=(5, 3, 6)).astype("f")


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _lstm(x: Any, kernel: Any, bias: Any) -> tuple[Any, Any, Any]:
    h = c = np.zeros((x.shape[1], bias.size // 4), "f")
    outputs = []
    for step in x:
        i, j, f, o = np.split(np.concatenate([step, h], 1) @ kernel + bias, 4, 1)
        c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(j)
        h = _sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs), h, c


def _gru(x: Any, gates: Any, bias: Any, *rest: Any) -> tuple[Any, Any]:
    of_input, input_bias, of_state, state_bias = rest
    h = np.zeros((x.shape[1], bias.size // 2), "f")
    outputs = []
    for step in x:
        r, u = np.split(_sigmoid(np.concatenate([step, h], 1) @ gates + bias), 2, 1)
        new = np.tanh(step @ of_input + input_bias + r * (h @ of_state + state_bias))
        h = (1 - u) * new + u * h
        outputs.append(h)
    return np.stack(outputs), h


def _run(layer: Any, **settings: Any) -> Any:
    made = layer(td.constant(X), **settings)
    rng = np.random.default_rng(1)
    with td.Session() as session:
        session.run(td.global_variables_initializer())
        values = [rng.normal(size=v.shape.as_list()).astype("f") for v in layer.variables]
        session.run([v.assign(a) for v, a in zip(layer.variables, values, strict=True)])
        return session.run(made), values


def test_layers_of_memory_lie_on_each_other() -> None:
    with td.Graph().as_default():
        (outputs, (h, c)), values = _run(cudnn.CudnnLSTM(2, 4), training=False)
    first, h0, c0 = _lstm(X, *values[:2])
    second, h1, c1 = _lstm(first, *values[2:])
    np.testing.assert_allclose(outputs, second, atol=1e-5)
    np.testing.assert_allclose(h, [h0, h1], atol=1e-5)
    np.testing.assert_allclose(c, [c0, c1], atol=1e-5)


def test_both_ways_stand_beside_each_other() -> None:
    with td.Graph().as_default():
        layer = cudnn.CudnnGRU(1, 4, direction="bidirectional")
        (outputs, (h,)), values = _run(layer)
        assert layer.num_dirs == 2
        assert layer.input_size == 6
        assert layer.state_shape(7) == ([2, 7, 4],)
    forth, h0 = _gru(X, *values[:6])
    back, h1 = _gru(X[::-1], *values[6:])
    np.testing.assert_allclose(outputs, np.concatenate([forth, back[::-1]], 2), atol=1e-5)
    np.testing.assert_allclose(h, [h0, h1], atol=1e-5)


@pytest.mark.parametrize(("cls", "bent"), [("CudnnRNNTanh", np.tanh), ("CudnnRNNRelu", None)])
def test_plain_cells(cls: str, bent: Any) -> None:
    bend = bent or (lambda x: np.maximum(x, 0))
    with td.Graph().as_default():
        (outputs, _), (kernel, bias) = _run(getattr(cudnn, cls)(1, 4))
    h = np.zeros((3, 4), "f")
    for step, found in zip(X, outputs, strict=True):
        h = bend(np.concatenate([step, h], 1) @ kernel + bias)
        np.testing.assert_allclose(found, h, rtol=1e-4, atol=1e-5)


def test_examples_may_be_shorter_and_come_first() -> None:
    with td.Graph().as_default():
        layer = cudnn.CudnnLSTM(1, 4)
        (outputs, (h, _)), values = _run(layer, sequence_lengths=[5, 3, 1])
        turned = layer(td.constant(X.transpose(1, 0, 2)), time_major=False)[0]
        assert turned.shape.as_list() == [3, 5, 4]
        assert len(td.trainable_variables()) == 2
    whole = _lstm(X, *values)[0]
    np.testing.assert_allclose(outputs[3:, 1], 0.0)
    np.testing.assert_allclose(h[0], [whole[4, 0], whole[2, 1], whole[0, 2]], atol=1e-5)


def test_outputs_are_dropped_between_layers_in_training_alone() -> None:
    with td.Graph().as_default():
        layer = cudnn.CudnnLSTM(2, 4, dropout=0.5, seed=3)
        x = td.constant(X)
        plain, dropped = layer(x, training=False)[0], layer(x)[0]
        with td.Session() as session:
            session.run(td.global_variables_initializer())
            np.testing.assert_array_equal(session.run(plain), session.run(plain))
            assert (session.run(dropped) != session.run(plain)).any()


def test_a_first_state_is_taken() -> None:
    with td.Graph().as_default(), td.Session() as session:
        layer = cudnn.CudnnGRU(2, 4)
        state = np.random.default_rng(2).normal(size=(2, 3, 4)).astype("f")
        outputs, after = layer(td.constant(X[:0].reshape(0, 3, 6)), (td.constant(state),))
        session.run(td.global_variables_initializer())
        assert session.run(outputs).shape == (0, 3, 4)
        np.testing.assert_array_equal(session.run(after[0]), state)


def test_variables_begin_as_told_and_are_saved_by_tensorflows_names(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        layer = cudnn.CudnnLSTM(1, 4, bias_initializer=td.constant_initializer(2.0))
        layer(td.constant(X))
        session.run(td.global_variables_initializer())
        assert (session.run(layer.variables[1]) == 2.0).all()
        path = td.train.Saver().save(session, str(tmp_path / "model"))
    cell = "cudnn_lstm/rnn/multi_rnn_cell/cell_0/cudnn_compatible_lstm_cell"
    assert td.train.list_variables(path) == [(f"{cell}/bias", [16]), (f"{cell}/kernel", [10, 16])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": "back"}, "direction must be"),
        ({"input_mode": "skip_input"}, "input_mode must be"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\)"),
        ({"num_layers": 0}, "must be at least 1"),
    ],
)
def test_wrong_arguments_are_told(arguments: Any, message: str) -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match=message):
        cudnn.CudnnLSTM(**{"num_layers": 1, "num_units": 4, **arguments})


def test_inputs_have_three_dimensions() -> None:
    with td.Graph().as_default(), pytest.raises(ValueError, match="with a known size"):
        cudnn.CudnnLSTM(1, 4)(td.ones([2, 3]))
