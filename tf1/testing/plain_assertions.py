"""Assertions on lists, texts and numbers, for `td.test.TestCase`."""

from __future__ import annotations

import re
import unittest
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

_NONE = object()


class PlainAssertions(unittest.TestCase):
    """Assertions that Python's TestCase does not have, or no longer has."""

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
        """Checks the number of elements of a collection."""
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

    def assertNotStartsWith(self, actual: str, unexpected_start: str, msg: Any = None) -> None:
        """Checks that a text does not start with a prefix."""
        if actual.startswith(unexpected_start):
            self.fail(f"{actual!r} does start with {unexpected_start!r}. {msg or ''}")

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: Any = None) -> None:
        """Checks that a text does not end with another."""
        if actual.endswith(unexpected_end):
            self.fail(f"{actual!r} does end with {unexpected_end!r}. {msg or ''}")

    def assertRegexMatch(
        self, actual_str: str, regexes: Sequence[str], message: Any = None
    ) -> None:
        """Checks that one of several regular expressions is found in a text."""
        if not any(re.search(pattern, actual_str) for pattern in regexes):
            self.fail(f"none of {list(regexes)} is found in {actual_str!r}. {message or ''}")

    def assertSequenceStartsWith(
        self, prefix: Sequence[Any], whole: Sequence[Any], msg: Any = None
    ) -> None:
        """Checks that a sequence starts with the items of another, non-empty one."""
        wanted, found = list(prefix), list(whole)
        if not wanted or found[: len(wanted)] != wanted:
            self.fail(f"{found!r} does not start with {wanted!r}. {msg or ''}")

    def assertContainsSubsequence(
        self, container: Iterable[Any], subsequence: Sequence[Any], msg: Any = None
    ) -> None:
        """Checks that a sequence has the items of another, in that order, with others between."""
        rest = iter(container)
        absent = next((item for item in subsequence if item not in rest), _NONE)
        if absent is not _NONE:
            self.fail(f"{absent!r} is not in {container!r} behind the others. {msg or ''}")

    def assertContainsExactSubsequence(
        self, container: Sequence[Any], subsequence: Sequence[Any], msg: Any = None
    ) -> None:
        """Checks that a sequence contains the items of another contiguously."""
        items, wanted = list(container), list(subsequence)
        places = range(len(items) - len(wanted) + 1)
        if not any(items[i : i + len(wanted)] == wanted for i in places):
            self.fail(f"{wanted!r} is not a contiguous part of {items!r}. {msg or ''}")

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[Any],
        actual_seq: Sequence[Any],
        places: int | None = None,
        msg: Any = None,
        delta: float | None = None,
    ) -> None:
        """Checks that the numbers of two sequences are nearly the same, as Python's TestCase does.

        Two NaNs, or two infinities of one sign, are.
        """
        self.assertLen(actual_seq, len(expected_seq), msg)
        for i, (wanted, found) in enumerate(zip(expected_seq, actual_seq, strict=True)):
            if not (wanted == found or (wanted != wanted and found != found)):
                options: Any = {"places": places, "msg": f"at {i}. {msg or ''}", "delta": delta}
                self.assertAlmostEqual(wanted, found, **options)

    def assertDictAlmostEqual(
        self,
        a: Mapping[Any, Any],
        b: Mapping[Any, Any],
        places: int | None = None,
        msg: Any = None,
        delta: float | None = None,
    ) -> None:
        """Checks that two dicts have the same keys, and nearly the same numbers."""
        self.assertEqual(a.keys(), b.keys(), msg)
        wanted, found = ([one[key] for key in a] for one in (a, b))
        self.assertSequenceAlmostEqual(wanted, found, places, msg, delta)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: Any = None
    ) -> None:
        """Checks that two structures of lists and dicts hold the same."""
        if a != b:
            self.fail(f"{aname} is {a!r}, and {bname} is {b!r}. {msg or ''}")

    def assertTotallyOrdered(self, *groups: Sequence[Any], **settings: Any) -> None:
        """Checks that the items of each group are equal, and less than those of later groups."""
        for i, group in enumerate(groups):
            for item in group:
                for other in group:
                    self.assertTrue(item == other and not item < other, settings.get("msg"))
                for later in (other for after in groups[i + 1 :] for other in after):
                    self.assertTrue(item < later and not later < item, settings.get("msg"))

    def enter_context(self, manager: AbstractContextManager[Any]) -> Any:
        """Enters a context manager, until the test ends."""
        return self.enterContext(manager)

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
