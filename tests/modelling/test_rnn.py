"""Recurrent networks beside their formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

X = np.random.default_rng(7).normal(size=(3, 4, 2)).astype("f")
LENGTHS = [4, 2, 0]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm(x: Any, c: Any, h: Any, kernel: Any, bias: Any) -> tuple[Any, Any]:
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + bias, 4, 1)
    c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


def names() -> list[str]:
    return [variable.op.name for variable in td.global_variables()]


@pytest.mark.parametrize("size", [4, None], ids=["unrolled", "looped"])
@pytest.mark.parametrize("time_major", [False, True])
def test_lstm_along_time(size: int | None, time_major: bool) -> None:
    values = X.swapaxes(0, 1) if time_major else X
    shape = [size, None, 2] if time_major else [None, size, 2]
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, shape)
        cell = td.nn.rnn_cell.BasicLSTMCell(5)
        y, state = td.nn.dynamic_rnn(cell, x, LENGTHS, dtype=td.float32, time_major=time_major)
        assert names() == ["rnn/basic_lstm_cell/kernel", "rnn/basic_lstm_cell/bias"]
        assert y.shape.as_list() == ([size, 3, 5] if time_major else [3, size, 5])
        session.run(td.global_variables_initializer())
        kernel, bias, y, state = session.run([*cell.variables, y, state], {x: values})
    c = h = np.zeros((3, 5), "f")
    expected = np.zeros((3, 4, 5), "f")
    for time in range(4):
        alive = (time < np.array(LENGTHS))[:, None]
        new_c, new_h = lstm(X[:, time], c, h, kernel, bias)
        expected[:, time] = np.where(alive, new_h, 0)
        c, h = np.where(alive, new_c, c), np.where(alive, new_h, h)
    found = y.swapaxes(0, 1) if time_major else y
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state.c, c, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state.h, h, rtol=1e-5, atol=1e-6)


def test_peepholes_projection_and_clipping() -> None:
    before = np.full((3, 4), 0.3, "f"), np.full((3, 2), -0.2, "f")
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(1)
        settings: Any = {"num_proj": 2, "cell_clip": 0.4, "proj_clip": 0.1}
        cell = td.nn.rnn_cell.LSTMCell(4, use_peepholes=True, **settings)
        state = td.nn.rnn_cell.LSTMStateTuple(*map(td.constant, before))
        y, after = cell(td.constant(X[:, 0]), state)
        assert [name.removeprefix("lstm_cell/") for name in names()] == [
            *("kernel", "bias", "w_f_diag", "w_i_diag", "w_o_diag", "projection/kernel")
        ]
        session.run(td.global_variables_initializer())
        weights, y, after = session.run([cell.variables, y, after])
    kernel, bias, w_f, w_i, w_o, projection = weights
    c, h = before
    i, j, f, o = np.split(np.concatenate([X[:, 0], h], 1) @ kernel + bias, 4, 1)
    c = sigmoid(f + 1 + w_f * c) * c + sigmoid(i + w_i * c) * np.tanh(j)
    c = np.clip(c, -0.4, 0.4)
    h = np.clip((sigmoid(o + w_o * c) * np.tanh(c)) @ projection, -0.1, 0.1)
    np.testing.assert_allclose(after.c, c, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(y, h, rtol=1e-5, atol=1e-6)


def test_gru() -> None:
    with td.Graph().as_default(), td.Session() as session:
        cell = td.contrib.rnn.GRUCell(5)
        h = np.full((3, 5), 0.5, "f")
        (y,), _ = td.contrib.rnn.static_rnn(cell, [X[:, 0]], td.constant(h))
        parts = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
        assert names() == [f"rnn/gru_cell/{part}" for part in parts]
        session.run(td.global_variables_initializer())
        (gates, ones, kernel, bias), found = session.run([cell.variables, y])
    assert (ones == 1).all()
    r, u = np.split(sigmoid(np.concatenate([X[:, 0], h], 1) @ gates + ones), 2, 1)
    candidate = np.tanh(np.concatenate([X[:, 0], r * h], 1) @ kernel + bias)
    np.testing.assert_allclose(found, u * h + (1 - u) * candidate, rtol=1e-5, atol=1e-6)


def test_the_ways_of_running_agree_and_differentiate() -> None:
    with td.Graph().as_default(), td.Session() as session:
        cells: Any = [td.nn.rnn_cell.BasicRNNCell(3) for _ in range(2)]
        stack = td.nn.rnn_cell.MultiRNNCell(cells)
        x = td.placeholder(td.float32, [3, 4, 2])
        y, _ = td.nn.dynamic_rnn(stack, x, LENGTHS, dtype=td.float32)
        assert names()[-1] == "rnn/multi_rnn_cell/cell_1/basic_rnn_cell/bias"
        td.get_variable_scope().reuse_variables()
        outputs, _ = td.nn.static_rnn(
            stack, td.unstack(x, axis=1), dtype=td.float32, sequence_length=LENGTHS
        )
        assert len(names()) == 4
        gradients = td.gradients(y, td.trainable_variables())
        session.run(td.global_variables_initializer())
        one, other, found = session.run([y, td.stack(outputs, 1), gradients], {x: X})
    np.testing.assert_array_equal(one, other)
    assert all(np.abs(gradient).max() > 0 for gradient in found)


@pytest.mark.parametrize("lengths", [None, LENGTHS])
def test_both_ways(lengths: list[int] | None) -> None:
    with td.Graph().as_default(), td.Session() as session:
        reuse: Any = td.AUTO_REUSE
        cells: Any = [td.nn.rnn_cell.BasicRNNCell(3, reuse=reuse) for _ in range(2)]
        (fw, bw), _ = td.nn.bidirectional_dynamic_rnn(
            cells[0], cells[1], X, lengths, dtype=td.float32
        )
        assert names()[2] == "bidirectional_rnn/bw/basic_rnn_cell/kernel"
        steps = td.unstack(X, axis=1)
        with td.variable_scope(td.get_variable_scope(), reuse=True):
            outputs, *_ = td.nn.static_bidirectional_rnn(
                cells[0], cells[1], steps, dtype=td.float32, sequence_length=lengths
            )
        session.run(td.global_variables_initializer())
        values = session.run([td.concat([fw, bw], 2), td.stack(outputs, 1), *cells[1].variables])
    both, same, kernel, bias = values
    np.testing.assert_array_equal(both, same)
    ends = lengths or [4, 4, 4]
    for row, end in enumerate(ends):
        h = np.zeros(3, "f")
        for time in reversed(range(end)):
            h = np.tanh(np.concatenate([X[row, time], h]) @ kernel + bias)
            np.testing.assert_allclose(both[row, time, 3:], h, rtol=1e-5, atol=1e-6)
        assert not both[row, end:].any()


def test_wrappers() -> None:
    wrap = td.nn.rnn_cell
    with td.Graph().as_default(), td.Session() as session:
        plain = wrap.BasicLSTMCell(2)
        zero = plain.zero_state(3, td.float32)
        y, _ = plain(X[:, 0], zero)
        residual, _ = wrap.ResidualWrapper(plain)(td.constant(X[:, 0]), zero)
        dropped = wrap.DropoutWrapper(plain, state_keep_prob=1e-9, seed=3)
        _, state = dropped(td.constant(X[:, 0]), zero)
        session.run(td.global_variables_initializer())
        y, residual, state = session.run([y, residual, state])
    np.testing.assert_allclose(residual, y + X[:, 0], rtol=1e-6)
    assert state.c.all()
    assert not state.h.any()


def test_errors() -> None:
    whole: Any = X
    with td.Graph().as_default():
        cell = td.nn.rnn_cell.GRUCell(3)
        with pytest.raises(ValueError, match="dtype must be given"):
            td.nn.dynamic_rnn(cell, X)
        with pytest.raises(ValueError, match="must be a vector"):
            td.nn.dynamic_rnn(cell, X, [[1]], dtype=td.float32)
        with pytest.raises(TypeError, match="must be a list"):
            td.nn.static_rnn(cell, whole, dtype=td.float32)
        with pytest.raises(ValueError, match="must not be empty"):
            td.nn.static_rnn(cell, [], dtype=td.float32)
