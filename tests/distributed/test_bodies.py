"""Branches and loops in chunks: they are split where their bodies are."""

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


def listed(x: td.Tensor) -> td.Tensor:
    """Rounds write into an array, and read from it."""
    columns = td.TensorArray(td.float32, 3).unstack(td.transpose(x))
    results = td.TensorArray(td.float32, 3)

    def step(i: td.Tensor, done: td.TensorArray) -> Any:
        return i + 1, done.write(i, columns.read(i) * 2.0 + x[:, 0])

    result: td.Tensor = td.while_loop(lambda i, done: i < 3, step, [0, results])[1].stack()
    return result


def summed(x: td.Tensor) -> td.Tensor:
    """A sum over rows that rounds add to, and whose start is zero."""
    result: td.Tensor = td.while_loop(
        lambda i, total, y: i < 3,
        lambda i, total, y: (i + 1, total + td.reduce_sum(y, 0), y * 0.5),
        [0, td.zeros([3]), x],
    )[1]
    return result


WORKING: dict[str, Callable[[td.Tensor, td.Tensor], td.Tensor]] = {
    "branches": lambda x, p: td.cond(p, lambda: x * 2.0, lambda: x + 1.0),
    "a loop": lambda x, p: looped(x, x),
    "a loop that begins with zeros": lambda x, p: looped(x, td.zeros([td.shape(x)[0], 3])),
    "an array of rows": lambda x, p: listed(x),
    "a sum that rounds add to": lambda x, p: summed(x),
    "a sum in one branch": lambda x, p: td.cond(
        p, lambda: td.reduce_sum(x, 0), lambda: td.zeros([3])
    ),
    "a branch with a loop": lambda x, p: td.cond(p, lambda: looped(x, x), lambda: x),
}

PARTIAL = {"a sum that rounds add to", "a sum in one branch"}

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
    "a gradient through an array, whose shape is not known": (
        lambda x, p: td.gradients(td.reduce_sum(listed(x) ** 2), x)[0],
        "has state",
    ),
    "rows that come to lie in different elements": (
        lambda x, p: td.TensorArray(td.float32, 1, dynamic_size=True).unstack(x).stack(),
        "has state",
    ),
    "a sum that rounds add to, and that does not begin with zero": (
        lambda x, p: td.while_loop(
            lambda i, total: i < 3,
            lambda i, total: (i + 1, total + td.reduce_sum(x, 0)),
            [0, td.ones([3])],
        )[1],
        "needs the whole of",
    ),
    "random numbers in a body": (
        lambda x, p: td.cond(p, lambda: x * td.random_uniform([3]), lambda: x),
        "has side effects",
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
    part = "partial sum" if name in PARTIAL else "split along axis"
    report = td.split_report(graph, y)
    assert report.ok
    assert report.fetches[0].part.startswith(part)
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


def test_branches_and_loops_of_old_files_travel() -> None:
    graph, y = model(lambda x, p: td.cond(p, lambda: looped(x, x), lambda: -x))
    message = graph.as_graph_def(control_flow="lowered")
    assert {"Enter", "Merge"} <= {node.op for node in message.node}
    with td.Graph().as_default() as read:
        td.import_graph_def(message, name="")
    assert td.split_report(read, y.name).ok
    for taken in (True, False):
        feeds = {"x:0": ROWS, "p:0": taken}
        with td.Session(graph=graph) as session:
            wanted = session.run(y, feeds)
        with td.data_parallel(read, split_bytes=60) as session:
            np.testing.assert_allclose(session.run(y.name, feeds), wanted, 1e-6, 1e-6)


def test_a_list_that_is_needed_whole_is_put_together() -> None:
    graph, y = model(lambda x, p: td.cumsum(listed(x), 1))
    with td.Session(graph=graph) as session:
        wanted = session.run(y, {"x:0": ROWS})
    with td.data_parallel(graph, split_bytes=60) as session:
        np.testing.assert_allclose(session.run(y, {"x:0": ROWS}), wanted, 1e-5, 1e-6)
