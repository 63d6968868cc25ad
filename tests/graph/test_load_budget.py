"""Budgets for reading graphs: what is larger, or takes longer, is refused, and nothing is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td


@pytest.fixture
def path(tmp_path: Path) -> str:
    @td.function
    def four_nodes(x: td.Tensor) -> td.Tensor:
        return td.exp(x) * td.exp(x + x)

    with td.Graph().as_default() as graph:
        four_nodes(td.placeholder(td.float32, [2], name="x"))
    return td.save_graph(graph, tmp_path / "graph.pb")


READERS: list[Callable[..., Any]] = [td.load_graph, td.load, td.check_graph]


@pytest.mark.parametrize("read", READERS)
def test_limits(read: Callable[..., Any], path: str) -> None:
    size = Path(path).stat().st_size
    assert read(path, progress=td.LoadBudget(size, 6, 60)) is not None
    with pytest.raises(td.errors.ResourceExhaustedError, match=f"{size} bytes.*is {size - 1}"):
        read(path, progress=td.LoadBudget(bytes=size - 1))
    with pytest.raises(td.errors.ResourceExhaustedError, match=r"6 nodes.*is 5"):
        read(path, progress=td.LoadBudget(nodes=5))


def test_time(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    reports: list[str] = []
    budget = td.LoadBudget(seconds=2.5, progress=lambda what, done, total: reports.append(what))
    with pytest.raises(td.errors.ResourceExhaustedError, match=r"more than the 2\.5 s"):
        td.load_graph(path, progress=budget)
    assert reports == ["bytes", "nodes"]
    budget = td.LoadBudget(seconds=20)
    for _ in range(5):  # each file has the whole time
        td.load_graph(path, progress=budget)


def test_negative_limits() -> None:
    with pytest.raises(ValueError, match="nodes must not be negative, got -1"):
        td.LoadBudget(nodes=-1)


def doubling(depth: int, through: str) -> td.GraphDef:
    """Functions that each call the one below twice; the graph calls or runs the last of them."""
    definition = td.GraphDef()
    number = td.float32.as_datatype_enum
    for level in range(depth):
        function = definition.library.function.add()
        function.signature.name = f"f{level}"
        function.signature.input_arg.add(name="x", type=number)
        function.signature.output_arg.add(name="y", type=number)
        inner = f"f{level - 1}" if level else "Neg"
        first = function.node_def.add(name="a", op=inner, input=["x"])
        second = function.node_def.add(name="b", op=inner, input=["a:y:0"])
        if not level:
            first.attr["T"].type = second.attr["T"].type = number
        function.ret["y"] = "b:y:0"
    x = definition.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = number
    if through == "call":
        definition.node.add(name="y", op=f"f{depth - 1}", input=["x"])
        return definition
    flag = definition.node.add(name="flag", op="Placeholder")
    flag.attr["dtype"].type = td.bool.as_datatype_enum
    branching = definition.node.add(name="y", op="If", input=["flag", "x"])
    branching.attr["Tcond"].type = td.bool.as_datatype_enum
    for attr in ("Tin", "Tout"):
        branching.attr[attr].list.type.append(number)
    for attr in ("then_branch", "else_branch"):
        branching.attr[attr].func.name = f"f{depth - 1}"
    return definition


@pytest.mark.parametrize("through", ["call", "branch"])
def test_functions_are_counted_before_they_are_inlined(
    through: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(doubling(20, through).SerializeToString())
    from tensordraft.graph.importing.function_inlining import Expansion

    monkeypatch.setattr(Expansion, "of", None)
    with pytest.raises(td.errors.ResourceExhaustedError, match=r"2097\d\d\d nodes.* is 1000"):
        td.load_graph(path, progress=td.LoadBudget(nodes=1000))


def test_the_count_is_that_of_the_nodes_that_are_made(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(doubling(5, "call").SerializeToString())
    number = len(td.load_graph(path).get_operations())
    assert td.load_graph(path, progress=td.LoadBudget(nodes=number)) is not None
    with pytest.raises(td.errors.ResourceExhaustedError, match=rf"{number} nodes"):
        td.load_graph(path, progress=td.LoadBudget(nodes=number - 1))
