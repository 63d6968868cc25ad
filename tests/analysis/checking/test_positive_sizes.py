"""Sizes that are not 0: stated for all at once, kept by reshapes, checked of what is fed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.shape_inference.symbolic.symbolic import as_symbol


def sequences(sizes: Any, **options: Any) -> tuple[td.Graph, td.Tensor, td.Tensor]:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, sizes, name="x", **options)
        flat = td.reshape(x, [-1, 4])
        return graph, x, td.reshape(flat, [-1, td.shape(x)[1], 4], name="y")


def shown(report: Any) -> dict[str, str]:
    rows = [line.split(maxsplit=2) for line in str(report).splitlines() if ":0 " in line]
    return {row[0]: row[2] for row in rows if len(row) == 3}


NAMED = ["batch", "time", 4]


def test_a_fact_keeps_the_size_of_batches() -> None:
    assert str(sequences(NAMED)[2].shape) == "(?, time, 4)"
    assert str(sequences(["batch", td.Size("time", min=1), 4])[2].shape) == "(batch, time, 4)"
    assert str(sequences(NAMED, positive=True)[2].shape) == "(batch, time, 4)"
    assert str(sequences([None, None, 4], positive=True)[2].shape) == "(x.0, x.1, 4)"
    graph, *_ = sequences(NAMED)
    assert shown(td.check_graph(graph, positive=True))["y:0"] == "(batch, time, 4)"


def test_the_report_names_the_fact_that_is_missing() -> None:
    graph, *_ = sequences(NAMED)
    text = str(td.check_graph(graph))
    assert (
        "  since time may be 0, where -1 is ambiguous; with the fact that it is at least 1 "
        "(td.Size with min=1, positive=True, or --positive) the size is batch\n"
    ) in text
    graph, *_ = sequences([None, None, 4])
    assert "  since a size of shape may be 0, " in str(td.check_graph(graph))
    assert "since" not in str(td.check_graph(graph, positive=True))


def test_runs_refuse_what_is_empty() -> None:
    for sizes, size in (([None, None, 4], "x.1"), (NAMED, "time")):
        graph, x, y = sequences(sizes, positive=True)
        with td.Session(graph=graph) as session:
            assert session.run(y, {x: np.zeros([2, 3, 4])}).shape == (2, 3, 4)
            message = rf"{size} must be at least 1, got 0"
            with pytest.raises(ValueError, match=message):
                session.run(y, {x: np.zeros([2, 0, 4])})
    graph, x, y = sequences(NAMED)
    with td.Session(graph=graph) as session:
        assert session.run(y, {x: np.zeros([0, 3, 4])}).shape == (0, 3, 4)
        assert session.run(y, {x: np.zeros([2, 0, 4])}).shape == (1, 0, 4)  # as TensorFlow has it


def test_files_keep_the_fact() -> None:
    graph, *_ = sequences([None, None, 4], positive=True)
    with td.Graph().as_default() as read:
        td.import_graph_def(graph.as_graph_def(), name="")
        y = read.get_tensor_by_name("y:0")
    assert str(y.shape) == "(x.0, x.1, 4)"
    with td.Session(graph=read) as session, pytest.raises(ValueError, match="at least 1"):
        session.run(y, {"x:0": np.zeros([0, 1, 4])})


def test_other_facts_stay() -> None:
    size = td.Size("n", max=12, multiple_of=4)
    x = td.placeholder(td.float32, [size, size * 2, None], positive=True, name="other")
    symbol = as_symbol(x.shape[0].size)  # type: ignore[arg-type]
    assert symbol is not None
    assert (symbol.lower, symbol.upper, symbol.multiple_of) == (4, 12, 4)
    assert str(x.shape) == "(n, 2*n, other.2)"
    assert td.placeholder(td.float32, positive=True).shape.rank is None
    with pytest.raises(ValueError, match="a size is 0, where all are to be positive"):
        td.placeholder(td.float32, [None, 0], positive=True)


def test_unnamed_sizes_are_told_apart() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, None], name="x")
        left = td.boolean_mask(x, x[:, 0] > 0.0)
        right = td.boolean_mask(x, x[:, 1] > 0.0)
        td.concat([left, right], 0, name="both")
        td.concat([left, left], 0, name="twice")
    report = td.check_graph(graph)
    found = shown(report)
    assert found["x:0"] == "(x.0, x.1)"
    assert found["both:0"] == "(?1 + ?2, x.1)"
    assert found["twice:0"] == "(2*?1, x.1)"
    assert {fact.name: str(fact.shape) for fact in report.tensors}["x:0"] == "(?, ?)"


def test_sizes_are_given_by_the_names_that_are_shown() -> None:
    graph, *_ = sequences([None, "time", 4])
    found = shown(td.check_graph(graph, sizes={"x.0": 32, "time": 7}))
    assert found["x:0"] == "(32, 7, 4)"
    assert found["y:0"] == "(32, 7, 4)"
    found = shown(td.check_graph(graph, {"x": ["n", 5, 4]}, sizes={"n": 2}))
    assert found["y:0"] == "(2, 5, 4)"
    with pytest.raises(ValueError, match=r"is named 'tim'; did you mean 'time'"):
        td.check_graph(graph, sizes={"tim": 7})
    with pytest.raises(ValueError, match=r"named 'q'; the sizes of inputs are time, x.0"):
        td.check_graph(graph, sizes={"q": 7})
