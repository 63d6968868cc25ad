"""Assertions of td.test.TestCase on arrays, sequences and streams: as TensorFlow 2.21 decides."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensordraft as td

NAN = float("nan")


@pytest.fixture(name="case")
def _case() -> Iterator[td.test.TestCase]:
    with td.Graph().as_default():
        case = td.test.TestCase()
        case.setUp()
        yield case
        case.tearDown()


HOLD: list[tuple[Any, ...]] = [
    ("AllGreaterEqual", [[1, 2], [3, 4]], 1),
    ("AllLessEqual", np.ones(2, np.float32), 2),
    ("NotAllEqual", [1, 2], [1, 3]),
    ("NotAllEqual", [1, 2], [1, 2, 3]),
    ("DTypeEqual", [1.0, 2.0], np.float64),
    ("DeviceEqual", "/job:a/cpu:0", "/device:CPU:0/job:a"),
    ("DeviceEqual", None, ""),
    ("AllClose", [{"a": 1.0}], [{"a": 1.0}]),
    ("ShapeEqual", np.zeros([2, 3]), np.ones([2, 3])),
    ("NotStartsWith", "abc", "b"),
    ("NotEndsWith", "abc", "b"),
    ("RegexMatch", "abc", ["x", "b."]),
    ("SequenceStartsWith", [1, 2], (1, 2, 3)),
    ("ContainsSubsequence", [1, 2, 3], [1, 3]),
    ("ContainsExactSubsequence", [1, 2, 3], [2, 3]),
    ("SequenceAlmostEqual", [1.0, NAN], [1.0 + 1e-9, NAN]),
    ("DictAlmostEqual", {"a": 1.0}, {"a": 1.0 + 1e-9}),
    ("SameStructure", {"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}),
    ("TotallyOrdered", [1, 1.0], [2], [3]),
]
FAIL: list[tuple[Any, ...]] = [
    ("AllGreaterEqual", [1, 2], 2),
    ("AllLessEqual", [1, 2], 1),
    ("NotAllEqual", [1, 2], [1, 2]),
    ("AllInRange", ["a"], 0, 3),
    ("AllGreater", [True], 0),
    ("DeviceEqual", "/cpu:0", "/cpu:1"),
    ("AllClose", [{"a": 1.0}], [{"a": 2.0}]),
    ("NotStartsWith", "abc", "ab"),
    ("NotEndsWith", "abc", "bc"),
    ("RegexMatch", "abc", ["x", "y"]),
    ("SequenceStartsWith", [2], [1, 2]),
    ("SequenceStartsWith", [], [1]),
    ("ContainsSubsequence", [1, 2, 3], [3, 1]),
    ("ContainsExactSubsequence", [1, 2, 3], [1, 3]),
    ("SequenceAlmostEqual", [1.0], [1.1]),
    ("SequenceAlmostEqual", [1.0], [1.0, 2.0]),
    ("DictAlmostEqual", {"a": 1.0}, {"b": 1.0}),
    ("SameStructure", [1], [2]),
    ("TotallyOrdered", [1], [1]),
]


@pytest.mark.parametrize("row", HOLD, ids=lambda row: row[0])
def test_what_holds(case: td.test.TestCase, row: tuple[Any, ...]) -> None:
    getattr(case, f"assert{row[0]}")(*row[1:])


@pytest.mark.parametrize("row", FAIL, ids=lambda row: row[0])
def test_what_does_not(case: td.test.TestCase, row: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        getattr(case, f"assert{row[0]}")(*row[1:])


def test_what_cannot_be_compared(case: td.test.TestCase) -> None:
    with pytest.raises(ValueError, match="Can't compare dict to non-dict"):
        case.assertAllClose({"a": 1.0}, [1.0])
    with pytest.raises(TypeError, match=re.escape("expected an array or a Tensor, got [1]")):
        case.assertShapeEqual([1], np.zeros(1))


def test_other_errors_than_the_expected_one_are_failures(case: td.test.TestCase) -> None:
    with (
        pytest.raises(AssertionError, match="Exception of type <class 'TypeError'>: other"),
        case.assertRaisesWithPredicateMatch(ValueError, "one"),
    ):
        raise TypeError("other")
    with case.assertRaisesIncompatibleShapesError(ValueError):
        td.add([1, 2], [1, 2, 3])


def test_a_cached_session_is_that_of_its_graph(case: td.test.TestCase) -> None:
    with case.cached_session() as session:
        pass
    with case.cached_session() as again:
        assert again is session
    with pytest.raises(ValueError, match="different than the one"), case.cached_session(td.Graph()):
        pass


def test_what_is_written_to_a_stream(case: td.test.TestCase, capfd: Any) -> None:
    with capfd.disabled(), case.captureWritesToStream(sys.__stderr__) as captured:
        os.write(2, b"by number\n")
        print("by Python", file=sys.__stderr__)
        assert captured.contents() == "by number\nby Python\n"
