"""Branches and loops in chunks: they fall apart where their bodies do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

ROWS = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)


def looped(x: td.Tensor, start: Any) -> td.Tensor:
    result: td.Tensor = td.while_loop(
        lambda i, s: i < 4, lambda i, s: (i + 1, td.tanh(s @ td.ones([3, 3])) + x), [0, start]
    )[1]
    return result


WORKING: dict[str, Callable[[td.Tensor, td.Tensor], td.Tensor]] = {
    "branches": lambda x, p: td.cond(p, lambda: x * 2.0, lambda: x + 1.0),
    "a loop": lambda x, p: looped(x, x),
    "a loop that begins with zeros": lambda x, p: looped(x, td.zeros([td.shape(x)[0], 3])),
    "a branch with a loop": lambda x, p: td.cond(p, lambda: looped(x, x), lambda: x),
}

MIXING: dict[str, tuple[Callable[[td.Tensor, td.Tensor], Any], str]] = {
    "the condition of a loop": (
        lambda x, p: td.while_loop(lambda s: td.reduce_sum(s) < 9.0, lambda s: s + 1.0, [x]),
        "needs the whole of",
    ),
    "a sum in a body": (
        lambda x, p: td.cond(p, lambda: x - td.reduce_mean(x, 0), lambda: x),
        "needs the whole of",
    ),
    "a running sum in a body": (
        lambda x, p: td.cond(p, lambda: td.cumsum(x), lambda: x),
        "it goes along axis 0",
    ),
    "a predicate of rows": (
        lambda x, p: td.cond(td.reduce_all(x[:, 0] < td.cumsum(x)[:, 0]), lambda: x, lambda: -x),
        "axis 0",
    ),
    "random numbers in a body": (
        lambda x, p: td.cond(p, lambda: x * td.random_uniform([3]), lambda: x),
        "has effects",
    ),
}


def model(build: Callable[[td.Tensor, td.Tensor], Any]) -> tuple[td.Graph, Any]:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        return graph, build(x, td.placeholder(td.bool, [], name="p"))


@pytest.mark.parametrize("name", WORKING)
@pytest.mark.parametrize("taken", [True, False])
def test_bodies_run_in_chunks(name: str, taken: bool) -> None:
    graph, y = model(WORKING[name])
    assert td.split_report(graph, y).fetches[0].part == "split along axis 0"
    feeds = {"x:0": ROWS, "p:0": taken}
    with td.Session(graph=graph) as session:
        wanted = session.run(y, feeds)
    with td.data_parallel(graph, split_bytes=60) as session:
        np.testing.assert_allclose(session.run(y, feeds), wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("name", MIXING)
def test_bodies_that_mix_rows_run_once(name: str) -> None:
    build, reason = MIXING[name]
    graph, y = model(build)
    report = td.split_report(graph, y)
    assert reason in report.mixed[0].reason
    if name.startswith("random"):
        return
    feeds = {"x:0": ROWS, "p:0": True}
    with td.Session(graph=graph) as session:
        wanted = session.run(y, feeds)
    with td.data_parallel(graph, split_bytes=60) as session:
        np.testing.assert_allclose(session.run(y, feeds), wanted, 1e-6)
