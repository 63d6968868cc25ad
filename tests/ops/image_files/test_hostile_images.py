"""Damaged files of images end in errors of ours, and in no other way."""

from __future__ import annotations

import random

import effort
import pytest
from hostile_images import Reader, damaged, seeds
from hypothesis import given, strategies as st

SEEDS = [*seeds()]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@effort.examples(100)
@given(number=st.integers(0, len(SEEDS) - 1), seed=st.integers(0, 2**32))
def test_damage_is_named(reader: Reader, number: int, seed: int) -> None:
    reader.drive(damaged(SEEDS[number], random.Random(seed)))


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_every_cut_is_survived(reader: Reader, number: int) -> None:
    data = SEEDS[number]
    for end in range(0, len(data), max(len(data) // 40, 1)):
        reader.drive(data[:end])
