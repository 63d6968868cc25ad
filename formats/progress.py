"""Telling how far something has come that may take long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called now and then, with what is counted, how much of it is done, and how much there is."""

Item = TypeVar("Item")

_ITEMS_A_REPORT = 1_000


def reported(
    items: Iterable[Item], what: str, progress: Progress | None, number: int
) -> Iterable[Item]:
    """Iterates over `number` items; reports to `progress` before every thousand of them.

    Example:
        >>> from tensordraft.formats.progress import reported
        >>> list(reported("ab", "letters", print, 2))
        letters 0 2
        ['a', 'b']
    """
    return items if progress is None else _reported(items, what, progress, number)


def _reported(items: Iterable[Item], what: str, progress: Progress, number: int) -> Iterator[Item]:
    for done, item in enumerate(items):
        if done % _ITEMS_A_REPORT == 0:
            progress(what, done, number)
        yield item
