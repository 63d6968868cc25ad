"""Runs on a real cluster of processes: results, deaths, refusals."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from cluster_fixture import client, kill_a_worker
from places import created_in

import tensordraft as td
from distributed import Client
from tensordraft.distributed import worker
from tensordraft.distributed.cluster import Cluster, ClusterTasks
from tensordraft.distributed.stage_graph import Program

__all__ = ["client"]

ROWS = np.random.default_rng(0).normal(size=(400, 6)).astype(np.float32)
LABELS = (ROWS.sum(1) > 0).astype(np.int32)


def training() -> tuple[td.Graph, Any, Any, Any]:
    with td.Graph().as_default() as graph:
        td.set_random_seed(1)
        x = td.placeholder(td.float32, ["batch", 6], name="x")
        labels = td.placeholder(td.int32, ["batch"], name="labels")
        hidden = td.layers.dense(x, 8, td.nn.relu)
        logits = td.layers.dense(td.layers.batch_normalization(hidden, training=True), 2)
        losses = td.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = td.reduce_mean(losses)
        step = td.train.AdamOptimizer(0.05).minimize(loss)
        start = td.global_variables_initializer()
    return graph, start, [loss, step], {x: ROWS, labels: LABELS}


def losses(session: td.Session, *loop: Any) -> Any:
    """A training loop as it is written for one machine."""
    start, fetches, feeds, *between = loop
    session.run(start)
    found = []
    for number in range(6):
        for act in between:
            act(number)
        found.append(session.run(fetches, feeds)[0])
    return np.array(found)


def test_a_training_loop_runs_unchanged_on_many(client: Client) -> None:
    graph, *loop = training()
    with td.Session(graph=graph) as session:
        expected = losses(session, *loop)
    with td.data_parallel(graph, split_bytes=3000) as session:
        in_chunks = losses(session, *loop)
    with td.data_parallel(graph, split_bytes=3000, scheduler=client) as session:
        on_cluster = losses(session, *loop)
    np.testing.assert_allclose(in_chunks, expected, 1e-5)
    assert on_cluster.tolist() == in_chunks.tolist(), "the order does not depend on workers"


@pytest.mark.soak
def test_workers_that_die_change_nothing(client: Client) -> None:
    graph, *loop = training()
    with td.data_parallel(graph, split_bytes=3000) as session:
        in_chunks = losses(session, *loop)
    timers = []

    def between(number: int) -> None:
        if number % 2:
            timers.append(threading.Timer(0.02, kill_a_worker, (client, number // 2)))
            timers[-1].start()

    with td.data_parallel(graph, split_bytes=3000, scheduler=client) as session:
        killed = losses(session, *loop, between)
    for timer in timers:
        timer.join()
    client.wait_for_workers(2, timeout=60)
    assert killed.tolist() == in_chunks.tolist()


def test_targets_of_sessions(client: Client) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 6], name="x")
        y = td.reduce_sum(x, 1)
    address = client.scheduler.address.replace("tcp://", "dask://")
    for target in (client, address):
        with td.Session(target, graph=graph) as session:
            assert isinstance(session, td.Session)
            large = np.ones([400_000, 6], np.float32) * np.arange(6, dtype=np.float32)
            result = session.run(y, {x: large[:, :]})
            assert result.shape == (400_000,)
            assert (result == 15).all()


def test_a_chunk_that_fails_tells_the_op_its_line_and_the_rows(client: Client) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.int32, ["batch"], name="x")
        y = td.gather(td.constant([1, 2, 3]), x, name="lookup")
    wrong = np.zeros(1000, np.int32)
    wrong[777] = 9
    with td.data_parallel(graph, split_bytes=400, scheduler=client) as session:
        with pytest.raises(td.errors.InvalidArgumentError) as caught:
            session.run(y, {x: wrong})
        lines = caught.value.message.split("\n")
        assert lines[0] == "indices[77] = 9 is not in [0, 3)"
        assert lines[1].startswith(f"  in 'lookup' (gather), {created_in(__file__)}")
        assert lines[-1] == "  in rows 700 to 799"
        assert caught.value.op is y.op
        assert session.run(y, {x: wrong * 0}).sum() == 1000, "the session can still be used"


def test_versions_have_to_agree(client: Client) -> None:
    program = Program("0.0.0", "of another version", b"", (), ())
    with (
        ClusterTasks(Cluster(client)) as tasks,
        pytest.raises(worker.ChunkError, match=r"the driver has tensordraft 0\.0\.0, this worker"),
    ):
        tasks.value(tasks.submit(worker.run_chunk, program, (0, 1)))


def test_nothing_stays_on_the_cluster(client: Client) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 6], name="x")
        mean = td.reduce_mean(x)
    before = set(client.futures)
    with td.data_parallel(graph, split_bytes=3000, scheduler=client) as session:
        session.run(mean, {x: ROWS})
    for _ in range(50):  # the client lets go in a thread of its own
        if set(client.futures) <= before:
            break
        client.scheduler_info()
    assert set(client.futures) <= before


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordraft.distributed.cluster.SECONDS_TO_CONNECT", 1)
    with pytest.raises(td.errors.UnavailableError, match="there is no dask scheduler at tcp://"):
        td.data_parallel(td.Graph(), scheduler="not an address:0")
