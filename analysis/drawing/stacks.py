"""Scopes that repeat: `block_1 … block_16`, which hold the same and lead one to the next."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from .drawing import Box, Drawing, Line

_FEWEST = 3  # scopes in a stack
_NUMBERS = re.compile(r"_?\d+")
_OWN = re.compile(r"(_.*|seed2?|container|shared_name) = ")  # attrs that tell copies apart


class Stack(NamedTuple):
    """Scopes of the same structure, each of which leads to the next.

    Args:
        scopes: their names, in this order.
    """

    scopes: tuple[str, ...]

    @property
    def name(self) -> str:
        """`encoder/block_1 … block_16`."""
        return f"{self.scopes[0]} … {self.scopes[-1].rpartition('/')[2]}"


def stacks_of(drawing: Drawing, apart: Iterable[str] = ()) -> list[Stack]:
    """The stacks in a picture; inner stacks follow outer ones.

    Scopes are of the same structure if they hold ops of the same types, attrs and results in the
    same order, lines between the same of them, and scopes of which that is true; and if their
    names differ only in numbers. What surrounds a stack neither reads one of its scopes nor
    leads to a later one of them.

    Args:
        drawing: the picture; scopes are open.
        apart: names of ops whose scopes belong to no stack.

    Example:
        >>> from tensordraft.analysis.drawing.drawing import Box, Drawing, Line
        >>> from tensordraft.analysis.drawing.stacks import stacks_of
        >>> boxes = [Box(f"net/block_{i}/{op}", op, "op", (), "") for i in range(9) for op in "ab"]
        >>> lines = [Line(i, i + 1, "", False) for i in range(17)]
        >>> [stack.name for stack in stacks_of(Drawing(boxes, lines))]
        ['net/block_0 … block_8']
    """
    tree = _Tree(drawing)
    single = {scope for name in apart for scope in scopes_around(name.rpartition("/")[0])}
    return [stack for scope in tree.scopes for stack in tree.stacks(scope, single)]


def scopes_around(scope: str) -> list[str]:
    """A scope, and all that it is in, the outermost first."""
    parts = scope.split("/") if scope else []
    return ["/".join(parts[:i]) for i in range(1, len(parts) + 1)]


Item = str | int  # a scope, or the number of a box
_Structure = tuple[object, ...]


class _Tree:
    """The scopes of a picture, their contents, and the structure of the contents."""

    def __init__(self, drawing: Drawing) -> None:
        self.items: dict[str, dict[Item, None]] = {"": {}}
        ways = {
            scope: ["", *scopes_around(scope)] for scope in {box.scope for box in drawing.boxes}
        }
        self._way = [ways[box.scope] for box in drawing.boxes]
        members: dict[str, dict[int, int]] = {"": {}}
        for i, way in enumerate(self._way):
            for outer, inner in pairwise(way):
                self.items[outer][inner] = None
                self.items.setdefault(inner, {})
            self.items[way[-1]][i] = None
            for scope in way:
                numbers = members.setdefault(scope, {})
                numbers[i] = len(numbers)
        self.scopes = [*self.items]
        self.behind: dict[str, dict[Item, dict[Item, None]]] = {}
        self._before: dict[Item, set[Item]] = {}
        inner_lines: dict[str, list[tuple[object, ...]]] = {}
        for line in drawing.lines:
            scope, source, target = self._parted(line)
            self.behind.setdefault(scope, {}).setdefault(source, {})[target] = None
            self._before.setdefault(target, set()).add(source)
            numbers = members[scope]
            inner_lines.setdefault(scope, []).append(
                (numbers[line.source], numbers[line.target], line.label, line.control)
            )
        self.structures: dict[str, int] = {}
        known: dict[_Structure, int] = {}
        for scope in reversed(self.scopes):  # what is in a scope comes behind it
            inside: list[object] = [
                (_stem(item), self.structures[item])
                if isinstance(item, str)
                else _signature(drawing.boxes[item])
                for item in self.items[scope]
            ]
            structure = (*inside, *sorted(inner_lines.get(scope, ()), key=str))
            self.structures[scope] = known.setdefault(structure, len(known))

    def _parted(self, line: Line) -> tuple[str, Item, Item]:
        """The innermost common scope of both ends of a line, and its items that hold the ends."""
        a: list[Item] = [*self._way[line.source], line.source]
        b: list[Item] = [*self._way[line.target], line.target]
        common = 0
        while common < min(len(a), len(b)) - 1 and a[common] == b[common]:
            common += 1
        return str(a[common - 1]), a[common], b[common]

    def stacks(self, scope: str, single: Collection[str]) -> list[Stack]:
        """The stacks of scopes right in a scope."""
        behind = self.behind.get(scope, {})
        place = self._places(scope)
        kinds = {
            item: (_stem(item), self.structures[item])
            for item in self.items[scope]
            if isinstance(item, str) and item not in single and self._holds_more_than_one(item)
        }
        stacks: list[Stack] = []
        used: set[str] = set()
        for first, kind in kinds.items():
            if first in used:
                continue
            chain = {first: None}
            last = first
            reached = _Reached(first, behind, place)
            while True:
                scopes = [item for item in behind.get(last, ()) if isinstance(item, str)]
                alike = {item for item in scopes if kinds.get(item) == kind}
                following = min(alike - used - chain.keys(), key=place.__getitem__, default=None)
                if following is None:
                    break
                if reached.before(following) & self._before[following] - chain.keys():
                    break
                chain[following] = None
                last = following
                used.add(following)
            if len(chain) >= _FEWEST:
                stacks.append(Stack(tuple(chain)))
        return stacks

    def _places(self, scope: str) -> dict[Item, int]:
        """A topological order of the items of a scope, if there is one."""
        behind = self.behind.get(scope, {})
        first = {item: i for i, item in enumerate(self.items[scope])}
        waiting = {item: len(self._before.get(item, ())) for item in first}
        ready = [(i, item) for item, i in first.items() if not waiting[item]]
        places: dict[Item, int] = {}
        while ready:
            _, item = heappop(ready)
            places[item] = len(places)
            for target in behind.get(item, ()):
                waiting[target] -= 1
                if not waiting[target]:
                    heappush(ready, (first[target], target))
        for item in first:
            places.setdefault(item, len(places))  # they lead to each other in a circle
        return places

    def _holds_more_than_one(self, scope: str) -> bool:
        return len(self.items[scope]) > 1 or isinstance(next(iter(self.items[scope])), str)


class _Reached:
    """Items reachable from the first scope of a chain, searched lazily."""

    def __init__(
        self, first: Item, behind: dict[Item, dict[Item, None]], place: dict[Item, int]
    ) -> None:
        self._behind, self._place = behind, place
        self._found = {first}
        self._pending = [(place[first], first)]

    def before(self, item: Item) -> set[Item]:
        """A superset of the reached items that may lead to an item."""
        while self._pending and self._pending[0][0] < self._place[item]:
            _, at = heappop(self._pending)
            for target in self._behind.get(at, ()):
                if target not in self._found:
                    self._found.add(target)
                    heappush(self._pending, (self._place[target], target))
        return self._found


def _stem(scope: str) -> str:
    """The last part of a name without its numbers."""
    return _NUMBERS.sub("", scope.rpartition("/")[2])


def _signature(box: Box) -> tuple[object, ...]:
    """Key that equal boxes have in common."""
    attrs = tuple(attr for attr in box.attrs if not _OWN.match(attr))
    return box.op, box.kind == "input", box.types, attrs
