"""Pairs of words that stand beside each other, and words as hashes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import md5
from typing import Any

import numpy as np

from .text import FILTERS, text_to_word_sequence

public = {
    "td.keras.preprocessing.sequence": "make_sampling_table skipgrams",
    "td.keras.preprocessing.text": "hashing_trick one_hot=one_hot_words",
}

_EULER = 0.577  # as many digits of Euler's constant as Keras takes


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> Any:
    """Sampling probability of each word by its frequency rank, by Zipf's law.

    Args:
        size: how many words there are.
        sampling_factor: the frequency above which words are left out more often.

    Returns:
        An array of `size` probabilities.

    Example:
        >>> td.keras.preprocessing.sequence.make_sampling_table(3).round(5).tolist()
        [0.00315, 0.00315, 0.00548]
    """
    rank = np.arange(size)
    rank[:1] = 1
    inverse = rank * (np.log(rank) + _EULER) + 0.5 - 1.0 / (12.0 * rank)
    frequent = sampling_factor * inverse
    return np.minimum(1.0, frequent / np.sqrt(frequent))


def skipgrams(
    sequence: Sequence[int],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Pairs of words that stand near each other, and others of words drawn at random.

    Args:
        sequence: the numbers of words; 0 is padding.
        vocabulary_size: numbers are drawn from below it.
        window_size: how far words of a pair may be apart.
        negative_samples: how many random pairs there are for each true one.
        shuffle: whether pairs come in a random order.
        categorical: whether labels are pairs `[0, 1]` and `[1, 0]` in place of 1 and 0.
        sampling_table: how likely each word is kept.
        seed: of the order. All is drawn by Python's own `random`, as in Keras.

    Returns:
        The pairs, and their labels.

    Example:
        >>> td.keras.preprocessing.sequence.skipgrams(
        ...     [1, 2, 3], 4, window_size=1, negative_samples=0, shuffle=False
        ... )
        ([[1, 2], [2, 1], [2, 3], [3, 2]], [1, 1, 1, 1])
    """
    true, false = ([0, 1], [1, 0]) if categorical else (1, 0)
    couples: list[list[int]] = []
    for place, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        begin = max(0, place - window_size)
        near = [*sequence[begin:place], *sequence[place + 1 : place + window_size + 1]]
        couples += [[word, other] for other in near if other]
    labels: list[Any] = [true] * len(couples)
    if negative_samples > 0 and couples:
        words = [word for word, _ in couples]
        random.shuffle(words)
        count = int(len(labels) * negative_samples)
        couples += [
            [words[number % len(words)], random.randint(1, vocabulary_size - 1)]
            for number in range(count)
        ]
        labels += [false] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for items in (couples, labels):
            random.seed(seed)
            random.shuffle(items)
    return couples, labels


def hashing_trick(
    text: str,
    n: int,
    hash_function: Callable[[str], int] | str | None = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """A number for each word of a text, by its hash; words may have the same.

    Args:
        text: the text.
        n: numbers are from 1 to `n - 1`.
        hash_function: "md5", which is the same in every run, or a function; by default Python's
            `hash`, which is not.
        filters: characters that part words.
        lower: whether capitals become small.
        split: what parts words, too.

    Raises:
        ValueError: `n` leaves no number.

    Example:
        >>> td.keras.preprocessing.text.hashing_trick("the cat the", 50, "md5")
        [43, 32, 43]
    """
    if n < 2:
        raise ValueError(f"n must be at least 2, got {n}")
    words = text_to_word_sequence(text, filters, lower, split)
    number: Any = _digest if hash_function == "md5" else hash_function or hash
    return [number(word) % (n - 1) + 1 for word in words]


def _digest(word: str) -> int:
    return int(md5(word.encode(), usedforsecurity=False).hexdigest(), 16)


def one_hot_words(
    text: str, n: int, filters: str = FILTERS, lower: bool = True, split: str = " "
) -> list[int]:
    """A number for each word of a text, by Python's `hash`: see `hashing_trick`.

    Example:
        >>> len(td.keras.preprocessing.text.one_hot("one word more", 50))
        3
    """
    return hashing_trick(text, n, hash, filters, lower, split)
