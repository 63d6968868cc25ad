"""Views of a page: the whole graph with deep scopes closed, and each scope by itself."""

from __future__ import annotations

from collections.abc import Iterator

from .choice import Choice
from .drawing import Box, Drawing, Line
from .simplified import Outer, closed
from .stacks import scopes_around

_MOST_BOXES = 60  # where scopes can still be closed
_FEWEST_BOXES = 6  # of a view worth showing
_MOST_OPENED = 400
_MOST_OUTSIDE = 24
_DEEPEST = 8


def views(choice: Choice) -> Iterator[tuple[str, Drawing]]:
    """The views of a page, by the name of the scope or stack; that of the whole is "".

    A view shows what is in a scope, and what outside of it leads there or is led to from there.
    Stacks in it are closed, and as many scopes are open as leaves room to read.

    Args:
        choice: the whole picture, and how far the first view of it is open.
    """
    drawing = choice.whole
    members: dict[str, list[int]] = {"": list(range(len(drawing.boxes)))}
    stacks = {scope: stack for stack in choice.stacks for scope in stack.scopes}
    for i, box in enumerate(drawing.boxes):
        for scope in scopes_around(box.scope):
            members.setdefault(scope, []).append(i)
            if scope in stacks:
                members.setdefault(stacks[scope].name, []).append(i)
    maker = _Maker(choice)
    for scope, inside in members.items():
        yield scope, maker.view(scope, inside)


class _Maker:
    """Builder of the views of a picture."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._outer = Outer(choice.stacks)
        self._lines_to: list[list[Line]] = [[] for _ in choice.whole.boxes]
        self._near: list[list[int]] = [[] for _ in choice.whole.boxes]
        for line in choice.whole.lines:
            self._lines_to[line.target].append(line)
            self._near[line.source].append(line.target)
            self._near[line.target].append(line.source)

    def view(self, scope: str, inside: list[int]) -> Drawing:
        """A scope or stack, and the boxes around it that it has lines to."""
        boxes, choice = self._choice.whole.boxes, self._choice
        members = set(inside)
        beside = {i for member in inside for i in self._near[member]} - members
        outside = {_outside(boxes[i], scope) or boxes[i].name for i in beside}
        kept = sorted([*inside, *beside]) if len(outside) <= _MOST_OUTSIDE else inside
        whole = self._part(kept)
        base = scope or choice.scope
        least = base.count("/") + 1 if base else 0
        is_stack = scope in self._outer.stacks
        least -= is_stack
        opened = least + is_stack  # the scopes of a stack are seen one by one

        def at(depth: int) -> Drawing:
            scopes = [
                self._outer.around(box, opened, least + depth)
                if i in members
                else _outside(box, scope)
                for i, box in zip(kept, whole.boxes, strict=True)
            ]
            return closed(whole, scopes, self._outer.stacks)

        if not scope and choice.depth is not None:
            return at(choice.depth)
        found = at(0)
        for depth in range(1, _DEEPEST):
            deeper = at(depth)
            few = len(found.boxes) < _FEWEST_BOXES and len(deeper.boxes) <= _MOST_OPENED
            if len(deeper.boxes) == len(found.boxes) and found == deeper:
                break
            if len(deeper.boxes) > _MOST_BOXES and not few:
                break
            found = deeper
        return found

    def _part(self, kept: list[int]) -> Drawing:
        """Some boxes, and the lines between them."""
        numbers = {old: new for new, old in enumerate(kept)}
        lines = [
            line._replace(source=numbers[line.source], target=numbers[line.target])
            for i in kept
            for line in self._lines_to[i]
            if line.source in numbers
        ]
        return Drawing([self._choice.whole.boxes[i] for i in kept], lines)


def _outside(box: Box, scope: str) -> str | None:
    """The scope that is closed around a box outside of another scope, so that both are seen."""
    common = 0
    parts, others = box.scope.split("/") if box.scope else [], scope.split("/")
    while common < min(len(parts), len(others)) and parts[common] == others[common]:
        common += 1
    return "/".join(parts[: common + 1]) if len(parts) > common else None
