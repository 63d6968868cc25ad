"""Lints find faults that were sown, of each kind, and nothing in graphs that have none."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given, strategies as st

import tensordraft as td
from tensordraft.analysis.lints import CODES
from tensordraft.analysis.value_ranges import ValueRanges

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted((ROOT / "examples" / "programs").glob("*.py"))


def x(*sizes: Any, dtype: Any = td.float32) -> td.Tensor:
    return td.placeholder(dtype, list(sizes), name="x")


def numbers(*sizes: int) -> td.Tensor:
    return td.constant(np.ones(sizes, np.float32))


def sizes_of(tensor: td.Tensor) -> td.Tensor:
    return td.reduce_prod(td.shape(tensor))


SOWN: list[tuple[str, Callable[[], Any]]] = [
    ("TD001", lambda: 1.0 / td.nn.relu(x("n"))),
    ("TD001", lambda: x("n") / td.constant([1.0, 0.0])),
    ("TD001", lambda: x("n", dtype=td.int32) // td.constant([2, 0])),
    ("TD002", lambda: td.log(td.tanh(x("n")))),
    ("TD002", lambda: td.sqrt(td.nn.softmax(x("n", 3)) - 0.5)),
    ("TD003", lambda: td.gather(numbers(9, 2), td.argmax(x("n", 10), 1))),
    ("TD003", lambda: td.gather(numbers(3, 2), td.minimum(td.maximum(x(dtype=td.int32), -1), 2))),
    ("TD004", lambda: sizes_of(x("batch", "seq", "heads", 64))),
    ("TD005", lambda: td.cast(td.minimum(td.maximum(x("n"), 0.0), 300.0), td.uint8)),
    ("TD008", lambda: td.cast(x("n"), td.float64) * 2.0),
    (
        "TD010",
        lambda: (v := x("n", 4), w := numbers(4, 4), td.matmul(v, w) + td.matmul(v, w))[-1],
    ),
    ("TD011", lambda: td.nn.softmax(x("n", 1))),
    ("TD012", lambda: td.log(td.nn.softmax(x("n", 4)))),
    ("TD012", lambda: td.log(td.reshape(td.nn.softmax(x("n", 4)), [-1]))),
    ("TD012", lambda: td.log(td.identity(td.sigmoid(x("n"))))),
]


@pytest.mark.parametrize(("code", "make"), SOWN, ids=[f"{c}-{i}" for i, (c, _) in enumerate(SOWN)])
def test_what_was_sown_is_found(code: str, make: Callable[[], Any]) -> None:
    with td.Graph().as_default() as graph:
        make()
    report = td.check_graph(graph)
    assert code in {lint.code for lint in report.lints}
    assert CODES[code] in str(report)
    assert code not in {lint.code for lint in td.check_graph(graph, ignore=[code]).lints}


def test_a_branch_that_a_file_always_takes() -> None:
    with td.Graph().as_default() as graph:
        flag = td.placeholder(td.bool, [], name="flag")
        td.cond(flag, lambda: x(1) + 1.0, lambda: td.ones([1]))
    graph_def = graph.as_graph_def()
    [node] = [node for node in graph_def.node if node.name == "flag"]
    with td.Graph().as_default() as other:
        td.constant(True, name="flag")
    node.CopyFrom(other.as_graph_def().node[0])
    [lint] = td.check_graph(graph_def).lints
    assert (lint.code, lint.why) == ("TD006", "flag:0 is always True: only the then branch runs")


def test_what_is_not_needed() -> None:
    with td.Graph().as_default() as graph:
        v = x("n")
        td.exp(v, name="left")
        td.negative(v, name="wanted")
        td.constant([1.0, 2.0], name="fixed")
    found = td.check_graph(graph, fetches=["wanted", "fixed"]).lints
    assert [(lint.code, lint.op.name) for lint in found] == [("TD007", "left"), ("TD009", "fixed")]
    assert td.check_graph(graph).lints == []


CLEAN: list[Callable[[], Any]] = [
    lambda: x("n") / (td.nn.relu(x("n")) + 1.0),
    lambda: x("n") / td.reduce_sum(td.exp(x("n"))),
    lambda: td.nn.log_softmax(x("n", 4)),
    lambda: td.log(td.nn.softmax(x("n", 4)) + 1e-8),
    lambda: td.log(td.clip_by_value(td.nn.softmax(x("n", 4)), 1e-8, 1.0)),
    lambda: td.gather(numbers(10, 2), td.argmax(x("n", 10), 1)),
    lambda: td.gather(numbers(10, 2), x("n", dtype=td.int32)),
    lambda: td.reshape(x("batch", 7, 7, 512), [-1, 7 * 7 * 512]),
    lambda: td.cast(x("n"), td.int32),
    lambda: td.cast(td.maximum(x("n", dtype=td.int64), 0), td.int32),
    lambda: td.cast(td.minimum(x("n", dtype=td.int64), 5), td.int32),
    lambda: td.cast(td.argmax(x("n", "m"), 1), td.int32),
    lambda: td.reduce_mean(x("batch", "n")) / td.cast(td.shape(x("batch"))[0], td.float32),
    lambda: td.rsqrt(td.nn.moments(x("n", 4), [0])[1] + 1e-3),
]


@pytest.mark.parametrize("make", CLEAN)
def test_no_false_alarms(make: Callable[[], Any]) -> None:
    with td.Graph().as_default() as graph:
        make()
    assert td.check_graph(graph).lints == []


def test_unknown_codes() -> None:
    with pytest.raises(ValueError, match="there is no lint 'TD999'; there are TD001"):
        td.check_graph(td.Graph(), ignore=["TD999"])


UNARY: list[Any] = [
    td.nn.relu,
    td.tanh,
    td.square,
    td.abs,
    td.exp,
    td.negative,
    td.sigmoid,
    td.nn.softmax,
]
BINARY = [td.add, td.subtract, td.multiply, td.maximum, td.minimum]


@examples(40)
@given(st.data())
def test_values_lie_in_their_ranges(data: st.DataObject) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        tensors = [x(3, 4), td.constant([[0.5, -2.0, 3.0, 0.0]]), td.constant(2.0)]
        for _ in range(data.draw(st.integers(1, 6))):
            v, w = (data.draw(st.sampled_from(tensors)) for _ in range(2))
            if data.draw(st.booleans()) and v.shape.rank:
                tensors.append(data.draw(st.sampled_from(UNARY))(v))
            else:
                tensors.append(data.draw(st.sampled_from(BINARY))(v, w))
        ranges = ValueRanges(graph.get_operations(), graph.inference)
        feed = np.random.default_rng(data.draw(st.integers(0, 99))).normal(0, 3, (3, 4))
        values = session.run(tensors, {tensors[0]: feed.astype(np.float32)})
        for tensor, value in zip(tensors, values, strict=True):
            found = ranges.of(tensor)
            slack = 1e-5 * max(1.0, float(np.max(np.abs(value))))
            assert np.all(value >= found.low - slack), tensor
            assert np.all(value <= found.high + slack), tensor


@pytest.mark.soak
@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_the_programs_are_clean(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    graphs: list[td.Graph] = []
    make = td.Graph.__init__

    def noted(self: td.Graph, *arguments: Any, **more: Any) -> None:
        make(self, *arguments, **more)
        graphs.append(self)

    monkeypatch.setattr(td.Graph, "__init__", noted)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path)])  # not what the tests were called with
    td.reset_default_graph()
    runpy.run_path(str(path), run_name="__main__")
    for graph in graphs:
        assert [str(lint) for lint in td.check_graph(graph).lints] == []
