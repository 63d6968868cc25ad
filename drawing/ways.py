"""What lies on ways along lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Node = TypeVar("Node")


def reached_from(
    start: Node, links: Mapping[Node, Iterable[Node]], steps: int | None = None
) -> set[Node]:
    """What can be reached from a box, in a number of steps."""
    reached, newest = {start}, [start]
    while newest and steps != 0:
        newest = [*dict.fromkeys(end for i in newest for end in links.get(i, ()))]
        newest = [i for i in newest if i not in reached]
        reached.update(newest)
        steps = None if steps is None else steps - 1
    return reached
