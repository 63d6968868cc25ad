"""Alignment of boxes in layers: apart, in order, and below each other where possible."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from tensordraft.analysis.drawing.alignment import BOX_GAP, WIRE_GAP, Layers, Link, aligned
from tensordraft.analysis.drawing.layout import Edge, Place, layered


def linked(
    order: list[list[int]], sizes: list[float], boxes: int, *pairs: tuple[int, int]
) -> Layers:
    above: list[list[Link]] = [[] for _ in sizes]
    below: list[list[Link]] = [[] for _ in sizes]
    for a, b in pairs:
        above[b].append(Link(a))
        below[a].append(Link(b))
    return Layers(order, sizes, boxes, above, below)


def at_random(seed: int) -> Layers:
    """Layers with boxes and wires of all sizes, and links wherever."""
    rng = random.Random(seed)
    number = rng.randint(2, 60)
    boxes = rng.randint(1, number)
    sizes = [rng.uniform(10, 200) if i < boxes else 2.0 for i in range(number)]
    order: list[list[int]] = [[] for _ in range(rng.randint(1, 9))]
    for i in rng.sample(range(number), number):
        rng.choice(order).append(i)
    order = [layer for layer in order if layer]
    layers = linked(order, sizes, boxes)
    for upper, lower in pairwise(order):
        for _ in range(rng.randint(0, 2 * len(lower))):
            a, b = rng.choice(upper), rng.choice(lower)
            there, here = rng.uniform(-5, 5), rng.uniform(-5, 5)
            layers.above[b].append(Link(a, there, here))  # type: ignore[attr-defined]
            layers.below[a].append(Link(b, here, there))  # type: ignore[attr-defined]
    return layers


@pytest.mark.parametrize("seed", range(40))
def test_what_stands_in_a_layer_keeps_its_order_and_its_distances(seed: int) -> None:
    layers = at_random(seed)
    x = aligned(layers)
    sizes = layers.sizes
    for layer in layers.order:
        for a, b in pairwise(layer):
            gap = WIRE_GAP if min(a, b) >= layers.boxes else BOX_GAP
            assert x[b] - sizes[b] / 2 >= x[a] + sizes[a] / 2 + gap - 1e-6
    assert min(at - size / 2 for at, size in zip(x, sizes, strict=True)) == pytest.approx(0)


def test_nothing_has_no_places() -> None:
    assert aligned(linked([], [], 0)) == []


def test_a_chain_is_straight_whatever_its_sizes() -> None:
    sizes = [20.0, 90, 40, 10, 60]
    chain = linked([[i] for i in range(5)], sizes, 5, (0, 1), (1, 2), (2, 3), (3, 4))
    assert aligned(chain) == [45.0] * 5


def test_a_box_stands_in_the_middle_of_what_leads_to_it() -> None:
    three = linked([[0, 1, 2], [3]], [40.0] * 4, 4, (0, 3), (1, 3), (2, 3))
    assert aligned(three) == [20.0, 76.0, 132.0, 76.0]
    two = linked([[0, 1], [2]], [40.0] * 3, 3, (0, 2), (1, 2))
    assert aligned(two) == [20.0, 76.0, 48.0]


def test_wires_are_straight_where_a_line_crosses_them() -> None:
    # Box 0 leads by the wires 5 and 6 to 3; the line from 2 to 4 crosses the wires.
    order, sizes = [[0, 1], [2, 5], [6, 4], [3]], [30.0, 30, 30, 30, 30, 2, 2]
    x = aligned(linked(order, sizes, 5, (0, 5), (5, 6), (6, 3), (1, 2), (2, 4)))
    assert x[5] == x[6] == x[3]
    assert x[2] < x[4]


def test_a_link_beside_the_middle_is_straight() -> None:
    above, below = [[], [Link(0, 30.0, -5.0)]], [[Link(1, -5.0, 30.0)], []]
    upper, lower = aligned(Layers([[0], [1]], [100.0, 20.0], 2, above, below))
    assert upper + 30 == lower - 5


def test_lines_do_not_cross_where_they_need_not() -> None:
    # Two columns, given crosswise.
    edges = [Edge(0, 3), Edge(1, 2), Edge(2, 5), Edge(3, 4)]
    places, routes = layered([40] * 6, edges)
    starts, ends = ([route[i] for route in routes[:2]] for i in (0, -1))
    assert (starts[0] < starts[1]) == (ends[0] < ends[1])
    assert all(
        x == places[edge.lower].x + 20 for edge, ((x, _), *_) in zip(edges, routes, strict=True)
    )


def test_lines_do_not_cross_at_the_side_of_a_box() -> None:
    # The first comes into the right half of a wide box, the second into its left one.
    edges = [Edge(0, 2, 0.0, 60.0), Edge(1, 2, 0.0, -60.0)]
    first, second, _ = layered([40, 40, 200], edges).places
    assert second.x < first.x


@pytest.mark.parametrize("seed", range(10))
def test_boxes_of_all_sizes_stand_apart(seed: int) -> None:
    rng = random.Random(seed)
    number = 5 * seed + 5
    pairs = {tuple(sorted(rng.sample(range(number), 2))) for _ in range(2 * number)}
    widths = [rng.uniform(5, 300) for _ in range(number)]
    heights = [rng.uniform(10, 90) for _ in range(number)]
    places, _ = layered(widths, [Edge(a, b) for a, b in sorted(pairs)], heights=heights)
    for i, a in enumerate(places):
        assert (a.width, a.height) == (widths[i], heights[i])
        assert not any(meet(a, b) for b in places[:i])


def meet(a: Place, b: Place) -> bool:
    beside = a.x >= b.x + b.width or b.x >= a.x + a.width
    return not (beside or a.y >= b.y + b.height or b.y >= a.y + a.height)
