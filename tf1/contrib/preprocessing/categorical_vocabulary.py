"""Categories, such as words, and the numbers that they get."""

from __future__ import annotations

from collections import Counter
from typing import Any

public = {"td.contrib.learn.preprocessing": "CategoricalVocabulary"}


class CategoricalVocabulary:
    """A number for each category, in the order in which they come; 0 is the unknown one.

    Args:
        unknown_token: the category of id 0 in reverse.
        support_reverse: whether they can.

    Example:
        >>> vocabulary = td.contrib.learn.preprocessing.CategoricalVocabulary()
        >>> vocabulary.get("one"), vocabulary.get("two"), vocabulary.get("one")
        (1, 2, 1)
        >>> vocabulary.freeze()
        >>> vocabulary.get("three"), vocabulary.reverse(2), len(vocabulary)
        (0, 'two', 3)
    """

    def __init__(
        self,
        unknown_token: str = "<UNK>",  # noqa: S107 - a word
        support_reverse: bool = True,
    ) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._categories = [unknown_token]
        self._freq: Counter[Any] = Counter()
        self._freeze = False

    def __len__(self) -> int:
        """Number of ids, including that of the unknown category."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on, new categories are unknown; or they get numbers again.

        Args:
            freeze: whether they are.
        """
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The id of a category, assigning a new one if necessary.

        Args:
            category: a word, or anything else that can be a key.
        """
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._categories.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category.

        Args:
            category: a word, or anything else that can be a key.
            count: the number of occurrences.
        """
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Leaves only those out that were counted neither too rarely nor too often.

        Those that stay get new numbers: the most frequent first, those as frequent in order.

        Args:
            min_frequency: categories with this count or less are removed.
            max_frequency: categories with this count or more are removed; -1 for no limit.
        """
        first = sorted(self._freq.items(), key=lambda pair: (isinstance(pair[0], str), pair[0]))
        kept = [
            (category, count)
            for category, count in sorted(first, key=lambda pair: -pair[1])
            if count > min_frequency and not 0 < max_frequency <= count
        ]
        self._categories = [self._unknown_token, *(category for category, _ in kept)]
        self._mapping = {category: number for number, category in enumerate(self._categories)}
        self._freq = Counter(dict(kept))

    def reverse(self, class_id: int) -> Any:
        """The category that has a number.

        Args:
            class_id: the number.

        Raises:
            ValueError: it was created without `support_reverse`, or the id is unknown.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary was not made with support_reverse=True")
        if not 0 <= class_id < len(self._categories):
            raise ValueError(f"class_id {class_id} is not in [0, {len(self._categories)})")
        return self._categories[class_id]
