"""Tasks on a cluster of dask: submitted at once, awaited where their values are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Self
from uuid import uuid4

import numpy as np

from ..runtime import errors
from .combining import joined
from .dask_parts import Key, block_graph, dask_distributed, data, task
from .engine import LostError
from .stage_graph import Program
from .worker import ChunkError

SECONDS_TO_CONNECT = 10

_SMALL = 1 << 12  # bytes sent with every task
_LARGE = 1 << 16  # larger values are not sent inside of a task


class Cluster:
    """A connection to a cluster, or a cluster in this process.

    Args:
        scheduler: a `distributed.Client`; the address of a scheduler, with or without "dask://";
            or "dask", for workers that are threads of this process.

    Raises:
        ImportError: dask is not installed.
        UnavailableError: there is no scheduler at the address.
    """

    def __init__(self, scheduler: Any) -> None:
        module = dask_distributed()
        self._own = not isinstance(scheduler, module.Client)
        if not self._own:
            self.client = scheduler
        elif scheduler == "dask":
            self.client = module.Client(processes=False, dashboard_address=":0")
        else:
            address = str(scheduler).removeprefix("dask://")
            address = address if "://" in address else f"tcp://{address}"
            try:
                self.client = module.Client(
                    address, timeout=SECONDS_TO_CONNECT, set_as_default=False
                )
            except (OSError, TimeoutError, ValueError) as error:
                raise errors.UnavailableError(
                    None, None, f"there is no dask scheduler at {address}: {error}"
                ) from error
        self.spread: dict[str, tuple[Any, Any]] = {}

    def close(self) -> None:
        """Releases what was sent, and closes a connection that was opened here."""
        for _, future in self.spread.values():
            future.release()
        self.spread.clear()
        if self._own:
            self.client.close()

    def address_of(self, number: int) -> str | None:
        """The address of the worker whose name, or else position, is the number."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        named = {str(info["name"]): address for address, info in workers.items()}
        if all(name.isdecimal() for name in named):
            return named.get(str(number))
        places = [named[name] for name in sorted(named)]
        return places[number] if number < len(places) else None

    def lent(self, name: str, value: Any) -> Any:
        """A future of a value that is sent to all workers, unless it has been sent before."""
        sent = self.spread.get(name)
        if sent is not None and sent[1].status == "finished" and _same(sent[0], value):
            return sent[1]
        [future] = self.client.scatter([value], broadcast=True, hash=False)
        self.spread[name] = (value, future)
        return future

    def forget(self) -> None:
        """Forgets what was sent, after workers that held it have died."""
        self.spread.clear()


class ClusterTasks:
    """The tasks of one run; to use in `with`, which releases them at the end.

    Submitted tasks are gathered in a graph, which is sent to the scheduler in one message as soon
    as a stage is complete.

    Args:
        cluster: the cluster that runs them.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._client = cluster.client
        self._name = f"tensordraft-{uuid4().hex}"
        self._numbers = count()
        self._pending: dict[Any, Any] = {}
        self._lazy: dict[Any, Any] = {}
        self._futures: dict[Any, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        # The scheduler releases tasks without futures, finished or not.
        kept = {lent.key for _, lent in self._cluster.spread.values()}
        for key, future in self._futures.items():
            if key not in kept:
                future.release()
        self._futures.clear()
        self._pending.clear()
        self._lazy.clear()

    def blocks(self, array: Any, axis: int) -> list[Key]:
        """Keys for the blocks of a dask array along an axis; workers compute them."""
        graph = block_graph(array)
        places = [[0] * array.ndim for _ in range(array.numblocks[axis])]
        for i, place in enumerate(places):
            place[axis] = i
        keys = [(array.name, *place) for place in places]
        self._lazy.update(dict.fromkeys(keys, graph))
        return [Key(key) for key in keys]

    def submit(self, function: Callable[..., Any], *args: Any) -> Key:
        """A key for the result of a function."""
        sent_args = [self._sent(arg) for arg in args]
        for arg in args:
            if isinstance(arg, Key) and arg.key in self._lazy and arg.key not in self._pending:
                self._pending.update(self._lazy[arg.key])
        key = (self._name, next(self._numbers))
        self._pending[key] = task(key, function, *sent_args)
        return Key(key)

    def _sent(self, value: Any) -> Any:
        """A key for a large array, which is sent to a worker and not to the scheduler."""
        if not isinstance(value, np.ndarray) or value.nbytes <= _LARGE:
            return value
        [future] = self._sending(lambda: self._client.scatter([value], hash=False))
        self._futures[future.key] = future
        return Key(future.key)

    def spread(self, value: Any, name: str = "") -> Any:
        """A key for a value that all workers have."""
        if isinstance(value, np.ndarray) and value.nbytes <= _SMALL:
            return value
        if isinstance(value, Program) and len(value.graph_def) <= _LARGE:
            key = (self._name, next(self._numbers))
            self._pending[key] = data(key, value)
            return Key(key)
        future = self._sending(lambda: self._cluster.lent(name, value))
        self._futures[future.key] = future
        return Key(future.key)

    def start(self, handles: Sequence[Any], worker: int | None = None) -> None:
        """Starts all submitted tasks and keeps the results of some.

        Args:
            handles: the results to keep.
            worker: the number of the preferred worker.
        """
        keys = [handle.key for handle in handles if handle.key not in self._futures]
        graph, self._pending = self._pending, {}
        if keys:
            where = None if worker is None else self._cluster.address_of(worker)
            how = {} if where is None else {"workers": [where], "allow_other_workers": True}
            futures = self._told(lambda: self._client.get(graph, keys, sync=False, **how))
            self._futures.update(zip(keys, futures, strict=True))

    def value(self, handle: Any) -> Any:
        """Waits for the value of a key."""
        return self._values([handle])[0]

    def joined(self, axis: int, handles: Sequence[Any]) -> Any:
        """The values of keys, concatenated in this process."""
        return joined(axis, *self._values(handles))

    def _values(self, handles: Sequence[Any]) -> list[Any]:
        """The values of keys; other values are returned as they are."""
        keys = [handle for handle in handles if isinstance(handle, Key)]
        self.start(keys)
        futures = [self._futures[handle.key] for handle in keys]
        gathered = iter(self._told(lambda: self._client.gather(futures)))
        return [next(gathered) if isinstance(handle, Key) else handle for handle in handles]

    def _sending(self, function: Callable[[], Any]) -> Any:
        """Result of a call that sends data; raises LostError if a worker dies meanwhile."""
        try:
            return function()
        except Exception as error:
            if self._client.status != "running":
                raise self._as_told(error) from error
            self._cluster.forget()
            raise LostError(f"{type(error).__name__}: {error}") from error

    def _told(self, function: Callable[[], Any]) -> Any:
        """Result of a dask call, with its exceptions converted to `td.errors`."""
        try:
            return function()
        except ChunkError:
            raise
        except Exception as error:
            raise self._as_told(error) from error

    def _as_told(self, error: Exception) -> Exception:
        name = type(error).__name__
        if self._client.status != "running" or isinstance(error, OSError):
            return errors.UnavailableError(
                None, None, f"the dask scheduler does not answer any more ({name})"
            )
        if name == "KilledWorker":
            return errors.ResourceExhaustedError(
                None,
                None,
                "workers died repeatedly on one chunk, possibly out of memory; "
                f"smaller chunks (split_bytes) need less. {error}",
            )
        if name in ("FutureCancelledError", "CancelledError", "FuturesCancelledError"):
            self._cluster.forget()
            self._futures.clear()
            return LostError(str(error))
        return error


def _same(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
    return bool(x == y)
