"""Layout of boxes and scopes: side by side, and below their inputs."""

from __future__ import annotations

from tensordraft.analysis.drawing.clusters import clustered
from tensordraft.analysis.drawing.drawing import Box, Drawing, Line
from tensordraft.analysis.drawing.layout import Edge, Place, layered


def test_boxes_do_not_overlap_and_lines_lead_down() -> None:
    edges = [(0, 2), (1, 2), (2, 3), (2, 4), (0, 4), (5, 4)]
    places, _ = layered([60, 80, 40, 90, 50, 30], [Edge(*edge) for edge in edges], inputs={0})
    for source, target in edges:
        assert places[source].y < places[target].y
    assert places[5].y == places[2].y
    for i, first in enumerate(places):
        for second in places[:i]:
            if first.y == second.y:
                assert first.x >= second.x + second.width or second.x >= first.x + first.width


def drawing(names: str, *lines: tuple[int, int]) -> Drawing:
    boxes = [Box(name, "NoOp", "op", (), "") for name in names.split()]
    return Drawing(boxes, [Line(source, target, "", control=True) for source, target in lines])


def overlap(a: Place, b: Place) -> bool:
    beside = a.x >= b.x + b.width or b.x >= a.x + a.width
    return not (beside or a.y >= b.y + b.height or b.y >= a.y + a.height)


def inside(a: Place, b: Place) -> bool:
    return b.x < a.x < a.x + a.width < b.x + b.width and b.y < a.y < a.y + a.height < b.y + b.height


def test_scopes_stand_around_their_boxes_and_nothing_else() -> None:
    # Each scope begins with a constant, as in frozen graphs, and t has to stand below s.
    names = "t/c s/in/c s/c s/x s/in/y t/z t/in/y end"
    lines = [(2, 3), (1, 4), (3, 4), (4, 5), (0, 5), (5, 6), (3, 7)]
    places, scopes, _ = clustered(drawing(names, *lines), [40.0, 60, 50, 40, 40, 90, 40, 40])
    assert [scope.label for scope in scopes] == ["t", "s", "in", "in"]
    t, s, s_in, t_in = (scope.place for scope in scopes)
    for scope, members in ((t, {0, 5, 6}), (s, {1, 2, 3, 4}), (s_in, {1, 4}), (t_in, {6})):
        for i, place in enumerate(places):
            assert inside(place, scope) if i in members else not overlap(place, scope)
    assert inside(s_in, s)
    assert inside(t_in, t)
    assert not overlap(s, t)
    for i, place in enumerate(places):
        assert not any(overlap(place, other) for other in places[:i])
    for source, target in lines:
        assert places[source].y < places[target].y


def test_scopes_in_a_circle_stand_somewhere() -> None:
    places, scopes, _ = clustered(drawing("a/1 b/1 a/2", (0, 1), (1, 2)), [40.0] * 3)
    assert not overlap(scopes[0].place, scopes[1].place)
    assert [scope.label for scope in scopes if inside(places[1], scope.place)] == ["b"]


def test_scopes_may_be_nested_deeper_than_python_calls() -> None:
    places, scopes, _ = clustered(drawing("a/" * 3000 + "x"), [40.0])
    assert len(scopes) == 3000
    assert all(inside(places[0], scope.place) for scope in scopes)


def test_layers_stand_closer_where_lines_run_straight() -> None:
    straight, _ = layered([40, 40], [Edge(0, 1)])
    beside, _ = layered([40, 40, 40, 300], [Edge(0, 1), Edge(0, 2), Edge(0, 3)])
    assert straight[1].y - straight[0].y - straight[0].height == 24
    assert beside[1].y - beside[0].y - beside[0].height == 44
