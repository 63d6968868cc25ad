"""Where boxes stand in a picture in which name scopes are boxes around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .layout import BOX_HEIGHT, MARGIN, Place, layered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .drawing import Drawing

_TITLE_HEIGHT = 10.0


class Cluster(NamedTuple):
    """A name scope: the last part of its name, and where it stands."""

    label: str
    place: Place


class _Item:
    """A box, or a scope with the items in it; the whole picture is a scope, too."""

    def __init__(self, parent: _Item | None, label: str = "", *, is_input: bool = False) -> None:
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.label = label
        self.is_input = is_input
        self.items: list[_Item] = []
        self.sources: dict[_Item, None] = {}
        self.place = Place(0.0, 0.0, 0.0, BOX_HEIGHT)
        if parent is not None:
            parent.items.append(self)


def clustered(drawing: Drawing, widths: Sequence[float]) -> tuple[list[Place], list[Cluster]]:
    """Places for boxes and for the name scopes around them.

    A scope is laid out by itself, and then is one box in the scope around it. A line between boxes
    of different scopes counts as one between the outermost scopes that part them; if scopes lead
    to each other in a circle, some line has to lead up.

    Args:
        drawing: the boxes and the lines.
        widths: the width of each box.

    Returns:
        The place of each box, and the scopes, each behind the one that it is in.

    Example:
        >>> from tensordraft.cli.clusters import clustered
        >>> from tensordraft.cli.drawing import Box, Drawing, Line
        >>> boxes = [Box(name, "NoOp", "op", (), "") for name in ("a", "s/b")]
        >>> places, [scope] = clustered(Drawing(boxes, [Line(0, 1, "", True)]), [40.0, 40.0])
        >>> scope.label, scope.place.y < places[1].y, places[0].y < scope.place.y
        ('s', True, True)
    """
    boxes, scopes = _items(drawing, widths)
    for line in drawing.lines:
        source, target = _parted(boxes[line.source], boxes[line.target])
        target.sources[source] = None
    for scope in reversed(scopes):
        _lay_out(scope)
    for scope in scopes:
        for item in scope.items:
            x, y, width, height = item.place
            title = _TITLE_HEIGHT if scope.parent else 0.0
            item.place = Place(scope.place.x + x, scope.place.y + y + title, width, height)
    return [box.place for box in boxes], [Cluster(item.label, item.place) for item in scopes[1:]]


def _items(drawing: Drawing, widths: Sequence[float]) -> tuple[list[_Item], list[_Item]]:
    """The boxes, and the scopes, each behind the one that it is in."""
    boxes: list[_Item] = []
    root = _Item(None)
    known: dict[tuple[_Item, str], _Item] = {}
    for box, width in zip(drawing.boxes, widths, strict=True):
        scope = root
        for label in box.scope.split("/") if box.scope else ():
            if (scope, label) not in known:
                known[scope, label] = _Item(scope, label)
            scope = known[scope, label]
        item = _Item(scope, is_input=box.kind == "input")
        item.place = Place(0.0, 0.0, width, BOX_HEIGHT)
        boxes.append(item)
    return boxes, [root, *known.values()]


def _parted(a: _Item, b: _Item) -> tuple[_Item, _Item]:
    """Of all that `a` and `b` are in, and themselves, the two that are in the same scope."""
    while a.parent is not b.parent:
        if a.depth >= b.depth and a.parent is not None:
            a = a.parent
        elif b.parent is not None:
            b = b.parent
    return a, b


def _lay_out(scope: _Item) -> None:
    """Places the items of a scope in relation to it, and makes it as large as they need."""
    items = _in_order(scope.items)
    numbers = {item: i for i, item in enumerate(items)}
    places = layered(
        [item.place.width for item in items],
        [
            (numbers[source], i)
            for i, item in enumerate(items)
            for source in item.sources
            if numbers[source] < i
        ],
        {i for i, item in enumerate(items) if item.is_input},
        [item.place.height for item in items],
    )
    for item, place in zip(items, places, strict=True):
        item.place = place
    scope.is_input = any(item.is_input for item in items)
    width = max((place.x + place.width for place in places), default=0.0) + MARGIN
    height = max((place.y + place.height for place in places), default=0.0) + MARGIN
    scope.place = Place(0.0, 0.0, width, height + _TITLE_HEIGHT)


def _in_order(items: list[_Item]) -> list[_Item]:
    """The items, each behind its sources, unless they lead to each other in a circle."""
    placed: dict[_Item, None] = {}
    visited: set[_Item] = set()
    for start in reversed(items):
        pending = [start]
        while pending:
            item = pending[-1]
            if item in visited:
                placed[pending.pop()] = None
                continue
            visited.add(item)
            pending += [source for source in reversed(item.sources) if source not in visited]
    return list(placed)
