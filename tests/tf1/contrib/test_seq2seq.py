"""Decoders and their helpers, beside formulas and searches in NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attention_inputs import MEMORY, RANDOM, STEPS, names, s2s, softmax

import tensordraft as td

# Decoders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("impute", [False, True])
def test_training_is_what_dynamic_rnn_computes(time_major: bool, impute: bool) -> None:
    values = RANDOM.normal(size=(3, 5, 2)).astype("f")
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(1)
        x, n = td.placeholder(td.float32, [None, None, 2]), td.placeholder(td.int64, [None])
        cell = td.nn.rnn_cell.GRUCell(4)
        given = td.transpose(x, [1, 0, 2]) if time_major else x
        helper = s2s.TrainingHelper(given, n, time_major)
        start = cell.zero_state(td.shape(x)[0], td.float32)
        decoder = s2s.BasicDecoder(cell, helper, start)
        outputs, state, lengths = s2s.dynamic_decode(decoder, time_major, impute)
        assert names()[0] == "decoder/gru_cell/gates/kernel"
        wanted, last = td.nn.dynamic_rnn(cell, x, n, start)
        session.run(td.global_variables_initializer())
        feeds: Any = {x: values, n: [4, 2, 0]}
        slopes = td.gradients([td.reduce_sum(outputs.rnn_output**2)], [x])[0]
        found, state, lengths, wanted, last, slopes = session.run(
            [outputs, state, lengths, wanted, last, slopes], feeds
        )
    assert lengths.tolist() == [4, 2, 0]
    made, ids = (part.swapaxes(0, 1) if time_major else part for part in found)
    assert made.shape == (3, 4, 4)
    for row, end in enumerate([4, 2, 0]):
        np.testing.assert_allclose(made[row, :end], wanted[row, :end], rtol=1e-5)
        assert made[row, end:].any() != (impute or end == 4)
    np.testing.assert_array_equal(ids[0], made[0].argmax(1))
    if impute:
        np.testing.assert_allclose(state, last, rtol=1e-5)
        assert not slopes[1, 2:].any()
    assert slopes[0, :4].all()


class Chain(td.nn.rnn_cell.RNNCell):
    """A cell whose logits depend only on the word before; its state counts steps."""

    state_size: Any = 1
    output_size = 4

    def __init__(self, logits: Any) -> None:
        super().__init__()
        self._logits = td.constant(logits)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return td.matmul(inputs, self._logits), args[0] + 1


LOGITS = 2 * np.random.RandomState(4).normal(size=(4, 4)).astype("f")
WORDS = np.eye(4, dtype="f")


def test_greedy_decoding() -> None:
    with td.Graph().as_default(), td.Session() as session:
        cell = Chain(LOGITS)
        helper = s2s.GreedyEmbeddingHelper(WORDS, [1, 2, 3], 0)
        decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(3, td.float32))
        outputs, _, lengths = s2s.dynamic_decode(decoder, maximum_iterations=6)
        ids, lengths = session.run([outputs.sample_id, lengths])
    for row, word in enumerate([1, 2, 3]):
        wanted: list[int] = []
        while len(wanted) < 6 and (not wanted or wanted[-1] != 0):
            word = int(LOGITS[word].argmax())
            wanted.append(word)
        assert lengths[row] == len(wanted)
        assert ids[row, : len(wanted)].tolist() == wanted


def test_helpers_that_draw() -> None:
    sharp = 99 * np.eye(4, dtype="f")[[2, 3, 0, 1]]
    with td.Graph().as_default(), td.Session() as session:
        cell = Chain(sharp)
        start = cell.zero_state(2, td.float32)
        helper = s2s.SampleEmbeddingHelper(WORDS, [1, 2], 0, softmax_temperature=0.5, seed=1)
        outputs, _, _ = s2s.dynamic_decode(
            s2s.BasicDecoder(cell, helper, start), maximum_iterations=4
        )
        assert session.run(outputs.sample_id).tolist() == [[3, 1, 3, 1], [0, 2, 0, 2]]
        x = td.constant(np.tile(WORDS[0], (2, 3, 1)))
        for probability, read in ((0.0, True), (1.0, False)):
            scheduled = s2s.ScheduledEmbeddingTrainingHelper(x, [3, 2], WORDS, probability)
            taken = s2s.ScheduledOutputTrainingHelper(x, [3, 2], probability)
            one, two = (
                s2s.dynamic_decode(s2s.BasicDecoder(cell, each, start))[0]
                for each in (scheduled, taken)
            )
            first, second = session.run([one, two])
            assert second.sample_id.all() == (not read)
            if read:
                assert (first.sample_id == -1).all()
                np.testing.assert_array_equal(first.rnn_output[0], np.tile(sharp[0], (3, 1)))
            else:
                assert first.sample_id[0].tolist() == [2, 0, 2]
                np.testing.assert_array_equal(first.rnn_output[0, 1], sharp[2])
                np.testing.assert_array_equal(second.rnn_output[0, 1], 99 * sharp[2])
        with pytest.raises(ValueError, match="must be a scalar or a vector"):
            s2s.ScheduledOutputTrainingHelper(x, [3, 2], [[0.5]])


def test_helpers_of_functions() -> None:
    with td.Graph().as_default(), td.Session() as session:
        cell = td.nn.rnn_cell.BasicRNNCell(2, activation=lambda h: h, name="kept")
        start = cell.zero_state(1, td.float32)
        custom = s2s.CustomHelper(
            lambda: (td.fill([1], False), td.ones([1, 2])),
            lambda time, outputs, state: td.fill([1, 3], time),
            lambda time, outputs, state, sample_ids: (td.fill([1], time > 2), outputs, state),
            sample_ids_shape=[3],
        )
        with pytest.raises(ValueError, match="not known before initialize"):
            _ = custom.batch_size
        inference = s2s.InferenceHelper(
            lambda outputs: outputs, [2], td.float32, td.ones([1, 2]), lambda s: td.fill([1], False)
        )
        made = []
        for helper in (custom, inference):
            decoder = s2s.BasicDecoder(cell, helper, start)
            made.append(s2s.dynamic_decode(decoder, maximum_iterations=9))
        session.run(td.global_variables_initializer())
        (one, _, n), (two, _, m) = session.run(made)
    assert one.sample_id[0, :, 0].tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(two.sample_id, two.rnn_output)
    assert (n.tolist(), m.tolist()) == ([4], [9])
    np.testing.assert_array_equal(one.rnn_output, two.rnn_output[:, :4])


def searched(start: int, steps: int, weight: float) -> list[tuple[float, list[int]]]:
    """All sequences of words by their scores, the best first; word 0 ends them."""
    shares = np.log(softmax(LOGITS.astype("d")))
    found = {}
    for words in product(range(4), repeat=steps):
        end = words.index(0) + 1 if 0 in words else steps
        path = (start, *words[:end])
        score = sum(shares[path[i], path[i + 1]] for i in range(end))
        kept = path[1:] + (0,) * (steps - end)
        # The word that ends a sequence is not counted, but in the steps behind it.
        length = end - 1 if 0 in words and end == steps else end
        found[kept] = score / ((5 + length) / 6) ** weight
    return sorted(((score, list(words)) for words, score in found.items()), reverse=True)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_wide_beam_finds_the_best_sequences(weight: float) -> None:
    width = 60
    with td.Graph().as_default(), td.Session() as session:
        cell = Chain(LOGITS)
        start = s2s.tile_batch(cell.zero_state(2, td.float32), width)
        decoder = s2s.BeamSearchDecoder(
            cell, WORDS, [1, 3], 0, start, width, length_penalty_weight=weight
        )
        outputs, state, _ = s2s.dynamic_decode(decoder, maximum_iterations=3)
        assert outputs.predicted_ids.shape.as_list() == [2, None, width]
        ids, kept, state = session.run(
            [outputs.predicted_ids, outputs.beam_search_decoder_output.scores, state]
        )
    assert state.cell_state.shape == (2, width, 1)
    for row, first in enumerate([1, 3]):
        ranked = searched(first, 3, weight)
        np.testing.assert_allclose(kept[row, -1, :5], [s for s, _ in ranked[:5]], rtol=1e-5)
        scores = {tuple(words): score for score, words in ranked}
        found = [tuple(words) for words in ids[row].T.tolist()[:5]]
        assert len(set(found)) == 5
        np.testing.assert_allclose(kept[row, -1, :5], [scores[each] for each in found], rtol=1e-5)


def test_a_beam_that_attends_keeps_what_it_saw() -> None:
    width = 3
    with td.Graph().as_default(), td.Session() as session:
        td.set_random_seed(5)
        memory, steps = (s2s.tile_batch(td.constant(part), width) for part in (MEMORY, STEPS))
        attention = s2s.LuongAttention(5, memory, steps)
        cell = s2s.AttentionWrapper(td.nn.rnn_cell.GRUCell(5), attention, 4, alignment_history=True)
        decoder = s2s.BeamSearchDecoder(
            cell,
            lambda ids: td.one_hot(ids, 7),
            td.fill([2], 1),
            0,
            cell.zero_state(2 * width, td.float32),
            width,
            td.layers.Dense(7, name="words"),
            coverage_penalty_weight=0.2,
        )
        _, state, _ = s2s.dynamic_decode(decoder, maximum_iterations=5)
        session.run(td.global_variables_initializer())
        history, last = session.run([state.cell_state.alignment_history, state])
    assert history.shape == (5, 2 * width, 4)
    np.testing.assert_allclose(history.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(last.accumulated_attention_probs.sum(-1).max(), 5, rtol=1e-5)


def test_decoders_refuse_what_does_not_fit() -> None:
    with td.Graph().as_default():
        cell, broken = td.nn.rnn_cell.GRUCell(3), None
        start = cell.zero_state(2, td.float32)
        helper = s2s.GreedyEmbeddingHelper(WORDS, [1, 1], 0)
        with pytest.raises(TypeError, match="helper must be a Helper, got None"):
            s2s.BasicDecoder(cell, broken, start)
        with pytest.raises(TypeError, match="decoder must be a Decoder, got None"):
            s2s.dynamic_decode(broken)
        decoder = s2s.BasicDecoder(cell, helper, start, output_layer=abs)
        with pytest.raises(TypeError, match="output_layer must have an attribute units"):
            s2s.dynamic_decode(decoder)
        decoder = s2s.BasicDecoder(cell, helper, start)
        with pytest.raises(ValueError, match="maximum_iterations must be a scalar"):
            s2s.dynamic_decode(decoder, maximum_iterations=[3])
        for wrong, clause in ((([[1]], 0), "start_tokens must be a"), (([1], [0]), "end_token")):
            with pytest.raises(ValueError, match=clause):
                s2s.GreedyEmbeddingHelper(WORDS, *wrong)
            tokens, end = wrong
            with pytest.raises(ValueError, match=clause):
                s2s.BeamSearchDecoder(cell, WORDS, tokens, end, start, 2)
        with pytest.raises(ValueError, match="sequence_length must be a vector"):
            s2s.TrainingHelper(td.ones([2, 3, 1]), 3)


# Losses ------------------------------------------------------------------------------------------


def test_the_loss_of_sequences() -> None:
    logits = RANDOM.normal(size=(2, 3, 4)).astype("f")
    right, counts = np.array([[1, 2, 0], [3, 3, 1]]), np.array([[1, 0.5, 0], [1, 1, 1]], "f")
    each = -np.log(np.take_along_axis(softmax(logits), right[..., None], -1))[..., 0] * counts
    present = counts != 0
    wanted: dict[tuple[bool, bool, bool, bool], Any] = {
        (True, True, False, False): each.sum() / counts.sum(),
        (True, False, False, False): each.sum(1) / counts.sum(1),
        (False, True, False, False): each.sum(0) / counts.sum(0),
        (False, False, False, False): each,
        (False, False, True, True): each.sum() / present.sum(),
        (False, False, True, False): each.sum(1) / present.sum(1),
        (False, False, False, True): each.sum(0) / present.sum(0),
    }
    with td.Graph().as_default(), td.Session() as session:
        for flags, value in wanted.items():
            found = session.run(s2s.sequence_loss(logits, right, counts, *flags))
            np.testing.assert_allclose(found, value, rtol=1e-5)
        with pytest.raises(ValueError, match="only one of average_across_batch and sum_over_batch"):
            s2s.sequence_loss(logits, right, counts, sum_over_batch=True)
        with pytest.raises(ValueError, match="targets must have rank 2"):
            s2s.sequence_loss(logits, right[0], counts)
