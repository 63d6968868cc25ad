"""Assertions on lists, texts and numbers, for `td.test.TestCase`."""

from __future__ import annotations

import unittest
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


class PlainAssertions(unittest.TestCase):
    """The assertions of TestCase that Python's has not, or has no more."""

    def assertItemsEqual(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Checks that two collections have the same elements, each as often, in any order."""
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Checks that two collections have the same elements, no matter how often."""
        expected, actual = list(expected_seq), list(actual_seq)
        absent = [item for item in expected if item not in actual]
        further = [item for item in actual if item not in expected]
        if absent or further:
            self.fail(f"missing: {absent}, not expected: {further}. {msg or ''}")

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """Checks that a collection has no elements."""
        if len(container):
            self.fail(f"{container!r} has {len(container)} elements, not 0. {msg or ''}")

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """Checks that a collection has elements."""
        if not len(container):
            self.fail(f"{container!r} is empty. {msg or ''}")

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """Checks how many elements a collection has."""
        if len(container) != expected_len:
            self.fail(
                f"{container!r} has {len(container)} elements, not {expected_len}. {msg or ''}"
            )

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """Checks that `minv <= value <= maxv`."""
        if not minv <= value <= maxv:
            self.fail(f"{value!r} is not in [{minv!r}, {maxv!r}]. {msg or ''}")

    def assertContainsSubset(
        self, expected_subset: Iterable[Any], actual_set: Collection[Any], msg: str | None = None
    ) -> None:
        """Checks that all of some elements are in a collection."""
        absent = [item for item in expected_subset if item not in actual_set]
        if absent:
            self.fail(f"missing: {absent}. {msg or ''}")

    def assertNoCommonElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Checks that no element is in both of two collections."""
        common = sorted(Counter(expected_seq).keys() & Counter(actual_seq).keys())
        if common:
            self.fail(f"both have {common}. {msg or ''}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """Checks that a text ends with another."""
        if not actual.endswith(expected_end):
            self.fail(f"{actual!r} does not end with {expected_end!r}. {msg or ''}")

    def assertContainsInOrder(
        self, strings: Sequence[str], target: str, msg: str | None = None
    ) -> None:
        """Checks that a text contains others, one behind the other."""
        place = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, place)
            if found < 0:
                self.fail(f"{text!r} is not in {target!r} behind the others. {msg or ''}")
            place = found + len(text)

    @contextmanager
    def assertRaisesWithLiteralMatch(
        self, expected_exception: Any, expected_exception_message: str
    ) -> Iterator[None]:
        """Checks that a `with` block raises an error with exactly this message."""
        try:
            yield
        except expected_exception as error:
            self.assertEqual(expected_exception_message, str(error))
        else:
            self.fail(f"{expected_exception} not raised")
