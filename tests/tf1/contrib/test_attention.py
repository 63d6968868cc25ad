"""Attention and the cell that attends, beside formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attention_inputs import BETWEEN, MEMORY, QUERY, RANDOM, STEPS, names, s2s, softmax

import tensordraft as td


@pytest.mark.parametrize("normalize", [False, True])
def test_bahdanau(normalize: bool) -> None:
    with (
        td.Graph().as_default(),
        td.Session() as session,
        td.variable_scope("", initializer=BETWEEN),
    ):
        attention = s2s.BahdanauAttention(6, MEMORY, STEPS, normalize=normalize)
        shares, _ = attention(td.constant(QUERY))
        session.run(td.global_variables_initializer())
        weights = dict(zip(names(), session.run(td.global_variables()), strict=True))
        found, values = session.run([shares, attention.values])
    memory = MEMORY * (np.arange(4) < STEPS[:, None])[..., None]
    np.testing.assert_array_equal(values, memory)
    scope = "bahdanau_attention"
    v = weights[f"{scope}/attention_v"]
    sums = memory @ weights["memory_layer/kernel"]
    sums = sums + (QUERY @ weights[f"{scope}/query_layer/kernel"])[:, None]
    if normalize:
        assert weights[f"{scope}/attention_g"] == np.float32(6**-0.5)
        v = weights[f"{scope}/attention_g"] * v / np.sqrt((v**2).sum())
        sums = sums + weights[f"{scope}/attention_b"]
    scores = (v * np.tanh(sums)).sum(2)
    scores[1, 2:] = -np.inf
    np.testing.assert_allclose(found, softmax(scores), rtol=1e-5)


def test_luong() -> None:
    with td.Graph().as_default(), td.Session() as session:
        attention = s2s.LuongAttention(5, MEMORY, scale=True, score_mask_value=-1e9)
        shares, _ = attention(td.constant(QUERY))
        session.run(td.global_variables_initializer())
        assert names() == ["memory_layer/kernel", "luong_attention/attention_g"]
        kernel, found = session.run([td.global_variables()[0], shares])
        with pytest.raises(ValueError, match="query has size 3 and the keys 5"):
            attention(td.ones([2, 3]))
    scores = ((MEMORY @ kernel) @ QUERY[..., None])[..., 0]
    np.testing.assert_allclose(found, softmax(scores), rtol=1e-5)


def moved(p: Any, before: Any) -> Any:
    """Attention that starts at `before` and stays at each step with probability `p`."""
    made = np.zeros_like(p)
    for row, start in np.ndindex(p.shape):
        left = before[row, start]
        for step in range(start, p.shape[1]):
            made[row, step] += left * p[row, step]
            left *= 1 - p[row, step]
    return made


def test_monotonic_attention() -> None:
    p = RANDOM.uniform(0.1, 0.9, size=(3, 5))
    before = softmax(RANDOM.normal(size=(3, 5)))
    chosen, one = (p > 0.5) * 1.0, np.eye(5)[[0, 1, 3]]
    with td.Graph().as_default(), td.Session() as session:
        for mode in ("recursive", "parallel"):
            found = session.run(s2s.monotonic_attention(p, before, mode))
            np.testing.assert_allclose(found, moved(p, before), rtol=1e-6)
        found = session.run(s2s.monotonic_attention(chosen, one, "hard"))
        np.testing.assert_array_equal(found, moved(chosen, one))
        with pytest.raises(ValueError, match="'hard', got 'soft'"):
            s2s.monotonic_attention(p, before, "soft")
        steep = td.gradients(s2s.safe_cumprod([0.5, 0.0, 0.5]), td.constant([1.0]))
        assert steep == [None]


@pytest.mark.parametrize("kind", ["Bahdanau", "Luong"])
def test_monotonic_mechanisms_move_on(kind: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(1)
        make = getattr(s2s, f"{kind}MonotonicAttention")
        attention = make(5, MEMORY, STEPS, score_bias_init=0.5, mode="hard", sigmoid_noise=1.0)
        state = attention.initial_state(2, td.float32)
        shares, _ = attention(td.constant(QUERY), state)
        assert names()[-1] == f"{kind.lower()}_monotonic_attention/attention_score_bias"
        session.run(td.global_variables_initializer())
        first, found = session.run([state, shares])
    np.testing.assert_array_equal(first, [[1, 0, 0, 0]] * 2)
    assert set(found.ravel()) <= {0, 1}
    assert (found.sum(1) <= 1).all()
    assert not found[1, 2:].any()


def test_the_wrapper_attends() -> None:
    with td.Graph().as_default(), td.Session() as session:
        several = [s2s.LuongAttention(5, MEMORY, name=name) for name in ("one", "other")]
        cell = s2s.AttentionWrapper(
            td.nn.rnn_cell.BasicRNNCell(5), several, [6, 7], alignment_history=True
        )
        x = td.constant(RANDOM.normal(size=(2, 3, 2)).astype("f"))
        y, state = td.nn.dynamic_rnn(cell, x, dtype=td.float32)
        assert (y.shape.as_list(), cell.output_size) == ([2, 3, 13], 13)
        assert names()[2:] == [
            "rnn/attention_wrapper/basic_rnn_cell/kernel",
            "rnn/attention_wrapper/basic_rnn_cell/bias",
            "rnn/attention_wrapper/attention_layer/kernel",
            "rnn/attention_wrapper/attention_layer_1/kernel",
        ]
        session.run(td.global_variables_initializer())
        weights = session.run(td.global_variables())
        given, found, shares = session.run([x, y, [h.stack() for h in state.alignment_history]])
        time = session.run(state.time)
    assert time == 3
    h, seen = np.zeros((2, 5)), np.zeros((2, 13))
    for t in range(3):
        h = np.tanh(np.concatenate([given[:, t], seen, h], 1) @ weights[2] + weights[3])
        parts = []
        for keys, layer, kept in zip(weights[:2], weights[4:], shares, strict=True):
            alignments = softmax((MEMORY @ keys @ h[..., None])[..., 0])
            np.testing.assert_allclose(kept[t], alignments, rtol=1e-4)
            context = (alignments[:, None] @ MEMORY)[:, 0]
            parts.append(np.concatenate([h, context], 1) @ layer)
        seen = np.concatenate(parts, 1)
        np.testing.assert_allclose(found[:, t], seen, rtol=1e-4, atol=1e-5)


def test_the_wrapper_refuses_what_does_not_fit() -> None:
    with td.Graph().as_default():
        attention, cell = s2s.LuongAttention(5, MEMORY), td.nn.rnn_cell.GRUCell(5)
        with pytest.raises(ValueError, match="attention_layer_size: expected 1 items to match"):
            s2s.AttentionWrapper(cell, attention, [1, 2])
        layer = td.layers.Dense(3)
        with pytest.raises(ValueError, match="only one of attention_layer_size and"):
            s2s.AttentionWrapper(cell, attention, 3, attention_layer=layer)
        wrapper = s2s.AttentionWrapper(cell, attention, attention_layer=layer)
        assert wrapper.output_size == 3
        with pytest.raises(TypeError, match="must be an AttentionWrapperState"):
            wrapper(td.ones([2, 1]), td.zeros([2, 5]))
        state = wrapper.zero_state(2, td.float32)
        with pytest.raises(ValueError, match="4"):
            state.clone(cell_state=td.zeros([2, 4]))


def test_small_functions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        tiled = s2s.tile_batch((td.constant(MEMORY), td.constant([1, 2])), 3)
        assert [part.shape.as_list() for part in tiled] == [[6, 4, 3], [6]]
        found, numbers = session.run(tiled)
        np.testing.assert_array_equal(found, np.repeat(MEMORY, 3, 0))
        assert numbers.tolist() == [1, 1, 1, 2, 2, 2]
        with pytest.raises(ValueError, match="t must have a batch"):
            s2s.tile_batch(td.constant(1), 2)
