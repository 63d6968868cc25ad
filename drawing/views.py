"""What a page shows of a graph: the whole with deep scopes closed, and each scope by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .simplified import closed, outer_scope, part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .drawing import Box, Drawing

_MOST_BOXES = 60  # where scopes can still be closed
_FEWEST_BOXES = 6  # of a view that tells something
_MOST_OPENED = 400
_MOST_OUTSIDE = 24
_DEEPEST = 8


def views(drawing: Drawing) -> Iterator[tuple[str, Drawing]]:
    """The views of a page, by the name of the scope; that of the whole is "".

    A view shows what is in a scope, and what outside of it leads there or is led to from there.
    As many scopes in it are open as leaves room to read.

    Args:
        drawing: the whole picture.
    """
    members: dict[str, list[int]] = {"": list(range(len(drawing.boxes)))}
    for i, box in enumerate(drawing.boxes):
        for scope in _scopes(box):
            members.setdefault(scope, []).append(i)
    near: list[list[int]] = [[] for _ in drawing.boxes]
    for line in drawing.lines:
        near[line.source].append(line.target)
        near[line.target].append(line.source)
    for scope, inside in members.items():
        around = {i for member in inside for i in near[member]} - set(inside) if scope else set()
        yield scope, _view(drawing, scope, inside, around)


def _view(drawing: Drawing, scope: str, inside: list[int], around: set[int]) -> Drawing:
    """A scope, and the boxes around it that it has lines to."""
    outside = {_outside(drawing.boxes[i], scope) or drawing.boxes[i].name for i in around}
    kept = sorted([*inside, *around]) if len(outside) <= _MOST_OUTSIDE else inside
    whole = part(drawing, kept)
    members = set(inside)
    base = scope.count("/") + 1 if scope else 0

    def at(depth: int) -> Drawing:
        scopes = [
            outer_scope(box, base + depth) if i in members else _outside(box, scope)
            for i, box in zip(kept, whole.boxes, strict=True)
        ]
        return closed(whole, scopes)

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


def _outside(box: Box, scope: str) -> str | None:
    """The scope that is closed around a box outside of another scope, so that both are seen."""
    common = 0
    parts, others = box.scope.split("/") if box.scope else [], scope.split("/")
    while common < min(len(parts), len(others)) and parts[common] == others[common]:
        common += 1
    return "/".join(parts[: common + 1]) if len(parts) > common else None


def _scopes(box: Box) -> Iterator[str]:
    """The scopes that a box is in, outermost first."""
    parts = box.scope.split("/") if box.scope else []
    for number in range(1, len(parts) + 1):
        yield "/".join(parts[:number])
