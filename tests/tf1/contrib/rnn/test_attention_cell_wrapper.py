"""`td.contrib.rnn.AttentionCellWrapper`, beside its formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

X = np.random.default_rng(0).normal(size=(2, 5, 6)).astype("f")


def test_last_outputs_are_attended() -> None:
    with td.Graph().as_default(), td.Session() as session:
        inner = td.nn.rnn_cell.BasicRNNCell(3)
        cell = td.contrib.rnn.AttentionCellWrapper(inner, attn_length=2, attn_vec_size=4)
        outputs, state = td.nn.dynamic_rnn(cell, td.constant(X), dtype=td.float32)
        assert cell.state_size == (3, 3, 6)
        assert outputs.shape.as_list() == [2, 5, 3]
        session.run(td.global_variables_initializer())
        named = {
            v.op.name.removeprefix("rnn/attention_cell_wrapper/"): v for v in td.global_variables()
        }
        values = session.run(named)
        found, last = session.run([outputs, state])
    assert list(named) == [
        "kernel",
        "bias",
        "basic_rnn_cell/kernel",
        "basic_rnn_cell/bias",
        "attention/attn_w",
        "attention/attn_v",
        "attention/kernel",
        "attention/bias",
        "attn_output_projection/kernel",
        "attn_output_projection/bias",
    ]

    def linear(scope: str, *parts: Any) -> Any:
        return np.concatenate(parts, 1) @ values[f"{scope}kernel"] + values[f"{scope}bias"]

    h = mean = np.zeros((2, 3), "f")
    kept = np.zeros((2, 2, 3), "f")
    for step, expected in zip(X.transpose(1, 0, 2), found.transpose(1, 0, 2), strict=True):
        h = np.tanh(linear("basic_rnn_cell/", linear("", step, mean), h))
        features = kept @ values["attention/attn_w"][0, 0]
        bent = np.tanh(features + linear("attention/", h)[:, None])
        scores = (values["attention/attn_v"] * bent).sum(-1)
        shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        mean = (shares[..., None] * kept).sum(1)
        output = linear("attn_output_projection/", h, mean)
        kept = np.concatenate([kept[:, 1:], output[:, None]], 1)
        np.testing.assert_allclose(expected, output, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(last, (h, mean, kept.reshape(2, 6)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_wrong_arguments_are_told() -> None:
    inner = td.nn.rnn_cell.BasicRNNCell(3)
    with pytest.raises(ValueError, match="greater than zero, got 0"):
        td.contrib.rnn.AttentionCellWrapper(inner, 0)
    with pytest.raises(ValueError, match="state_is_tuple must be True"):
        td.contrib.rnn.AttentionCellWrapper(inner, 2, state_is_tuple=False)
