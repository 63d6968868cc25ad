"""Failures on a cluster of processes: one clear error each, and the session stays usable."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_fixture import client, kill_a_worker, local_cluster

import tensordraft as td
from distributed import Client

__all__ = ["client"]

ROWS = np.random.default_rng(0).normal(size=(4000, 8)).astype(np.float32)


def model(rounds: int = 1) -> tuple[td.Graph, Any]:
    """A mean, rows of which it is taken, and constants that are sent once; rounds take time."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 8], name="x")
        weights = td.constant(np.eye(8, dtype=np.float32).repeat(4000, 1), name="weights")
        centred = x - td.reduce_mean(x, 0)
        product = td.while_loop(
            lambda i, y: i < rounds,
            lambda i, y: (i + 1, td.matmul(td.matmul(y, weights), weights, transpose_b=True) / 4e3),
            [0, centred],
        )[1]
        return graph, [product, td.reduce_sum(product * product)]


def close_to_whole(found: Any, graph: td.Graph, fetches: Any) -> bool:
    with td.Session(graph=graph) as session:
        wanted = session.run(fetches, {"x:0": ROWS})
    return all(np.allclose(*pair, 1e-4, 1e-4) for pair in zip(found, wanted, strict=True))


@pytest.mark.soak
def test_workers_that_hold_constants_are_killed(client: Client) -> None:
    graph, fetches = model(2)
    with td.data_parallel(graph, split_bytes=16_000, scheduler=client) as session:
        first = session.run(fetches, {"x:0": ROWS})
        for number in range(3):
            timer = threading.Timer(0.05 * number, kill_a_worker, (client, number))
            timer.start()
            found = session.run(fetches, {"x:0": ROWS})
            timer.join()
            client.wait_for_workers(2, timeout=60)
            for value, result in zip(first, found, strict=True):
                np.testing.assert_array_equal(result, value)
    assert close_to_whole(first, graph, fetches)


@pytest.mark.soak
def test_an_interrupted_run_leaves_the_session_usable(client: Client) -> None:
    graph, fetches = model(300)
    quick = graph.get_tensor_by_name("x:0")
    with graph.as_default():
        total = td.reduce_sum(quick)
    with td.data_parallel(graph, split_bytes=16_000, scheduler=client) as session:
        timer = threading.Timer(0.7, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(fetches, {"x:0": ROWS})
        timer.join()
        np.testing.assert_allclose(session.run(total, {"x:0": ROWS}), ROWS.sum(), 1e-3)
    waiting = [
        state
        for state in client.run_on_scheduler(
            lambda dask_scheduler: [task.state for task in dask_scheduler.tasks.values()]
        )
        if state in ("waiting", "no-worker", "queued")
    ]
    assert not waiting


@pytest.mark.soak
def test_a_scheduler_that_goes_away_is_told(tmp_path: Path) -> None:
    graph, fetches = model(40)
    with local_cluster(1, tmp_path) as client:
        cluster: Any = client.cluster
        with td.data_parallel(graph, split_bytes=4000, scheduler=client) as session:
            timer = threading.Timer(0.5, cluster.close)
            timer.start()
            with pytest.raises(td.errors.UnavailableError, match=r"dask scheduler|workers went"):
                session.run(fetches, {"x:0": ROWS})
            timer.join()
            with td.Session(graph=graph) as other:
                assert len(other.run(fetches, {"x:0": ROWS[:5]})[0]) == 5


@pytest.mark.soak
def test_a_worker_that_runs_out_of_memory_is_told(client: Client) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 8], name="x")
        y = td.reduce_sum(x, 1)
    run = client.run(_limit_memory)
    assert run
    with td.data_parallel(graph, split_bytes=3 << 30, scheduler=client) as session:
        with graph.as_default():
            large = td.reduce_sum(td.tile(x, [1, 100_000]) + 1.0, 1)
        with pytest.raises(td.errors.ResourceExhaustedError):
            session.run(large, {"x:0": da_rows()})
        assert session.run(y, {"x:0": da_rows()}).shape == (4000,)


def da_rows() -> Any:
    import dask.array as da

    return da.from_array(ROWS, chunks=(2000, 8))


def _limit_memory() -> bool:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return True


def test_memory_that_is_not_there_is_told_with_the_rows() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 8], name="x")
        large = td.reduce_sum(td.tile(x, [1, 1 << 45]), 1)
    with (
        td.data_parallel(graph, split_bytes=1000) as session,
        pytest.raises(td.errors.ResourceExhaustedError, match="in rows 0 to "),
    ):
        session.run(large, {x: ROWS})
