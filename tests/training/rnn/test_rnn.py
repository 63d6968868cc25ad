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


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("size", [4, None])
@pytest.mark.parametrize("time_major", [False, True])
def test_lstm_along_time(size: int | None, time_major: bool, unroll: bool) -> None:
    if unroll and size is None:
        pytest.skip("what is unrolled has a known number of steps")
    values = X.swapaxes(0, 1) if time_major else X
    shape = [size, None, 2] if time_major else [None, size, 2]
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, shape)
        cell = td.nn.rnn_cell.BasicLSTMCell(5)
        settings: Any = {"dtype": td.float32, "time_major": time_major, "unroll": unroll}
        y, state = td.nn.dynamic_rnn(cell, x, LENGTHS, **settings)
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


def test_a_loop_has_the_names_of_tensorflow() -> None:
    with td.Graph().as_default():
        x = td.placeholder(td.float32, [None, 4, 2])
        y, state = td.nn.dynamic_rnn(td.nn.rnn_cell.LSTMCell(3), x, dtype=td.float32)
        assert [t.name for t in (y, *state)] == [
            *("rnn/transpose_1:0", "rnn/while/Exit_3:0", "rnn/while/Exit_4:0")
        ]
        cell, other = td.nn.rnn_cell.GRUCell(3), td.nn.rnn_cell.GRUCell(3)
        outputs, states = td.nn.bidirectional_dynamic_rnn(cell, other, x, dtype=td.float32)
        assert [t.name for t in (*outputs, *states)] == [
            *("bidirectional_rnn/fw/fw/transpose_1:0", "ReverseV2:0"),
            *("bidirectional_rnn/fw/fw/while/Exit_3:0", "bidirectional_rnn/bw/bw/while/Exit_3:0"),
        ]


def test_a_loop_ends_with_the_longest_row_and_may_have_nothing_to_do() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x, n = td.placeholder(td.float32, [None, None, 2]), td.placeholder(td.int64, [None])
        steps: list[int] = []

        def noted(value: Any) -> Any:
            steps.append(1)
            return np.tanh(value)

        cell = td.nn.rnn_cell.BasicRNNCell(3, lambda h: td.py_func(noted, [h], h.dtype))
        y, state = td.nn.dynamic_rnn(cell, x, n, td.zeros([td.shape(x)[0], 3]))
        session.run(td.global_variables_initializer())
        assert session.run(y, {x: X, n: [0, 2, 1]}).shape == (3, 4, 3)
        assert len(steps) == 2
        assert session.run(y, {x: X[:, :0], n: [0, 0, 0]}).shape == (3, 0, 3)
        assert session.run([y, state], {x: X[:0], n: []})[0].shape == (0, 4, 3)


def test_states_are_saved_before_the_last_output() -> None:
    class Kept:
        def __init__(self) -> None:
            self.variable = td.Variable(td.zeros([3, 2]), trainable=False)

        def state(self, name: str) -> Any:
            assert name == "h"
            return self.variable.value()

        def save_state(self, name: str, value: Any) -> Any:
            return td.assign(self.variable, value)

    with td.Graph().as_default(), td.Session() as session:
        kept, cell = Kept(), td.nn.rnn_cell.BasicRNNCell(2)
        outputs, _ = td.nn.static_state_saving_rnn(cell, td.unstack(X, axis=1), kept, "h", LENGTHS)
        session.run(td.global_variables_initializer())
        first, saved = session.run(outputs[-1]), session.run(kept.variable)
        np.testing.assert_array_equal(first[0], saved[0])
        assert (session.run(outputs[-1])[0] != first[0]).all()
        with pytest.raises(ValueError, match="has 2 names for a state of sizes 2"):
            td.nn.static_state_saving_rnn(cell, [X[:, 0]], kept, ("h", "c"))


# td.nn.raw_rnn -----------------------------------------------------------------------------------


def raw(x: Any, n: Any) -> tuple[Any, Any, Any]:
    """A network that emits two things, and doubles a number of its own."""
    rows = td.TensorArray(td.float32, size=td.shape(x)[0]).unstack(x)
    cell = td.nn.rnn_cell.LSTMCell(3, initializer=td.constant_initializer(0.1))

    def loop_fn(time: Any, output: Any, state: Any, own: Any) -> Any:
        if output is None:
            state, own = cell.zero_state(td.shape(x)[1], td.float32), td.constant(1.0)
            emitted = {"o": td.zeros([3]), "t": td.zeros([], td.int32)}
        else:
            own, emitted = own * 2, {"o": output + 1, "t": td.zeros_like(n) + time}
        finished = time >= n
        nothing = td.zeros([td.shape(x)[1], 2])
        following = td.cond(td.reduce_all(finished), lambda: nothing, lambda: rows.read(time))
        return finished, following, state, emitted, own

    return td.nn.raw_rnn(cell, loop_fn)


def test_raw_rnn_is_directed_as_in_tensorflow() -> None:
    with td.Graph().as_default(), td.Session() as session:
        x, n = td.placeholder(td.float32, [None, None, 2]), td.placeholder(td.int32, [None])
        emitted, state, own = raw(x, n)
        stacks = {key: array.stack() for key, array in emitted.items()}
        assert names() == ["rnn/lstm_cell/kernel", "rnn/lstm_cell/bias"]
        assert [t.name for t in (*state, own)] == [f"rnn/while/Exit_{i}:0" for i in (5, 6, 7)]
        assert str(stacks["o"].shape) == "(?, ?, 3)"
        slope = td.gradients(state.h, td.trainable_variables()[1])[0]
        session.run(td.global_variables_initializer())
        values = np.random.RandomState(0).normal(size=(5, 3, 2)).astype("f")
        feeds: Any = {x: values, n: [2, 5, 0]}
        found, last, doubled, slope = session.run([stacks, state, own, slope], feeds)
    # Recorded from TensorFlow 2.21.
    assert doubled == 32
    np.testing.assert_array_equal(found["t"][:, :2].T, [[1, 2, 0, 0, 0], [1, 2, 3, 4, 5]])
    rows = [[1.065078, 1.103522, 0], [1.073278, 1.084744, 0], [0, 1.092934, 0], [0, 1.023354, 0]]
    np.testing.assert_allclose(found["o"][:4, :, 1], rows, rtol=1e-5)
    np.testing.assert_allclose(last.c[:, 0], [0.14054045, 0.0335548, 0], rtol=1e-5)
    np.testing.assert_allclose(last.h[:, 0], [0.07327785, 0.01671126, 0], rtol=1e-5)
    expected = np.repeat([0.04716957, 1.3298285, 0.04972712, 0.05351233], 3)
    np.testing.assert_allclose(slope, expected, rtol=1e-5)


def test_raw_rnn_checks_what_its_function_returns() -> None:
    cell = td.nn.rnn_cell.BasicRNNCell(2)

    def loop_fn(time: Any, output: Any, state: Any, own: Any) -> Any:
        zero = cell.zero_state(1, td.float32)
        emitted = None if output is None else (output, output)
        return td.fill([1], time > 2), td.zeros([1, 1]), zero, emitted, None

    with td.Graph().as_default():
        with pytest.raises(ValueError, match="must emit 1 tensors as in its first call, got 2"):
            td.nn.raw_rnn(cell, loop_fn)
        broken: Any = None
        with pytest.raises(TypeError, match="loop_fn must be callable"):
            td.nn.raw_rnn(cell, broken)


def test_errors() -> None:
    whole: Any = X
    with td.Graph().as_default():
        cell = td.nn.rnn_cell.GRUCell(3)
        with pytest.raises(ValueError, match="dtype must be given"):
            td.nn.dynamic_rnn(cell, X)
        x = td.placeholder(td.float32, [None, None, 2])
        with pytest.raises(ValueError, match="a number of steps that is known"):
            td.nn.dynamic_rnn(cell, x, dtype=td.float32, unroll=True)
        with pytest.raises(TypeError, match="RNNCell with output_size"):
            td.nn.dynamic_rnn(lambda x, h: (h, h), X, initial_state=td.zeros([3, 3]))
        states: Any = (td.zeros([3, 3]), td.zeros([3, 3], td.float64))
        with pytest.raises(ValueError, match=r"dtypes \['float32', 'float64'\]"):
            td.nn.dynamic_rnn(cell, X, initial_state=states)
        with pytest.raises(ValueError, match="must be a vector"):
            td.nn.dynamic_rnn(cell, X, [[1]], dtype=td.float32)
        with pytest.raises(TypeError, match="must be a list"):
            td.nn.static_rnn(cell, whole, dtype=td.float32)
        with pytest.raises(ValueError, match="must not be empty"):
            td.nn.static_rnn(cell, [], dtype=td.float32)
