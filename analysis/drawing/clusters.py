"""Layout of boxes in a picture whose name scopes are boxes around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .drawing import Drawing
from .layout import BOX_HEIGHT, MARGIN, Edge, Layout, Place, layered

if TYPE_CHECKING:
    from .layout import Point

    Side = tuple[str, int]

_TITLE_HEIGHT = 10.0


class Cluster(NamedTuple):
    """A name scope: its name and position."""

    name: str
    place: Place

    @property
    def label(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("/")[2]


class _Item:
    """A box, or a scope with the items in it; the whole picture is a scope, too.

    The lines within a scope go from item to item, or to its upper or lower side, from where they
    continue outside: `("top", n)` is where those of box `n` cross the upper one.
    """

    def __init__(self, parent: _Item | None, label: str = "", *, is_input: bool = False) -> None:
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.name: str = label if parent is None or not parent.name else f"{parent.name}/{label}"
        self.is_input = is_input
        self.items: list[_Item] = []
        self.sources: dict[_Item, None] = {}
        self.numbers: dict[_Item, int] = {}
        self.pieces: dict[tuple[_Item | Side, _Item | Side, int], list[Point]] = {}
        self.ports: dict[Side, float] = {}
        self.place = Place(0.0, 0.0, 0.0, BOX_HEIGHT)
        if parent is not None:
            parent.items.append(self)


class Picture(NamedTuple):
    """The places of boxes, the scopes, each behind the one that it is in, and the lines' points."""

    places: list[Place]
    clusters: list[Cluster]
    routes: list[list[Point]]


# Layouts of scopes, by what they follow from.
Known = dict[tuple[object, ...], Layout]


def clustered(drawing: Drawing, widths: Sequence[float], known: Known | None = None) -> Picture:
    """Places for boxes and for the name scopes around them, and ways for the lines.

    A scope is laid out by itself, and then is one box in the scope around it. A line between boxes
    of different scopes is one between the outermost scopes that part them, and continues inside of
    both; if scopes lead to each other in a circle, some line has to lead up.

    Args:
        drawing: the boxes and the lines.
        widths: the width of each box.
        known: layouts of scopes that are known, and get to be.

    Returns:
        The picture. A line passes no box, and no scope that has neither of its ends in it.

    Example:
        >>> from tensordraft.analysis.drawing.clusters import clustered
        >>> from tensordraft.analysis.drawing.drawing import Box, Drawing, Line
        >>> boxes = [Box(name, "NoOp", "op", (), "") for name in ("a", "s/b")]
        >>> picture = clustered(Drawing(boxes, [Line(0, 1, "", True)]), [40.0, 40.0])
        >>> (a, b), [scope] = picture.places, picture.clusters
        >>> scope.label, scope.place.y < b.y, a.y < scope.place.y
        ('s', True, True)
    """
    boxes, scopes = _items(drawing, widths)
    for line in drawing.lines:
        source, target = _parted(boxes[line.source], boxes[line.target])
        target.sources[source] = None
    for scope in scopes:
        scope.numbers = {item: i for i, item in enumerate(_in_order(scope.items))}
    ways = [_way(boxes[line.source], boxes[line.target], line.source) for line in drawing.lines]
    for scope in reversed(scopes):
        _lay_out(scope, {} if known is None else known)
    for scope in scopes:
        title = _TITLE_HEIGHT if scope.parent else 0.0
        left, top = scope.place.x, scope.place.y + title
        for item in scope.items:
            x, y, width, height = item.place
            item.place = Place(left + x, top + y, width, height)
        for key, points in scope.pieces.items():
            scope.pieces[key] = [(left + x, top + y) for x, y in points]
    routes = []
    for upwards, way in ways:
        parts = [scope.pieces[key] for scope, key in way]
        routes.append([point for part in parts for point in (part[::-1] if upwards else part)])
    clusters = [Cluster(item.name, item.place) for item in scopes[1:]]
    return Picture([box.place for box in boxes], clusters, routes)


Way = tuple[bool, "list[tuple[_Item, tuple[_Item | Side, _Item | Side, int]]]"]


def _way(source: _Item, target: _Item, number: int) -> Way:
    """The pieces of a line, one in each scope that it is in, and whether it leads up."""
    first, last = _parted(source, target)
    around = _scope_of(first)
    upwards = around.numbers[first] > around.numbers[last]
    near, far = ("top", "bottom") if upwards else ("bottom", "top")
    way: list[tuple[_Item, tuple[_Item | Side, _Item | Side]]] = []
    item = source
    while item is not first:
        scope = _scope_of(item)
        way.append((scope, (item, (near, number))))
        item = scope
    way.append((around, (first, last)))
    inside: list[tuple[_Item, tuple[_Item | Side, _Item | Side]]] = []
    item = target
    while item is not last:
        scope = _scope_of(item)
        inside.append((scope, ((far, number), item)))
        item = scope
    pieces = []
    for scope, (a, b) in [*way, *inside[::-1]]:
        key = (b, a, number) if upwards else (a, b, number)
        scope.pieces.setdefault(key, [])
        pieces.append((scope, key))
    return upwards, pieces


def _scope_of(item: _Item) -> _Item:
    return item if item.parent is None else item.parent


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
    """Returns the ancestors of `a` and `b`, or themselves, that are in the same scope."""
    while a.parent is not b.parent:
        if a.depth >= b.depth and a.parent is not None:
            a = a.parent
        elif b.parent is not None:
            b = b.parent
    return a, b


def _lay_out(scope: _Item, known: Known) -> None:
    """Places the items of a scope in relation to it, and makes it as large as they need."""
    ends = dict.fromkeys(end for upper, lower, _ in scope.pieces for end in (upper, lower))
    sides = [end for end in ends if isinstance(end, tuple)]
    tops = [side for side in sides if side[0] == "top"]
    bottoms = [side for side in sides if side[0] == "bottom"]
    items = list(scope.numbers)
    order: list[_Item | Side] = [*tops, *items, *bottoms]
    numbers = {end: i for i, end in enumerate(order)}
    edges = [
        Edge(
            numbers[upper],
            numbers[lower],
            0.0 if isinstance(upper, tuple) else upper.ports.get(("bottom", number), 0.0),
            0.0 if isinstance(lower, tuple) else lower.ports.get(("top", number), 0.0),
        )
        for upper, lower, number in scope.pieces
    ]
    inner = range(len(tops), len(tops) + len(items))
    given = (
        tuple([0.0] * len(tops) + [item.place.width for item in items] + [0.0] * len(bottoms)),
        tuple(edges),
        tuple([i for i, item in zip(inner, items, strict=True) if item.is_input]),
        tuple([0.0] * len(tops) + [item.place.height for item in items] + [0.0] * len(bottoms)),
        range(len(tops)),
        range(inner.stop, inner.stop + len(bottoms)),
    )
    if given not in known:
        known[given] = layered(*given)
    places, routes = known[given]
    for i, item in zip(inner, items, strict=True):
        item.place = places[i]
    scope.is_input = any(item.is_input for item in items)
    width = max((place.x + place.width for place in places), default=0.0) + MARGIN
    height = max((place.y + place.height for place in places), default=0.0) + MARGIN
    scope.place = Place(0.0, 0.0, width, height + _TITLE_HEIGHT)
    for (upper, lower, number), points in zip(scope.pieces, routes, strict=True):
        above = [(points[0][0], -_TITLE_HEIGHT)] if isinstance(upper, tuple) else []
        below = [(points[-1][0], height)] if isinstance(lower, tuple) else []
        scope.pieces[upper, lower, number] = [*above, *points, *below]
    for side in sides:
        scope.ports[side] = places[numbers[side]].x - width / 2


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
