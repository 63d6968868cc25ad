"""The general categories of Unicode, as in regular expressions: `L`, `Lu` and so on."""

from __future__ import annotations

import functools
import sys
import unicodedata
from itertools import groupby, pairwise

_MOST = sys.maxunicode


def members(name: str, *, negated: bool) -> str:
    """What is written between the brackets of Python's `[...]` for a category, or all but it.

    Raises:
        KeyError: there is no such category.
    """
    ranges = _categories()[name]
    if negated:
        edges = [(-1, -1), *ranges, (_MOST + 1, _MOST + 1)]
        gaps = [(before + 1, after - 1) for (_, before), (after, _) in pairwise(edges)]
        ranges = [(first, last) for first, last in gaps if first <= last]
    return "".join(rf"\U{first:08x}-\U{last:08x}" for first, last in ranges)


@functools.cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    """The first and last code points of the runs in each category, of one letter or of two."""
    names = [unicodedata.category(chr(code)) for code in range(_MOST + 1)]
    found: dict[str, list[tuple[int, int]]] = {"Any": [(0, _MOST)]}
    for letters in (1, 2):
        # Unassigned characters, Cn, are in no category.
        at = 0
        for name, run in groupby("" if name == "Cn" else name[:letters] for name in names):
            first, at = at, at + sum(1 for _ in run)
            found.setdefault(name, []).append((first, at - 1))
    del found[""]
    return found
