"""Conditional random fields, against all sequences of tags one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tensordraft as td
from tensordraft.tf1.contrib.crf import crf_decode, crf_log_likelihood

NUMBERS = np.random.default_rng(7)
STEPS, TAGS = 4, 3
INPUTS = NUMBERS.normal(size=[4, STEPS, TAGS]).astype(np.float32)
PAIRS = NUMBERS.normal(size=[TAGS, TAGS]).astype(np.float32)
LENGTHS = [4, 1, 3, 2]
CHOSEN = NUMBERS.integers(0, TAGS, [4, STEPS])


def score(example: int, tags: tuple[int, ...]) -> float:
    unary = sum(float(INPUTS[example, i, tag]) for i, tag in enumerate(tags))
    return unary + sum(float(PAIRS[pair]) for pair in itertools.pairwise(tags))


def walks(example: int) -> dict[tuple[int, ...], float]:
    found = itertools.product(range(TAGS), repeat=LENGTHS[example])
    return {tags: score(example, tags) for tags in found}


def test_likelihoods_are_those_of_all_sequences() -> None:
    chosen = [score(i, tuple(CHOSEN[i, :n])) for i, n in enumerate(LENGTHS)]
    norms = [np.logaddexp.reduce([*walks(i).values()]) for i in range(4)]
    with td.Graph().as_default(), td.Session() as session:
        found = session.run(crf_log_likelihood.crf_sequence_score(INPUTS, CHOSEN, LENGTHS, PAIRS))
        np.testing.assert_allclose(found, chosen, rtol=1e-5)
        found = session.run(crf_log_likelihood.crf_log_norm(INPUTS, LENGTHS, PAIRS))
        np.testing.assert_allclose(found, norms, rtol=1e-5)
        likelihood, pairs = crf_log_likelihood.crf_log_likelihood(INPUTS, CHOSEN, LENGTHS, PAIRS)
        assert pairs is PAIRS
        found = session.run(likelihood)
        np.testing.assert_allclose(found, np.subtract(chosen, norms), rtol=1e-4)


def test_the_best_sequences_are_found() -> None:
    best = [max(walks(i), key=walks(i).__getitem__) for i in range(4)]
    with td.Graph().as_default(), td.Session() as session:
        inputs = td.placeholder(td.float32, [None, None, TAGS])
        lengths = td.placeholder(td.int64, [None])
        tags, found = session.run(
            crf_decode.crf_decode(inputs, PAIRS, lengths), {inputs: INPUTS, lengths: LENGTHS}
        )
    assert [tuple(row[:n]) for row, n in zip(tags, LENGTHS, strict=True)] == best
    assert all(not row[n:].any() for row, n in zip(tags, LENGTHS, strict=True))
    np.testing.assert_allclose(found, [score(i, best[i]) for i in range(4)], rtol=1e-5)
    for i, length in enumerate(LENGTHS):
        walked, reached = crf_decode.viterbi_decode(INPUTS[i, :length], PAIRS)
        assert (tuple(walked), round(float(reached), 4)) == (best[i], round(score(i, best[i]), 4))


def test_empty_sequences_and_single_steps() -> None:
    with td.Graph().as_default(), td.Session() as session:
        norm = crf_log_likelihood.crf_log_norm(INPUTS, [0, 1, 1, 1], PAIRS)
        assert session.run(norm)[0] == 0
        tags, best = session.run(crf_decode.crf_decode(INPUTS[:, :1], PAIRS, [1] * 4))
        assert tags[:, 0].tolist() == INPUTS[:, 0].argmax(1).tolist()
        np.testing.assert_allclose(best, INPUTS[:, 0].max(1))


def test_pairs_are_learnt() -> None:
    with td.Graph().as_default(), td.Session() as session:
        likelihood, pairs = crf_log_likelihood.crf_log_likelihood(INPUTS, CHOSEN, LENGTHS)
        assert [v.op.name for v in td.trainable_variables()] == ["transitions"]
        (slope,) = td.gradients(likelihood, pairs)
        step = td.assign_add(pairs, 0.1 * slope)
        session.run(td.global_variables_initializer())
        before = session.run(td.reduce_sum(likelihood))
        session.run(step)
        assert session.run(td.reduce_sum(likelihood)) > before
        with pytest.raises(ValueError, match="inputs must have a known number of tags"):
            crf_log_likelihood.crf_log_likelihood(
                td.placeholder(td.float32, [2, 3, None]), CHOSEN, LENGTHS
            )
