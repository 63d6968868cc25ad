"""Device strings that pin what is run in chunks to workers."""

from __future__ import annotations

import numpy as np
import pytest
import worker_functions
from cluster_fixture import client

import tensordraft as td
from distributed import Client
from tensordraft.distributed.cluster import Cluster

__all__ = ["client"]

ROWS = np.arange(60, dtype=np.float32).reshape(20, 3)


def processes(x: td.Tensor) -> td.Tensor:
    """The number of the process that computes it, for each row."""
    result: td.Tensor = td.py_func(worker_functions.process_of, [x], td.int64, stateful=False)
    result.set_shape(["batch"])
    return result


def model(*devices: str) -> tuple[td.Graph, list[td.Tensor]]:
    with td.Graph().as_default() as graph:
        x, found = td.placeholder(td.float32, ["batch", 3], name="x"), []
        for device in devices:
            with td.device(device):
                found.append(processes(x))
        return graph, found


def test_chunks_run_on_the_worker_that_is_named(client: Client) -> None:
    graph, fetches = model("/job:worker/task:1", "/job:worker/task:0", "/job:worker/task:1/cpu:0")
    pids = client.run(lambda: __import__("os").getpid())
    names = {info["name"]: address for address, info in client.scheduler_info()["workers"].items()}
    with td.data_parallel(graph, split_bytes=24, scheduler=client) as session:
        report = session.explain(fetches)
        results = session.run(fetches, {"x:0": ROWS})
    assert "in chunks on worker 1: 2 ops" in report
    assert "in chunks on worker 0: 1 ops" in report
    for result, number in zip(results, (1, 0, 1), strict=True):
        assert set(result.tolist()) == {pids[names[number]]}


def test_pinned_ops_read_what_others_have_made(client: Client) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        with td.device("/job:worker/task:1"):
            hidden = td.nn.softmax(x, 0)
        with td.device("/job:worker/task:0"):
            y = td.reduce_sum(hidden * x, 1) + td.random_uniform([td.shape(x)[0]], seed=1)
    with td.Session(graph=graph) as session:
        wanted = session.run(y, {x: ROWS})
    with td.data_parallel(graph, split_bytes=24, scheduler=client) as session:
        np.testing.assert_allclose(session.run(y, {x: ROWS}), wanted, 1e-6)
    lazy = td.map_blocks(graph, td.reduce_sum(hidden, 0), {"x": ROWS}, split_bytes=24)
    np.testing.assert_allclose(lazy.compute(), [1, 1, 1], 1e-6)


@pytest.mark.parametrize(
    "device", ["/job:worker/task:9", "/job:ps/task:0", "/job:worker", "/gpu:0", ""]
)
def test_other_devices_leave_the_choice_to_dask(client: Client, device: str) -> None:
    graph, [y] = model(device)
    with td.data_parallel(graph, split_bytes=24, scheduler=client) as session:
        assert session.run(y, {"x:0": ROWS}).all()
        assert ("on worker" in session.explain(y)) == device.endswith("9")


def test_workers_without_numbers_are_counted_by_name() -> None:
    class Clients:
        def scheduler_info(self, n_workers: int) -> object:
            names = {"tcp://b": "beta", "tcp://a": "alpha"}
            return {"workers": {address: {"name": name} for address, name in names.items()}}

    cluster = Cluster.__new__(Cluster)
    cluster.client = Clients()
    assert [cluster.address_of(i) for i in range(3)] == ["tcp://a", "tcp://b", None]
