"""Ops that are split step by step: normalization in training, softmax over rows, networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

RANDOM = np.random.default_rng(5)
IMAGES = RANDOM.normal(3, 2, size=(17, 4, 4, 3)).astype(np.float32)
TABLE = RANDOM.normal(0, 9, size=(23, 3)).astype(np.float32)


def normalized(form: str, share: float) -> Callable[[], Any]:
    def build() -> Any:
        x = td.placeholder(td.float32, ["batch", 4, 4, 3], name="x")
        y = x if form == "NHWC" else td.transpose(x, [0, 3, 1, 2])
        scale, offset = td.constant([1.0, 2.0, 3.0]), td.constant([0.0, 1.0, 2.0])
        old: dict[str, Any] = {"mean": [1.0, 2.0, 3.0], "variance": [1.0, 1.0, 1.0]}
        if share != 1:
            old["exponential_avg_factor"] = share
        y, mean, variance = td.nn.fused_batch_norm(y, scale, offset, data_format=form, **old)
        loss = td.reduce_sum(td.square(y) * td.reduce_mean(x) + y)
        return [y, mean, variance, loss, *td.gradients(loss, [x, scale, offset])]

    return build


def over_rows() -> Any:
    x = td.placeholder(td.float32, ["batch", 3], name="x")
    columns = td.transpose(x)
    wanted = td.nn.softmax(td.transpose(x * 0.1))
    losses = td.nn.softmax_cross_entropy_with_logits(labels=wanted, logits=columns)
    shares = td.nn.softmax(x, axis=0)
    return [
        shares,
        td.nn.log_softmax(columns),
        losses,
        td.reduce_logsumexp(x, 0),
        *td.gradients(td.reduce_sum(shares**2) + td.reduce_sum(losses), x),
    ]


CASES: dict[str, tuple[Callable[[], Any], Any]] = {
    "images": (normalized("NHWC", 1.0), IMAGES),
    "images with channels first": (normalized("NCHW", 1.0), IMAGES),
    "running averages": (normalized("NHWC", 0.3), IMAGES),
    "no rows": (normalized("NHWC", 1.0), IMAGES[:0]),
    "softmax over rows": (over_rows, TABLE),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chunk", [60, 2000])
def test_what_falls_apart_in_steps(name: str, chunk: int) -> None:
    build, rows = CASES[name]
    with td.Graph().as_default() as graph:
        fetches = build()
    assert td.split_report(graph, fetches).ok
    with td.Session(graph=graph) as session:
        wanted = session.run(fetches, {"x:0": rows})
    with td.data_parallel(graph, split_bytes=chunk if len(rows) else -1) as session:
        found = session.run(fetches, {"x:0": rows})
    lazy = td.map_blocks(graph, fetches, {"x": rows}, split_bytes=chunk)
    for value, result, later in zip(wanted, found, lazy, strict=True):
        most = np.abs(value).max(initial=1)
        np.testing.assert_allclose(result, value, 3e-6, 3e-6 * most)
        np.testing.assert_allclose(later.compute(), value, 3e-6, 3e-6 * most)


def test_the_report_tells_what_all_chunks_have_the_same_of() -> None:
    with td.Graph().as_default() as graph:
        fetches = normalized("NHWC", 1.0)()
    report = td.split_report(graph, fetches)
    assert [item.part for item in report.fetches[:3]] == [
        "split along axis 0",
        "same in all chunks",
        "same in all chunks",
    ]
    assert "  of any chunk: FusedBatchNormV3:1, FusedBatchNormV3:2" in report.stages


def test_sums_are_added_and_scaled_before_they_are_combined() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        one, other = td.reduce_sum(x, 0), td.reduce_sum(x * x, 0)
        total = td.reshape(td.add_n([-one, other * 0.5]) / 4.0 - one, [3, 1], name="total")
        grown = total + td.ones([3, 2]) * td.reshape(one, [3, 1])
        mean = td.reduce_mean(x, 0) + td.reduce_mean(td.tanh(x), 0)
        mixed = td.reduce_mean(x, 0) + one
    report = td.split_report(graph, [total, mean, grown, mixed])
    parts = [item.part for item in report.fetches]
    assert parts == ["partial sum", "partial mean", "whole", "whole"]
    with td.Session(graph=graph) as session:
        wanted = session.run([total, mean, grown, mixed], {x: TABLE})
    with td.data_parallel(graph, split_bytes=60) as session:
        found = session.run([total, mean, grown, mixed], {x: TABLE})
    for value, result in zip(wanted, found, strict=True):
        np.testing.assert_allclose(result, value, 1e-5, 1e-5)


def convolutional() -> tuple[list[td.Tensor], td.Tensor]:
    x = td.placeholder(td.float32, ["batch", 12, 12, 1])
    hidden = td.layers.conv2d(x, 4, 3, activation=td.nn.relu)
    hidden = td.layers.batch_normalization(td.layers.max_pooling2d(hidden, 2, 2), training=True)
    hidden = td.layers.dense(td.layers.flatten(hidden), 8, td.nn.relu)
    return [x], td.layers.dense(td.layers.dropout(hidden, training=True, seed=4), 3)


def recurrent() -> tuple[list[td.Tensor], td.Tensor]:
    x = td.placeholder(td.float32, ["batch", 5, 4])
    outputs, _ = td.nn.dynamic_rnn(td.nn.rnn_cell.LSTMCell(6), x, dtype=td.float32)
    return [x], td.layers.dense(outputs[:, -1], 3)


def perceptron() -> tuple[list[td.Tensor], td.Tensor]:
    x = td.placeholder(td.float32, ["batch", 6])
    return [x], td.layers.dense(td.layers.dense(x, 8, td.nn.relu), 3)


@pytest.mark.parametrize("build", [perceptron, convolutional, recurrent])
def test_training_in_chunks_is_training(build: Callable[[], Any]) -> None:
    with td.Graph().as_default() as graph:
        td.set_random_seed(2)
        [x], logits = build()
        labels = td.placeholder(td.int32, ["batch"])
        loss = td.losses.sparse_softmax_cross_entropy(labels, logits)
        with td.control_dependencies(td.get_collection(td.GraphKeys.UPDATE_OPS)):
            step = td.train.AdamOptimizer(0.01).minimize(loss)
        start = td.global_variables_initializer()
    assert td.split_report(graph, [loss, step]).ok
    shape = [40, *x.shape.as_list()[1:]]
    feeds = {x: RANDOM.normal(size=shape), labels: RANDOM.integers(0, 3, 40)}
    found = []
    for chunk in (1 << 40, 3000, 200):
        with td.data_parallel(graph, split_bytes=chunk) as session:
            session.run(start)
            found.append([session.run([loss, step], feeds)[0] for _ in range(4)])
    for losses in found[1:]:
        np.testing.assert_allclose(losses, found[0], 2e-6)
