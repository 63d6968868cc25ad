"""A cluster of processes on this machine, which tests share."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from distributed import Client, LocalCluster


@contextlib.contextmanager
def local_cluster(workers: int, folder: Any) -> Iterator[Client]:
    """A client of so many processes with one thread each; on any free ports."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=":0",
            local_directory=str(folder),
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with local_cluster(2, tmp_path_factory.mktemp("dask")) as client:
        yield client


def kill_a_worker(client: Client, number: int) -> None:
    """Kills a process of a worker, as the system does when memory runs out.

    One that is only beginning is let be: what watches over it would then give it up.
    """
    nannies = [*client.cluster.workers.values()]
    nanny = nannies[number % len(nannies)]
    known = client.cluster.scheduler.workers
    if nanny.status.name == "running" and nanny.worker_address in known and nanny.pid is not None:
        os.kill(nanny.pid, signal.SIGKILL)
