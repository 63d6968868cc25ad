"""Models from lists of inputs to lists of outputs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import tensordraft as td

s2s = td.contrib.legacy_seq2seq
WORDS = [np.array([1, 2]), np.array([3, 4]), np.array([0, 5])]


def names() -> list[str]:
    return [variable.op.name for variable in td.global_variables()]


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def test_the_variables_are_those_of_tensorflow() -> None:
    with td.Graph().as_default():
        cell = td.nn.rnn_cell.BasicLSTMCell(4)
        outputs, _ = s2s.embedding_attention_seq2seq(WORDS, WORDS, cell, 6, 7, 5)
        assert [len(outputs), outputs[0].shape.as_list()] == [3, [2, 7]]
        encoder = "embedding_attention_seq2seq/rnn/embedding_wrapper"
        decoder = "embedding_attention_seq2seq/embedding_attention_decoder"
        attention = f"{decoder}/attention_decoder"
        inner = f"{attention}/output_projection_wrapper"
        assert names() == [
            f"{encoder}/embedding",
            f"{encoder}/basic_lstm_cell/kernel",
            f"{encoder}/basic_lstm_cell/bias",
            f"{decoder}/embedding",
            f"{attention}/AttnW_0",
            f"{attention}/AttnV_0",
            f"{attention}/kernel",
            f"{attention}/bias",
            f"{inner}/basic_lstm_cell/kernel",
            f"{inner}/basic_lstm_cell/bias",
            f"{inner}/kernel",
            f"{inner}/bias",
            f"{attention}/Attention_0/kernel",
            f"{attention}/Attention_0/bias",
            f"{attention}/AttnOutputProjection/kernel",
            f"{attention}/AttnOutputProjection/bias",
        ]


@pytest.mark.parametrize("begins", [False, True])
def test_attention(begins: bool) -> None:
    random = np.random.RandomState(1)
    memory = random.normal(size=(2, 4, 3)).astype("f")
    steps = random.normal(size=(2, 2, 5)).astype("f")
    with td.Graph().as_default(), td.Session() as session:
        cell = td.nn.rnn_cell.BasicRNNCell(6)
        outputs, _ = s2s.attention_decoder(
            list(steps), td.ones([2, 6]), memory, cell, 7, 2, initial_state_attention=begins
        )
        session.run(td.global_variables_initializer())
        weights = dict(zip(names(), session.run(td.global_variables()), strict=True))
        found = session.run(outputs)
    own = {name.removeprefix("attention_decoder/"): value for name, value in weights.items()}

    def attended(state: Any) -> list[Any]:
        made = []
        for head in range(2):
            features = memory @ own[f"AttnW_{head}"][0, 0]
            query = state @ own[f"Attention_{head}/kernel"] + own[f"Attention_{head}/bias"]
            scores = (own[f"AttnV_{head}"] * np.tanh(features + query[:, None])).sum(-1)
            made.append((softmax(scores)[..., None] * memory).sum(1))
        return made

    h = np.ones((2, 6))
    seen = attended(h) if begins else [np.zeros((2, 3))] * 2
    for step, output in zip(steps, found, strict=True):
        mixed = np.concatenate([step, *seen], 1) @ own["kernel"] + own["bias"]
        rnn = own["basic_rnn_cell/kernel"], own["basic_rnn_cell/bias"]
        h = np.tanh(np.concatenate([mixed, h], 1) @ rnn[0] + rnn[1])
        seen = attended(h)
        projection = own["AttnOutputProjection/kernel"], own["AttnOutputProjection/bias"]
        wanted = np.concatenate([h, *seen], 1) @ projection[0] + projection[1]
        np.testing.assert_allclose(output, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "model", ["embedding_rnn_seq2seq", "embedding_attention_seq2seq", "embedding_tied_rnn_seq2seq"]
)
def test_a_run_decides_whether_outputs_are_fed_back(model: str) -> None:
    sizes = [6, 4] if "tied" in model else [6, 6, 4]
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(2)
        feeds = td.placeholder(td.bool, [])
        made = []
        for feed in (feeds, True, False):
            with td.variable_scope("model", reuse=td.AUTO_REUSE):
                cell = td.nn.rnn_cell.GRUCell(5)
                made.append(getattr(s2s, model)(WORDS, WORDS, cell, *sizes, feed_previous=feed))
        number = len(td.global_variables())
        assert len(set(names())) == number
        session.run(td.global_variables_initializer())
        for feed, other in ((True, 1), (False, 2)):
            (outputs, state), (wanted, last) = session.run([made[0], made[other]], {feeds: feed})
            np.testing.assert_allclose(outputs, wanted, rtol=1e-5)
            np.testing.assert_allclose(state, last, rtol=1e-5)
        slopes = td.gradients(made[0][0], td.trainable_variables()[:number])
        assert all(slope is not None for slope in slopes)


def test_buckets_share_variables() -> None:
    weights = [td_ones(2)] * 3
    with td.Graph().as_default(), td.Session() as session:
        cell = td.nn.rnn_cell.GRUCell(5)

        def model(ahead: Any, behind: Any) -> Any:
            return s2s.embedding_attention_seq2seq(ahead, behind, cell, 6, 6, 4)

        given = WORDS, WORDS, WORDS, weights
        outputs, losses = s2s.model_with_buckets(*given, [(2, 1), (3, 3)], model)
        assert [len(steps) for steps in outputs] == [1, 3]
        assert len(names()) == 20
        _, each = s2s.model_with_buckets(*given, [(3, 3)], seq2seq_again(model), None, True)
        assert len(names()) == 20
        session.run(td.global_variables_initializer())
        found, rows = session.run([losses, each[0]])
        assert rows.shape == (2,)
        np.testing.assert_allclose(rows.mean(), found[1], rtol=1e-5)
        with pytest.raises(ValueError, match="targets: expected 4 items"):
            s2s.model_with_buckets(WORDS * 2, WORDS * 2, WORDS, weights, [(3, 4)], model)


def td_ones(size: int) -> Any:
    return np.ones(size, "f")


def seq2seq_again(model: Any) -> Any:
    """The model with the variables that it has made before."""

    def again(ahead: Any, behind: Any) -> Any:
        with td.variable_scope(td.get_variable_scope(), reuse=True):
            return model(ahead, behind)

    return again


def test_tied_and_basic_models() -> None:
    steps = [np.ones((2, 3), "f")] * 2
    with td.Graph().as_default():
        s2s.basic_rnn_seq2seq(steps, steps, td.nn.rnn_cell.BasicRNNCell(4))
        assert [name.rpartition("/")[0] for name in names()[::2]] == [
            "basic_rnn_seq2seq/rnn/basic_rnn_cell",
            "basic_rnn_seq2seq/rnn_decoder/basic_rnn_cell",
        ]
    with td.Graph().as_default():
        s2s.tied_rnn_seq2seq(steps, steps, td.nn.rnn_cell.BasicRNNCell(4))
        assert names()[0] == "combined_tied_rnn_seq2seq/tied_rnn_seq2seq/basic_rnn_cell/kernel"
        assert len(names()) == 2
    with td.Graph().as_default():
        cells = {"de": td.nn.rnn_cell.GRUCell(4), "fr": td.nn.rnn_cell.GRUCell(4)}
        outputs, states = s2s.one2many_rnn_seq2seq(
            WORDS,
            {"de": WORDS, "fr": WORDS[:2]},
            td.nn.rnn_cell.GRUCell(4),
            cells,
            6,
            {"de": 7, "fr": 8},
            3,
            feed_previous=td.placeholder(td.bool, []),
        )
        assert {name: len(steps) for name, steps in outputs.items()} == {"de": 3, "fr": 2}
        assert states["fr"].shape.as_list() == [2, 4]


def test_a_copy_of_a_cell_makes_variables_of_its_own() -> None:
    with td.Graph().as_default():
        inner: Any = td.nn.rnn_cell.GRUCell(3)
        cell = td.nn.rnn_cell.MultiRNNCell([td.nn.rnn_cell.DropoutWrapper(inner, 0.5)])
        cell(td.ones([2, 3]), cell.zero_state(2, td.float32))
        other = deepcopy(cell)
        assert not other.variables
        other(td.ones([2, 3]), other.zero_state(2, td.float32))
        assert len(names()) == 8
        assert len(other.variables) == 4


def test_errors() -> None:
    with td.Graph().as_default():
        cell, start = td.nn.rnn_cell.GRUCell(3), td.zeros([2, 3])
        with pytest.raises(ValueError, match="decoder_inputs must not be empty"):
            s2s.attention_decoder([], start, td.ones([2, 4, 3]), cell)
        with pytest.raises(ValueError, match="num_heads must be at least 1, got 0"):
            s2s.attention_decoder([td.ones([2, 3])], start, td.ones([2, 4, 3]), cell, num_heads=0)
        projection = td.ones([3, 5]), td.ones([6])
        with pytest.raises(ValueError, match="compatible"):
            s2s.embedding_rnn_decoder(WORDS, start, cell, 6, 4, projection)
        with pytest.raises(ValueError, match="must be positive, got 0 and 3"):
            td.contrib.rnn.EmbeddingWrapper(cell, 0, 3)
        with pytest.raises(ValueError, match="output_size must be positive, got 0"):
            td.contrib.rnn.OutputProjectionWrapper(cell, 0)
