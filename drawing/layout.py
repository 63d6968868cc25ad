"""Where boxes and lines run in a picture: in layers, in an order with few crossings.

A line that passes layers has a wire in each of them, which takes its place among the boxes; so no
line runs under a box. Between layers lines bend, where nothing stands. (Sugiyama and others,
"Methods for visual understanding of hierarchical system structures", 1981.)
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    Point = tuple[float, float]

BOX_HEIGHT, MARGIN = 34.0, 12.0
_GAP_X, _GAP_Y, _GAP_SIDE = 16.0, 44.0, 20.0
_WIRE, _WIRE_GAP = 2.0, 7.0
_SWEEPS, _STRAIGHTENING = 6, 12
_MOST_WIRES = 50_000


class Place(NamedTuple):
    """A box: its left upper corner and its size, in pixels."""

    x: float
    y: float
    width: float
    height: float


class Edge(NamedTuple):
    """A line from the lower side of a box to the upper side of a later one.

    Args:
        upper: the number of the first box.
        lower: that of the second.
        out: where it leaves the first, from the middle of its side.
        into: where it comes into the second.
    """

    upper: int
    lower: int
    out: float = 0.0
    into: float = 0.0


class Layout(NamedTuple):
    """The places of boxes, and the points that each line passes: down within layers."""

    places: list[Place]
    routes: list[list[Point]]


def layered(
    widths: Sequence[float],
    edges: Sequence[Edge],
    inputs: Collection[int] = (),
    heights: Sequence[float] | None = None,
    tops: Collection[int] = (),
    bottoms: Collection[int] = (),
) -> Layout:
    """Places for boxes, each below those that lead to it, and ways for the lines between them.

    Args:
        widths: the width of each box; they are in an order in which sources come first.
        edges: the lines.
        inputs: the boxes that stand at the top; one that none of them leads to stands as near as
            may be to where it leads.
        heights: the height of each box; by default that of one with two lines of text.
        tops: the boxes that have the first layer to themselves.
        bottoms: those that have the last one.

    Returns:
        The place of each box, and the points of each line. Lines from one side of a box share
        their way as far as they can.

    Example:
        >>> from tensordraft.drawing.layout import Edge, layered
        >>> places, [route, _] = layered([40, 40, 40], [Edge(0, 1), Edge(1, 2)])
        >>> [place.y for place in places], route
        ([12.0, 90.0, 168.0], [(32.0, 46.0), (32.0, 46.0), (32.0, 90.0)])
    """
    heights = heights or [BOX_HEIGHT] * len(widths)
    depths = _depths(len(widths), edges, inputs, tops, bottoms)
    sizes = list(widths)
    wires = _wires(edges, depths, sizes)
    layers: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for i, depth in enumerate(depths):
        layers[depth].append(i)
    centres = _centres(layers, sizes, len(widths), _links(edges, depths, wires))
    tallest = [max((heights[i] for i in layer if i < len(widths)), default=0.0) for layer in layers]
    starts = [MARGIN]
    for i, (layer, height) in enumerate(zip(layers, tallest, strict=True)):
        at_side = (tops and i == 0) or (bottoms and i == len(layers) - 2)
        gap = _GAP_SIDE if at_side else _GAP_Y
        starts.append(starts[-1] + (height + gap if layer else 0.0))
    places = [
        Place(centres[i] - widths[i] / 2, starts[depths[i]], widths[i], heights[i])
        for i in range(len(widths))
    ]
    routes = []
    for edge in edges:
        upper, end = places[edge.upper], depths[edge.upper]
        x = centres[edge.upper] + edge.out
        points = [(x, upper.y + upper.height), (x, upper.y + tallest[end])]
        for depth, wire in _passed(edge, depths, wires):
            x = centres[wire]
            points += [(x, starts[depth]), (x, starts[depth] + tallest[depth])]
        points.append((centres[edge.lower] + edge.into, places[edge.lower].y))
        routes.append(points)
    return Layout(places, routes)


def _depths(
    number: int,
    edges: Sequence[Edge],
    inputs: Collection[int],
    tops: Collection[int],
    bottoms: Collection[int],
) -> list[int]:
    """The layer of each box."""
    sources: list[list[int]] = [[] for _ in range(number)]
    targets: list[list[int]] = [[] for _ in range(number)]
    for edge in edges:
        sources[edge.lower].append(edge.upper)
        targets[edge.upper].append(edge.lower)
    first, high = (0, set(tops)) if not tops else (1, set(tops))
    depths = [0] * number
    follows = [i in inputs or i in high for i in range(number)]
    for i, before in enumerate(sources):
        least = 0 if i in high else first
        depths[i] = max([depths[source] + 1 for source in before], default=least)
        follows[i] = follows[i] or any(follows[source] for source in before)
    for i in reversed(range(number)):
        after = [target for target in targets[i] if target not in bottoms]
        if after and not follows[i]:
            depths[i] = min(depths[target] for target in after) - 1
    last = max((depths[i] for i in range(number) if i not in bottoms), default=-1)
    for i in bottoms:
        depths[i] = last + 1
    return depths


def _wires(
    edges: Sequence[Edge], depths: list[int], sizes: list[float]
) -> dict[tuple[int, float], list[int]]:
    """Wires for the lines that pass layers, by where they begin: one in each layer.

    They are put behind the boxes. Where there would be too many, lines go straight.
    """
    last: dict[tuple[int, float], int] = {}
    for edge in edges:
        start = edge.upper, edge.out
        last[start] = max(last.get(start, 0), depths[edge.lower])
    wires = {start: end - depths[start[0]] - 1 for start, end in last.items()}
    if sum(wires.values()) > _MOST_WIRES:
        return {}
    made: dict[tuple[int, float], list[int]] = {}
    for (upper, out), count in wires.items():
        made[upper, out] = list(range(len(sizes), len(sizes) + count))
        sizes += [_WIRE] * count
        depths += range(depths[upper] + 1, depths[upper] + 1 + count)
    return made


def _passed(
    edge: Edge, depths: Sequence[int], wires: dict[tuple[int, float], list[int]]
) -> list[tuple[int, int]]:
    """The layers that a line passes, with its wires there."""
    start = depths[edge.upper] + 1
    passed = wires.get((edge.upper, edge.out), [])[: depths[edge.lower] - start]
    return list(enumerate(passed, start))


Link = tuple[int, float, float]


def _links(
    edges: Sequence[Edge], depths: Sequence[int], wires: dict[tuple[int, float], list[int]]
) -> tuple[list[list[Link]], list[list[Link]]]:
    """What each box and wire hangs on above and below: its number, and where on both sides."""
    above: list[list[Link]] = [[] for _ in depths]
    below: list[list[Link]] = [[] for _ in depths]
    seen: set[tuple[int, int, float, float]] = set()
    for edge in edges:
        chain = [edge.upper, *[wire for _, wire in _passed(edge, depths, wires)], edge.lower]
        for i, (a, b) in enumerate(pairwise(chain)):
            # Boxes stand below the middle of each other: by their sides, scopes would drift away.
            out = edge.out if i == 0 and len(chain) > 2 else 0.0
            into = edge.into if i == len(chain) - 2 and len(chain) > 2 else 0.0
            if (a, b, out, into) not in seen:
                seen.add((a, b, out, into))
                below[a].append((b, into, out))
                above[b].append((a, out, into))
    return above, below


def _centres(
    layers: list[list[int]],
    sizes: Sequence[float],
    boxes: int,
    links: tuple[list[list[Link]], list[list[Link]]],
) -> list[float]:
    """Where the middle of each box and wire is; layers come into their order."""
    centres = [0.0] * len(sizes)
    for layer in layers:
        _spread(layer, sizes, boxes, centres, [0.0] * len(layer))
    for sweep in range(_SWEEPS):
        near, order = (links[1], layers[::-1]) if sweep % 2 else (links[0], layers)
        for layer in order:
            wished = [_mean(near[i], centres, centres[i]) for i in layer]
            ranked = sorted(zip(wished, layer, strict=True))
            layer[:] = [i for _, i in ranked]
            _spread(layer, sizes, boxes, centres, [wish for wish, _ in ranked])
    # The order stands; now lines become as straight as it allows, from both ends at once.
    both = [[*above, *below] for above, below in zip(*links, strict=True)]
    for sweep in range(_STRAIGHTENING):
        for layer in layers[::-1] if sweep % 2 else layers:
            wished = [_mean(both[i], centres, centres[i]) for i in layer]
            _spread(layer, sizes, boxes, centres, wished)
    left = min(
        (centre - size / 2 for centre, size in zip(centres, sizes, strict=True)), default=0.0
    )
    return [centre - left + MARGIN for centre in centres]


def _mean(links: list[Link], centres: list[float], otherwise: float) -> float:
    if not links:
        return otherwise
    return sum(centres[i] + there - here for i, there, here in links) / len(links)


def _spread(
    layer: list[int],
    sizes: Sequence[float],
    boxes: int,
    centres: list[float],
    wished: Sequence[float],
) -> None:
    """Puts what is in a layer side by side, as near as may be to where it wishes to be.

    Whatever stands too close is put together to a group, whose middle is where the mean of the
    wishes of its members is, until no group touches another.
    """
    groups: list[tuple[float, float, list[float]]] = []  # start, end, where each member wants it
    before = None
    for i, wish in zip(layer, wished, strict=True):
        gap = _WIRE_GAP if i >= boxes and before is not None and before >= boxes else _GAP_X
        start, end, wants = wish - sizes[i] / 2, wish + sizes[i] / 2, [wish - sizes[i] / 2]
        while groups and groups[-1][1] + gap > start:
            first, last, others = groups.pop()
            step = last + gap - first  # from the start of that group to here
            wants = [*others, *[want - step for want in wants]]
            width = step + end - start
            start = sum(wants) / len(wants)
            end = start + width
            gap = _GAP_X
        groups.append((start, end, wants))
        before = i
    members = iter(layer)
    for start, _, wants in groups:
        at, before = start, None
        for _ in wants:
            i = next(members)
            if before is not None:
                at += _WIRE_GAP if i >= boxes and before >= boxes else _GAP_X
            centres[i] = at + sizes[i] / 2
            at += sizes[i]
            before = i
