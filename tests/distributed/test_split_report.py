"""Split reports: networks, training steps, and ops that cannot be split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from places import created_in

import tensordraft as td
from tensordraft.graph.registry import definitions


def classifier() -> tuple[td.Graph, dict[str, td.Tensor]]:
    with td.Graph().as_default() as graph:
        td.set_random_seed(3)
        x = td.placeholder(td.float32, ["batch", 6], name="x")
        labels = td.placeholder(td.int32, ["batch"], name="labels")
        hidden = td.layers.dense(x, 5, td.nn.relu, name="hidden")
        logits = td.layers.dense(hidden, 3, name="logits")
        losses = td.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = td.reduce_mean(losses, name="loss")
        gradients = td.gradients(loss, td.trainable_variables())
        train = td.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
    found = {"x": x, "labels": labels, "logits": logits, "loss": loss, "train": train}
    return graph, {**found, **{f"gradient_{i}": g for i, g in enumerate(gradients)}}


def test_a_training_step_is_partial_sums_and_an_update_that_is_whole() -> None:
    graph, found = classifier()
    wanted = [value for name, value in found.items() if name.startswith("gradient")]
    report = td.split_report(graph, [found["loss"], *wanted])
    assert report.ok
    assert report.fetches[0].part == "partial mean"
    assert {item.part for item in report.fetches[1:]} == {"partial sum"}
    step = td.split_report(graph, found["train"])
    assert step.ok
    assert [line.split(":")[0] for line in step.stages if not line.startswith(" ")] == [
        "once",
        "in chunks",
        "once",
    ]


def test_sizes_of_what_is_split_are_those_of_the_whole() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        sizes = td.shape(x, name="sizes")
        mean = td.reduce_sum(x) / td.cast(sizes[0], td.float32)
        flat = td.reshape(x, [sizes[0], -1, 1])
    report = td.split_report(graph, [sizes, mean, flat])
    assert [item.part for item in report.fetches] == ["own", "whole", "split along axis 0"]


@pytest.mark.parametrize(
    ("build", "type", "reason"),
    [
        (td.cumsum, "Cumsum", "axis 0"),
        (lambda x: td.argmax(x, 0), "ArgMax", "axis 0"),
        (lambda x: td.reverse(x, [0]), "ReverseV2", "axis 0"),
        (lambda x: x[:5], "StridedSlice", "of what is split"),
        (lambda x: td.unique(td.reshape(x, [-1]))[0], "Unique", "no rule"),
        (lambda x: td.matmul(x, x, transpose_b=True), "MatMul", "different axes"),
        (lambda x: td.reduce_mean(td.cast(x, td.int32), 0), "Mean", "rounded"),
        (lambda x: td.reshape(x, [3, -1]), "Reshape", "tears rows"),
        (td.random_shuffle, "RandomShuffle", "state"),
        (lambda x: td.py_func(np.sin, [x], td.float32), "PyFunc", "function of the program"),
        (lambda x: td.concat([x, x], 0), "ConcatV2", "of what is split"),
        (lambda x: td.tile(x, [2, 1]), "Tile", "of what is split"),
    ],
)
def test_what_mixes_rows_is_named_with_the_reason(build: Any, type: str, reason: str) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        y = td.identity(build(x), name="y")
    report = td.split_report(graph, y)
    assert report.mixed[0].type == type
    assert reason in report.mixed[0].reason
    text = f"the first op that mixes rows is {report.mixed[0].where}: "
    assert text in str(report)
    assert created_in(__file__) in text


def test_the_size_is_the_first_of_the_inputs_where_nothing_has_its_name() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 3], name="x")
        y = td.square(x, name="y")
    assert td.split_report(graph, y).fetches == td.split_report(graph).fetches
    assert td.split_report(graph).fetches[0].part == "split along axis 0"


def test_shapes_name_the_size_where_the_graph_does_not() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, None], name="x")
        td.reduce_sum(x, 1, name="y")
    along_columns = td.split_report(graph, "y:0", "n", shapes={"x": [None, "n"]})
    assert [item.part for item in along_columns.inputs] == ["split along axis 1"]
    assert along_columns.fetches[0].part == "partial sum"


def test_a_size_that_nothing_has_is_refused() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [2, 3], name="x")
        y = td.square(x)
    with pytest.raises(ValueError, match=r"along = 'batch': no feed has a size of"):
        td.split_report(graph, y)


def test_the_report_prints_what_is_fed_fetched_and_run() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        y = td.subtract(x, td.reduce_mean(x, 0), name="y")
    assert str(td.split_report(graph, y)).split("\n") == [
        (
            "along batch: 2 tensors are split, 1 combined from parts, 0 sizes of each chunk's own, "
            "1 whole"
        ),
        "fed",
        "  x:0  float32(batch, 3)  split along axis 0",
        "fetched",
        "  y:0  float32(batch, 3)  split along axis 0",
        "run",
        "  in chunks: 1 ops (1 Mean)",
        "    combined by mean: Mean:0",
        "  in chunks: 1 ops (1 Sub)",
        "    put together: y:0",
        "no op mixes rows",
    ]


def test_rules_are_for_ops_that_there_are() -> None:
    for definition in definitions():
        inputs, arrow, results = definition.traits.splits.partition("->")
        if arrow:
            signature = definition.signature
            assert len(inputs.split(",")) == len(signature.inputs), definition
            assert len(results.split(",")) in (1, len(signature.outputs)), definition
