"""Documents as rows of numbers, one for each word."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np

from ....formats.replacement import replacing
from ....runtime import errors
from .categorical_vocabulary import CategoricalVocabulary

public = {"td.contrib.learn.preprocessing": "ByteProcessor VocabularyProcessor tokenizer"}

# Capitals that belong together, a word that another one begins in, and runs of letters.
_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\w'-]+")
_FORMAT = "tensordraft vocabulary 1"


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text.

    Args:
        iterator: the texts.

    Example:
        >>> list(td.contrib.learn.preprocessing.tokenizer(["I don't, ReadMe"]))
        [['I', "don't", 'Read', 'Me']]
    """
    for text in iterator:
        yield _WORDS.findall(text)


class ByteProcessor:
    """Makes rows of bytes of texts.

    Args:
        max_document_length: the length of a row; documents are cut or padded with 0 to it.

    Example:
        >>> processor = td.contrib.learn.preprocessing.ByteProcessor(3)
        >>> [row.tolist() for row in processor.transform(["ab"])]
        [[97, 98, 0]]
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> Self:
        """Does nothing: there is nothing to learn."""
        return self

    def fit_transform(self, x: Iterable[Any]) -> Iterator[np.ndarray[Any, Any]]:
        """The same as `transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[np.ndarray[Any, Any]]:
        """A row of uint8 for each text.

        Args:
            x: texts, or bytes.
        """
        for text in x:
            data = text if isinstance(text, bytes) else str(text).encode()
            row = np.zeros(self.max_document_length, np.uint8)
            part = np.frombuffer(data, np.uint8)[: self.max_document_length]
            row[: len(part)] = part
            yield row

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """The texts of rows.

        Args:
            x: rows of bytes.
        """
        for row in x:
            yield np.asarray(row, np.uint8).tobytes().rstrip(b"\0").decode("utf-8", "replace")


class VocabularyProcessor:
    """Makes rows of numbers of documents: one for each word, 0 for those that are unknown.

    Args:
        max_document_length: the length of a row; documents are cut or padded with 0 to it.
        min_frequency: words that are counted so often, or less, are unknown.
        vocabulary: a CategoricalVocabulary; by default an empty one.
        tokenizer_fn: a function from texts to lists of words; by default `tokenizer`.

    Example:
        >>> processor = td.contrib.learn.preprocessing.VocabularyProcessor(4)
        >>> np.array(list(processor.fit_transform(["a cat sat", "a dog"]))).tolist()
        [[1, 2, 3, 0], [1, 4, 0, 0]]
        >>> next(processor.transform(["a cow"])).tolist(), len(processor.vocabulary_)
        ([1, 0, 0, 0], 5)
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[Sequence[str]]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> Self:
        """Learns the words of documents; others are unknown afterwards.

        Args:
            raw_documents: the texts.
            unused_y: accepted for the sake of pipelines.
        """
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray[Any, Any]]:
        """Learns the words of documents, which it is then that become rows.

        Args:
            raw_documents: the texts; they are read twice.
            unused_y: accepted for the sake of pipelines.
        """
        return self.fit(raw_documents, unused_y).transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray[Any, Any]]:
        """A row of int64 for each document.

        Args:
            raw_documents: the texts.
        """
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, word in enumerate(islice(words, self.max_document_length)):
                row[place] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Texts of rows: the words, with blanks between them.

        Args:
            documents: the rows.
        """
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str | os.PathLike[str]) -> None:
        """Writes the words and settings to a file, as JSON.

        A `tokenizer_fn` is not saved. TensorFlow writes a pickle, which may run code when loaded.

        Args:
            filename: the file.
        """
        vocabulary = self.vocabulary_
        state = {
            "format": _FORMAT,
            "max_document_length": self.max_document_length,
            "min_frequency": self.min_frequency,
            "own_tokenizer": self._tokenizer is not tokenizer,
            "support_reverse": vocabulary._support_reverse,
            "frozen": vocabulary._freeze,
            "words": vocabulary._categories,
            "counts": [vocabulary._freq[word] for word in vocabulary._categories],
        }
        with replacing(os.fsdecode(filename)) as file:
            file.write(json.dumps(state).encode())

    @classmethod
    def restore(cls, filename: str | os.PathLike[str]) -> Self:
        """Reads a file that `save` has written.

        Args:
            filename: the file.

        Raises:
            DataLossError: it is not such a file; pickles that TensorFlow wrote are not read.
        """
        path = Path(os.fsdecode(filename))
        try:
            state = json.loads(path.read_bytes())
            if state["format"] != _FORMAT:
                raise KeyError("format")
            words, counts = [*map(str, state["words"])], [*map(int, state["counts"])]
            vocabulary = CategoricalVocabulary(words[0], bool(state["support_reverse"]))
            for word, count in zip(words[1:], counts[1:], strict=True):
                vocabulary.add(word, count)
            vocabulary.freeze(bool(state["frozen"]))
            vocabulary._freq = Counter({word: n for word, n in vocabulary._freq.items() if n})
            own = _not_saved if state["own_tokenizer"] else None
            return cls(
                int(state["max_document_length"]), int(state["min_frequency"]), vocabulary, own
            )
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise errors.DataLossError(
                None, None, f"{path} is not a vocabulary written by save: fit and save it again"
            ) from error


def _not_saved(iterator: Iterable[str]) -> Iterator[list[str]]:
    raise ValueError(
        "the tokenizer_fn that this vocabulary was made with is not in its file: make a new "
        "VocabularyProcessor with it, and with the vocabulary_ of this one"
    )
