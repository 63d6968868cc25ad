"""Words of messages: names that are like one that does not exist, and numbers of things."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_COMPARED = 20_000


def meant(name: str, known: Iterable[str], before: str = "; ") -> str:
    """`; did you mean 'this'?`, or nothing where no known name is like it.

    Args:
        name: the name that does not exist.
        known: those that do; of very many, the first are compared.
        before: what stands before the question.
    """
    compared = [item for item, _ in zip(known, range(_MOST_COMPARED), strict=False)]
    lower = {item.lower(): item for item in compared}
    found = lower.get(name.lower())
    if found is None:
        alike = get_close_matches(name, compared, n=1, cutoff=0.7)
        found = alike[0] if alike else None
    return "" if found is None else f"{before}did you mean {found!r}?"


def counted(number: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `1,000 nodes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
