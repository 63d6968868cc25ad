"""Exact messages for a hundred mistakes; the table reads well from top to bottom."""

from __future__ import annotations

import pytest
from mistake_table import Mistake, mistake, parts, said

MISTAKES = [found for part in parts() if (found := mistake(part)) is not None]


@pytest.mark.parametrize("item", MISTAKES, ids=[item.code for item in MISTAKES])
def test_what_is_said_to_a_mistake(item: Mistake) -> None:
    assert said(item.code) == item.message


def test_the_table_is_long_and_speaks_no_other_language() -> None:
    assert len(MISTAKES) >= 100
    assert len({item.code for item in MISTAKES}) == len(MISTAKES)
    for item in MISTAKES:
        for foreign in ("NoneType' object", "object is not", "site-packages", "(nothing)"):
            assert foreign not in item.message, item
