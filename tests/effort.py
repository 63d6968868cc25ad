"""Amount of work of a test: a fixed sample in an ordinary run, everything in a soak."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import settings

_ORDINARY = 100  # Hypothesis's own number of examples


def examples(number: int, **more: Any) -> settings:
    """Settings of a property test that tries `number` examples, or many times that in a soak."""
    profile = settings()
    return settings(max_examples=number * profile.max_examples // _ORDINARY, **more)


def sample(rows: Iterable[Any], number: int) -> list[Any]:
    """The rows of a large product as parameters, of which an ordinary run tries `number`.

    Which ones these are depends on how many rows there are, and on nothing else.
    """
    every = list(rows)
    kept = set(Random(len(every)).sample(range(len(every)), min(number, len(every))))
    return [
        row if i in kept else pytest.param(*_values(row), marks=pytest.mark.soak)
        for i, row in enumerate(every)
    ]


def some(number: int, most: int) -> list[int]:
    """The numbers below `number`, of which an ordinary run tries at most `most`, spread evenly."""
    step = 1 if settings().max_examples > _ORDINARY else -(-number // most)
    return list(range(0, number, step))


def _values(row: Any) -> tuple[Any, ...]:
    return row if isinstance(row, tuple) else (row,)
