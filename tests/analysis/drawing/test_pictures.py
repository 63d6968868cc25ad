"""Properties of pictures: no line runs under a box, or through a scope that is not its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from tensordraft.analysis.drawing.clusters import Picture, clustered
from tensordraft.analysis.drawing.drawing import Box, Drawing, Line
from tensordraft.analysis.drawing.layout import Place
from tensordraft.analysis.drawing.simplified import with_gatherers_aside, with_scopes_closed


def points(route: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Points along a line, with its bends as they are drawn."""
    for (x0, y0), (x1, y1) in pairwise(route):
        for step in range(13):
            t = step / 12
            share = 3 * t * t - 2 * t * t * t
            height = t if x0 == x1 else (y1 - y0) and _eased(t)
            yield x0 + (x1 - x0) * share, y0 + (y1 - y0) * height


def _eased(t: float) -> float:
    """Height of a bend: its handles lie half way."""
    return 1.5 * t * (1 - t) ** 2 + 1.5 * t * t * (1 - t) + t**3


def hits(drawing: Drawing, picture: Picture) -> list[str]:
    """The lines that run under boxes, their own ones too."""
    found = []
    for line, route in zip(drawing.lines, picture.routes, strict=True):
        way = np.array([*points(route)])
        for i, place in enumerate(picture.places):
            if under(way, place):
                found.append(f"{line.source}-{line.target} under {i}")
    return found


def under(way: np.ndarray, place: Place) -> bool:
    """Returns True if some point of a line is inside a box by more than half a pixel."""
    x, y, width, height = place
    low, high = (x + 0.5, y + 0.5), (x + width - 0.5, y + height - 0.5)
    return bool(((way > low) & (way < high)).all(1).any())


def named(names: list[str], lines: list[tuple[int, int]]) -> Drawing:
    boxes = [Box(name, "NoOp", "op", (), "") for name in names]
    return Drawing(boxes, [Line(source, target, "", control=False) for source, target in lines])


def drawn_at_random(seed: int, number: int) -> Drawing:
    rng = random.Random(seed)
    scopes = ["", "a/", "a/b/", "c/", "c/d/e/", "a/b/f/"]
    names = [f"{rng.choice(scopes)}{i}" for i in range(number)]
    lines = [(rng.randrange(max(0, i - rng.choice([2, 30])), i), i) for i in range(1, number)]
    pairs = (sorted(rng.sample(range(number), 2)) for _ in range(number // 3))
    lines += [(a, b) for a, b in pairs]
    return named(names, lines)


@pytest.mark.parametrize("seed", range(9))
def test_no_line_runs_under_a_box(seed: int) -> None:
    drawing = drawn_at_random(seed, 6 + 9 * seed)
    widths = [30 + 17.0 * (i % 5) for i in range(len(drawing.boxes))]
    picture = clustered(drawing, widths)
    assert hits(drawing, picture) == []


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_no_line_runs_under_a_closed_scope(seed: int, depth: int) -> None:
    drawing = with_scopes_closed(drawn_at_random(seed, 40), depth)
    assert max(box.name.count("/") for box in drawing.boxes) <= depth
    assert hits(drawing, clustered(drawing, [50.0] * len(drawing.boxes))) == []


@pytest.mark.parametrize("seed", range(6))
def test_lines_end_at_their_boxes_and_pass_no_foreign_scope(seed: int) -> None:
    drawing = drawn_at_random(seed, 40)
    picture = clustered(drawing, [50.0] * 40)
    for line, route in zip(drawing.lines, picture.routes, strict=True):
        ends = [picture.places[i] for i in (line.source, line.target)]
        for place, (x, y), side in zip(ends, (route[0], route[-1]), (1, 0), strict=True):
            assert place.x <= x <= place.x + place.width
            assert min(abs(y - place.y), abs(y - place.y - place.height)) < 1e-6, side
    for cluster in picture.clusters:
        members = {i for i, place in enumerate(picture.places) if middle_in(place, cluster.place)}
        for line, route in zip(drawing.lines, picture.routes, strict=True):
            if not members & {line.source, line.target}:
                assert not under(np.array([*points(route)]), cluster.place)


def middle_in(place: Place, around: Place) -> bool:
    return under(np.array([[place.x + place.width / 2, place.y + place.height / 2]]), around)


def test_a_long_line_goes_around() -> None:
    drawing = named(["a", "b", "c"], [(0, 1), (1, 2), (0, 2)])
    picture = clustered(drawing, [60.0] * 3)
    assert hits(drawing, picture) == []
    assert len(picture.routes[2]) > len(picture.routes[0])


def test_lines_from_one_box_share_their_way() -> None:
    drawing = named(["a", "b", "c", "d"], [(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)])
    *_, short, long = clustered(drawing, [60.0] * 4).routes
    assert long[: len(short) - 1] == short[:-1]


def test_circles_between_scopes_are_drawn_upwards() -> None:
    drawing = named(["a/1", "b/1", "a/2"], [(0, 1), (1, 2)])
    picture = clustered(drawing, [40.0] * 3)
    assert hits(drawing, picture) == []
    ups = [route[0][1] > route[-1][1] for route in picture.routes]
    assert sorted(ups) == [False, True]


def test_what_waits_for_many_stands_aside() -> None:
    drawing = named(["a", "b", "c", "all", "end"], [(0, 1), (1, 2)])
    waits = [Line(i, 3, "", control=True) for i in range(3)]
    whole = Drawing(drawing.boxes, [*drawing.lines, *waits, Line(3, 4, "", control=True)])
    shown = with_gatherers_aside(whole)
    assert [box.op for box in shown.boxes] == ["NoOp"] * 3 + ["NoOp, after 3 ops", "NoOp"]
    assert shown.lines == [*drawing.lines, whole.lines[-1]]
    used = Drawing(drawing.boxes, [*whole.lines, Line(3, 4, "float32", control=False)])
    assert with_gatherers_aside(used) == used


def test_many_nodes_have_a_picture() -> None:
    number = 3_000
    lines = [(max(0, i - 1 - i % 7), i) for i in range(1, number)]
    drawing = named([f"block_{i // 50}/{i}" for i in range(number)], lines)
    picture = clustered(drawing, [60.0] * number)
    assert len(picture.routes) == len(lines)
