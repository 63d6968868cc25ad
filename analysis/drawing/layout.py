"""Layered layout of boxes and lines, in an order with few crossings.

A line that passes layers has a wire in each of them, which takes its place among the boxes; so no
line runs under a box. Between layers lines bend, where nothing stands. (Sugiyama and others,
"Methods for visual understanding of hierarchical system structures", 1981.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .alignment import Layers, Link, aligned

if TYPE_CHECKING:
    Point = tuple[float, float]

BOX_HEIGHT, MARGIN = 34.0, 12.0
_GAP_STRAIGHT, _GAP_BENT, _GAP_SIDE = 24.0, 44.0, 20.0  # between layers
_GAP_SHARE = 0.2  # of how far lines lead aside
_WIRE = 2.0
_SWEEPS = 6
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
    """Computes positions of boxes, each below its sources, and routes of the lines between them.

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
        >>> from tensordraft.analysis.drawing.layout import Edge, layered
        >>> places, [route, _] = layered([40, 40, 40], [Edge(0, 1), Edge(1, 2)])
        >>> [place.y for place in places], route
        ([12.0, 70.0, 128.0], [(32.0, 46.0), (32.0, 46.0), (32.0, 70.0)])
    """
    heights = heights or [BOX_HEIGHT] * len(widths)
    depths = _depths(len(widths), edges, inputs, tops, bottoms)
    sizes = list(widths)
    wires = _wires(edges, depths, sizes)
    layers: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for i, depth in enumerate(depths):
        layers[depth].append(i)
    centres = _centres(layers, sizes, len(widths), _links(edges, depths, wires, sizes))
    tallest = [max((heights[i] for i in layer if i < len(widths)), default=0.0) for layer in layers]
    ways = []  # where each line is in each layer that it is in
    bends = [0.0] * len(layers)  # how far aside the lines below a layer lead
    for edge in edges:
        passed = [(depth, centres[wire]) for depth, wire in _passed(edge, depths, wires)]
        start, end = centres[edge.upper] + edge.out, centres[edge.lower] + edge.into
        way = [(depths[edge.upper], start), *passed, (depths[edge.lower], end)]
        ways.append(way)
        for (depth, x), (_, below) in pairwise(way):
            bends[depth] = max(bends[depth], abs(below - x))
    starts = [MARGIN]
    for i, (layer, height) in enumerate(zip(layers, tallest, strict=True)):
        at_side = (tops and i == 0) or (bottoms and i == len(layers) - 2)
        gap = _GAP_SIDE if at_side else min(_GAP_STRAIGHT + bends[i] * _GAP_SHARE, _GAP_BENT)
        starts.append(starts[-1] + (height + gap if layer else 0.0))
    places = [
        Place(centres[i] - widths[i] / 2, starts[depths[i]], widths[i], heights[i])
        for i in range(len(widths))
    ]
    routes = []
    for edge, ((depth, x), *passed, (_, end)) in zip(edges, ways, strict=True):
        upper = places[edge.upper]
        points = [(x, upper.y + upper.height), (x, upper.y + tallest[depth])]
        for at, middle in passed:
            points += [(middle, starts[at]), (middle, starts[at] + tallest[at])]
        routes.append([*points, (end, places[edge.lower].y)])
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
    first, high, started = 1 if tops else 0, set(tops), set(inputs)
    depths = [0] * number
    follows = [i in started or i in high for i in range(number)]
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


def _links(
    edges: Sequence[Edge],
    depths: Sequence[int],
    wires: dict[tuple[int, float], list[int]],
    sizes: Sequence[float],
) -> tuple[list[list[Link]], list[list[Link]]]:
    """Neighbours of each box and wire in the layers above and below."""
    above: list[list[Link]] = [[] for _ in depths]
    below: list[list[Link]] = [[] for _ in depths]
    seen: set[tuple[int, int, float, float]] = set()
    for edge in edges:
        chain = [edge.upper, *[wire for _, wire in _passed(edge, depths, wires)], edge.lower]
        for i, (a, b) in enumerate(pairwise(chain)):
            out = edge.out if i == 0 else 0.0
            into = edge.into if i == len(chain) - 2 else 0.0
            if (a, b, out, into) in seen:
                continue
            seen.add((a, b, out, into))
            # Boxes stand below the middle of each other: by their sides, scopes would drift away.
            here, there = (out, into) if len(chain) > 2 else (0.0, 0.0)
            at_a, at_b = out / (sizes[a] + 1), into / (sizes[b] + 1)
            below[a].append(Link(b, there, here, at_b, at_a))
            above[b].append(Link(a, here, there, at_a, at_b))
    return above, below


def _centres(
    layers: list[list[int]],
    sizes: Sequence[float],
    boxes: int,
    links: tuple[list[list[Link]], list[list[Link]]],
) -> list[float]:
    """Center of each box and wire; also sorts the layers by it."""
    _order(layers, links)
    return [x + MARGIN for x in aligned(Layers(layers, sizes, boxes, *links))]


def _order(layers: list[list[int]], links: tuple[list[list[Link]], list[list[Link]]]) -> None:
    """Puts each layer into an order in which few lines cross: by the means of neighbours."""
    at = [0.0] * len(links[0])
    for layer in layers:
        for i, v in enumerate(layer):
            at[v] = i
    fewest, best = _crossings(layers, links[0], at), [*map(list, layers)]
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        near, order = (links[1], layers[::-1]) if sweep % 2 else (links[0], layers)
        for layer in order:
            for v in layer:
                if near[v]:
                    at[v] = sum([at[link.to] + link.far for link in near[v]]) / len(near[v])
            layer.sort(key=at.__getitem__)
            for i, v in enumerate(layer):
                at[v] = i
        crossings = _crossings(layers, links[0], at)
        if crossings < fewest:
            fewest, best = crossings, [*map(list, layers)]
    layers[:] = best


def _crossings(layers: list[list[int]], above: list[list[Link]], at: list[float]) -> int:
    """Number of crossings between layers: pairs of lines that end in the other order."""
    number = 0
    for layer in layers:
        ends: list[float] = []
        lines = [(at[to] + far, at[v] + near) for v in layer for to, _, _, far, near in above[v]]
        for _, end in sorted(lines):
            place = bisect_right(ends, end)
            number += len(ends) - place
            ends.insert(place, end)
    return number
