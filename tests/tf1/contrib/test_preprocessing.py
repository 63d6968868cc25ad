"""Words as numbers: as TensorFlow's contrib.learn numbers them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

preprocessing = td.contrib.learn.preprocessing

TEXTS = ["the cat sat", "the dog sat on the mat", "it's good-bye"]


def rows(found: Iterable[Any]) -> list[list[int]]:
    return [np.asarray(row).tolist() for row in found]


def test_words_are_numbered_as_they_come() -> None:
    processor = preprocessing.VocabularyProcessor(5)
    assert rows(processor.fit_transform(TEXTS)) == [
        [1, 2, 3, 0, 0],
        [1, 4, 3, 5, 1],
        [7, 8, 0, 0, 0],
    ]
    assert next(processor.transform(["cat"])).dtype == np.int64
    assert list(processor.reverse([[1, 2, 0], [8]])) == ["the cat <UNK>", "good-bye"]
    assert rows(processor.transform(["a cat"])) == [[0, 2, 0, 0, 0]]


def test_rare_words_are_unknown_and_frequent_ones_come_first() -> None:
    processor = preprocessing.VocabularyProcessor(6, min_frequency=1).fit(TEXTS)
    assert processor.vocabulary_._mapping == {"<UNK>": 0, "the": 1, "sat": 2}
    assert rows(processor.transform(TEXTS[1:2])) == [[1, 0, 2, 0, 1, 0]]


def test_trimming_leaves_the_most_frequent_out_too() -> None:
    vocabulary = preprocessing.CategoricalVocabulary("?")
    for category, count in (("b", 2), ("a", 2), ("c", 9)):
        vocabulary.add(category, count)
    vocabulary.trim(1, 9)
    assert [vocabulary.reverse(number) for number in range(len(vocabulary))] == ["?", "a", "b"]


def test_numbers_without_categories_are_refused() -> None:
    with pytest.raises(ValueError, match=r"class_id 3 is not in \[0, 1\)"):
        preprocessing.CategoricalVocabulary().reverse(3)
    with pytest.raises(ValueError, match="support_reverse"):
        preprocessing.CategoricalVocabulary(support_reverse=False).reverse(0)


def test_a_vocabulary_comes_back_from_its_file(tmp_path: Path) -> None:
    processor = preprocessing.VocabularyProcessor(4).fit(TEXTS)
    processor.save(tmp_path / "vocabulary")
    restored = preprocessing.VocabularyProcessor.restore(str(tmp_path / "vocabulary"))
    assert rows(restored.transform(TEXTS)) == rows(processor.transform(TEXTS))
    assert restored.vocabulary_._freq == processor.vocabulary_._freq
    assert restored.vocabulary_.get("new") == 0


def test_another_tokenizer_is_not_in_the_file(tmp_path: Path) -> None:
    def letters(texts: Iterable[str]) -> Iterable[list[str]]:
        return map(list, texts)

    processor = preprocessing.VocabularyProcessor(4, tokenizer_fn=letters).fit(["abba"])
    assert rows(processor.transform(["cab"])) == [[0, 1, 2, 0]]
    processor.save(tmp_path / "letters")
    restored = preprocessing.VocabularyProcessor.restore(tmp_path / "letters")
    with pytest.raises(ValueError, match="tokenizer_fn"):
        list(restored.transform(["cab"]))


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x04}\x94.",  # a pickle
        b"[]",
        b'{"format": "other"}',
        b'{"format": "tensordraft vocabulary 1", "words": [], "counts": []}',
        b'{"format": "tensordraft vocabulary 1", "words": ["?", "a"], "counts": [0]}',
        b"[" * 100_000,
    ],
    ids=["pickle", "list", "other", "empty", "uneven", "deep"],
)
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "vocabulary"
    path.write_bytes(data)
    with pytest.raises(td.errors.DataLossError, match="is not a vocabulary written by save"):
        preprocessing.VocabularyProcessor.restore(path)


def test_bytes_become_rows() -> None:
    processor = preprocessing.ByteProcessor(4)
    assert rows(processor.fit([]).fit_transform(["héllo", b"a"])) == [
        [104, 195, 169, 108],
        [97, 0, 0, 0],
    ]
    assert list(processor.reverse([[97, 98, 0, 0]])) == ["ab"]
