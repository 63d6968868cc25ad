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
    told: list[str] = []
    budget = td.LoadBudget(seconds=1.5, progress=lambda what, done, total: told.append(what))
    with pytest.raises(td.errors.ResourceExhaustedError, match=r"more than the 1\.5 s"):
        td.load_graph(path, progress=budget)
    assert told == ["bytes", "nodes"]
    budget("bytes", 0, 1)  # the next file has the whole time again


def test_negative_limits() -> None:
    with pytest.raises(ValueError, match="nodes must not be negative, got -1"):
        td.LoadBudget(nodes=-1)
