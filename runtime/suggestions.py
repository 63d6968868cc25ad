"""Words of messages: names that are like one that does not exist, and numbers of things."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_COMPARED = 20_000
_MOST_NEAREST = 3
_ALIKE = 0.7


def did_you_mean(name: str, known: Iterable[str], before: str = "; ") -> str:
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
        alike = get_close_matches(name, compared, n=1, cutoff=_ALIKE)
        found = alike[0] if alike else None
    return "" if found is None else f"{before}did you mean {found!r}?"


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'this', 'that' or 'scope/this'?`, or nothing where no known name is similar.

    Like `did_you_mean`, for names in scopes: similar names come first, then names that are equal or
    similar without their scopes.
    """
    compared = [item for item, _ in zip(known, range(_MOST_COMPARED), strict=False)]
    for item in compared:
        if item.lower() == name.lower():
            return f"; did you mean {item!r}?"
    inner: dict[str, list[str]] = {}
    for item in compared:
        inner.setdefault(_inner(item), []).append(item)
    alike = get_close_matches(name, compared, n=_MOST_NEAREST, cutoff=_ALIKE)
    places = get_close_matches(_inner(name), inner, n=_MOST_NEAREST, cutoff=_ALIKE)
    items = dict.fromkeys([*alike, *(item for place in places for item in inner[place])])
    *others, last = [repr(item) for item in items][:_MOST_NEAREST] or [""]
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"; did you mean {listed}?" if listed else ""


def _inner(name: str) -> str:
    return name.rpartition("/")[2].lower()


def pluralize(number: int, noun: str) -> str:
    """`1 node`, `2 nodes`, `1,000 nodes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
