"""Deep nests of loops and conditionals, and graphs with many: loaded, run, checked, saved."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td
from tensordraft.graph.bodies import Body

FORMS = ["structured", "lowered"]
KINDS = ["loops", "conditionals", "both"]


def step(kind: str, number: int, n: Any, y: Any, inner: Any) -> Any:
    """`inner` of `y`, in a loop of `n` rounds, or where `n` is more than 0."""
    if kind == "loops" or (kind == "both" and number % 2):
        return td.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, inner(y)), [0, y])[1]
    return td.cond(n > 0, lambda: inner(y), lambda: -y)


def nest(kind: str, depth: int) -> td.Graph:
    with td.Graph().as_default() as graph:
        n, x = td.placeholder(td.int32, [], name="n"), td.placeholder(td.float32, [], name="x")

        def level(number: int, y: Any) -> Any:
            if number == 0:
                return y * 2.0
            return step(kind, number, n, y, lambda y: level(number - 1, y) + 1.0)

        td.identity(level(depth, x), name="out")
    return graph


def row(kind: str, number: int) -> td.Graph:
    with td.Graph().as_default() as graph:
        n, x = td.placeholder(td.int32, [], name="n"), td.placeholder(td.float32, [], name="x")
        ends = [step(kind, i, n, x, lambda y: y + 1.0) for i in range(number)]
        td.add_n(ends, name="out")
    return graph


def loaded(graph: td.Graph, form: str, folder: Any) -> td.Graph:
    """The graph read from a file, from which it is saved as it was read."""
    path = folder / "graph.pb"
    td.save_graph(graph, path, **({"control_flow": "lowered"} if form == "lowered" else {}))
    again = td.load_graph(path)
    td.save_graph(again, folder / "again.pb")
    assert td.load_graph(folder / "again.pb").as_graph_def() == again.as_graph_def()
    if form == "lowered":
        assert (folder / "again.pb").read_bytes() == path.read_bytes()
    assert not td.check_graph(again).errors
    return again


def value(graph: td.Graph, n: int, x: float) -> float:
    with td.Session(graph=graph) as session:
        return float(session.run("out:0", {"n:0": n, "x:0": x}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_deep_nest(kind: str, form: str, tmp_path: Any) -> None:
    graph = loaded(nest(kind, 50), form, tmp_path)
    assert value(graph, 1, 3.0) == 56.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [150, pytest.param(5_000, marks=pytest.mark.soak)])
def test_a_long_row(kind: str, form: str, number: int, tmp_path: Any) -> None:
    graph = loaded(row(kind, number), form, tmp_path)
    assert value(graph, 1, 3.0) == 4.0 * number


@pytest.mark.parametrize("kind", KINDS)
def test_each_body_of_a_nest_is_followed_a_few_times(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    inferred = Body.inferred

    def counted(self: Body, *args: Any) -> Any:
        looks.append(self.name)
        return inferred(self, *args)

    monkeypatch.setattr(Body, "inferred", counted)
    number: list[int] = []
    for depth in (6, 12):
        looks.clear()
        graph = nest(kind, depth)
        with graph.as_default(), td.Session() as session:
            x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("out:0")
            (slope,) = td.gradients(y, x)
            assert session.run(slope, {"n:0": 1, x: 3.0}) == 2.0
        number.append(len(looks))
    assert number[1] < 3 * number[0]


def test_facts_of_a_loop_in_a_loop_are_those_of_the_loop_alone() -> None:
    with td.Graph().as_default():
        x, one = td.placeholder(td.float32, ["batch", 3]), td.zeros([1, 3])

        def doubled(y: Any) -> Any:
            shapes = [td.TensorShape([]), td.TensorShape([None, 3])]
            return td.while_loop(
                lambda i, _: i < 2,
                lambda i, y: (i + 1, td.concat([y, y], 0)),
                [0, y],
                shape_invariants=shapes,
            )[1]

        first, second = doubled(x), doubled(x)
        first_row = td.while_loop(
            lambda i, _: i < 5, lambda i, y: (i + 1, td.stack([doubled(y)[0]])), [0, one]
        )[1]
        assert str(first_row.shape) == "(1, 3)"
        assert first.shape.sizes[1] == second.shape.sizes[1] == 3
        assert first.shape.sizes[0] is not second.shape.sizes[0]  # no more is known of the two
