"""Texts and series made ready for models of Keras; numbers of Keras 3.15's legacy modules."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tensordraft as td

sequence, text = td.keras.preprocessing.sequence, td.keras.preprocessing.text
SERIES = np.arange(50)[:, None]


def test_windows_over_series() -> None:
    windows = sequence.TimeseriesGenerator(SERIES, SERIES * 2, 10, sampling_rate=2, batch_size=2)
    assert len(windows) == 20
    x, y = windows[0]
    assert x[..., 0].tolist() == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]
    assert y.tolist() == [[20], [22]]
    some = sequence.TimeseriesGenerator(
        SERIES, SERIES, 5, stride=3, start_index=4, end_index=40, reverse=True, batch_size=4
    )
    assert len(some) == 3
    assert some[2][0][0, :, 0].tolist() == [32, 31, 30, 29, 28]
    assert some[2][1].ravel().tolist() == [33, 36, 39]
    drawn = sequence.TimeseriesGenerator(SERIES, SERIES, 4, shuffle=True, batch_size=3)
    np.random.seed(2)  # noqa: NPY002 - what Keras draws by
    x, y = drawn[0]
    np.testing.assert_array_equal(x[:, -1] + 1, y)
    assert len(y) == 3
    with pytest.raises(ValueError, match="data has 50 steps, but targets has 3"):
        sequence.TimeseriesGenerator(SERIES, [1, 2, 3], 2)
    with pytest.raises(ValueError, match="there is no window"):
        sequence.TimeseriesGenerator(SERIES, SERIES, 50)
    with pytest.raises(IndexError, match="20 batches, and none of number 20"):
        windows[20]


def test_pairs_of_words() -> None:
    pairs, labels = sequence.skipgrams([1, 2, 0, 3], 9, 2, negative_samples=0, shuffle=False)
    assert pairs == [[1, 2], [2, 1], [2, 3], [3, 2]]
    assert labels == [1, 1, 1, 1]
    random.seed(1)
    pairs, labels = sequence.skipgrams([1, 2, 3], 9, 1, 0.5, seed=3, categorical=True)
    assert sorted(labels) == [[0, 1]] * 4 + [[1, 0]] * 2
    assert all(0 < other < 9 for _, other in pairs)
    assert sequence.skipgrams([], 9) == ([], [])
    kept, _ = sequence.skipgrams([1, 2], 9, sampling_table=[0.0] * 9)
    assert kept == []
    table = sequence.make_sampling_table(1000)
    assert table[[0, 1, 2, 999]].round(6).tolist() == [0.003152, 0.003152, 0.005476, 0.273437]


def test_words_as_hashes() -> None:
    assert text.hashing_trick("The cat, the", 50, "md5") == [43, 32, 43]
    assert text.hashing_trick("a b", 3, len) == [2, 2]
    assert all(0 < number < 20 for number in text.one_hot("some words more", 20))
    with pytest.raises(ValueError, match="n must be at least 2, got 1"):
        text.one_hot("a", 1)


def counted() -> Any:
    made = text.Tokenizer(num_words=6, oov_token="?")  # noqa: S106 - a word
    made.fit_on_texts(["the cat sat on the mat", "the dog sat", "a cat, a dog"])
    return made


def test_a_tokenizer_is_told_by_json() -> None:
    again = text.tokenizer_from_json(counted().to_json())
    assert again.to_json() == counted().to_json()
    assert again.texts_to_sequences(["zebra the dog on"]) == [[1, 2, 5, 1]]
    found = again.texts_to_matrix(["the cat the"], "tfidf")
    assert found[0].round(4).tolist() == [0, 0, 1.1736, 0.6931, 0, 0]
    with pytest.raises(ValueError, match="mode must be"):
        again.texts_to_matrix(["a"], "all")


@pytest.mark.parametrize("expected", ["{", "[]", "{}", '{"config": {"num_words": 1}}', "[" * 9999])
def test_damaged_json_is_refused(expected: str) -> None:
    with pytest.raises(ValueError, match="does not describe a Tokenizer"):
        text.tokenizer_from_json(expected)
