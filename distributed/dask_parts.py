"""Imports of dask, an optional dependency, on first use."""

from __future__ import annotations

from typing import Any, NamedTuple


class Key(NamedTuple):
    """Reference to the value of a task."""

    key: Any


_MISSING = "this runs on dask, which is not installed: pip install 'tensordraft[dask]'"


def dask_array() -> Any:
    """The module `dask.array`.

    Raises:
        ImportError: dask is not installed.
    """
    try:
        import dask.array
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return dask.array


def dask_distributed() -> Any:
    """The module `distributed` of dask.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import distributed
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return distributed


def task(key: Any, function: Any, *args: Any) -> Any:
    """A task of a dask graph; Keys among its arguments refer to results of other tasks."""
    from dask._task_spec import Task, TaskRef

    return Task(key, function, *[TaskRef(x.key) if isinstance(x, Key) else x for x in args])


def alias(key: Any, other: Key) -> Any:
    """Another key for the result of a task."""
    from dask._task_spec import Alias

    return Alias(key, other.key)


def data(key: Any, value: Any) -> Any:
    """Wraps a value as a node of a dask graph."""
    from dask._task_spec import DataNode

    return DataNode(key, value)


def block_graph(array: Any) -> dict[Any, Any]:
    """The tasks that compute the blocks of a dask array."""
    import dask

    (simpler,) = dask.optimize(array)
    return {**simpler.__dask_graph__(), **_renamed(array.name, simpler)}


def _renamed(name: str, array: Any) -> dict[Any, Any]:
    """Tasks that hold the blocks of an array under its former name."""
    from dask.core import flatten

    if array.name == name:
        return {}
    keys = [*flatten(array.__dask_keys__())]
    return {(name, *key[1:]): alias((name, *key[1:]), Key(key)) for key in keys}


def lazy_array(layers: dict[str, Any], sources: Any, name: str, chunks: Any, dtype: Any) -> Any:
    """A dask array whose blocks are in the last of some layers, each reading the one before."""
    import dask.array
    from dask.highlevelgraph import HighLevelGraph

    first, *others = layers
    graph = HighLevelGraph.from_collections(first, layers[first], sources)
    made, dependencies, before = dict(graph.layers), dict(graph.dependencies), first
    for other in others:
        made[other], dependencies[other], before = layers[other], {before}, other
    array: Any = dask.array.Array
    return array(HighLevelGraph(made, dependencies), name, chunks, dtype=dtype)


def storing(da: Any, lazy: Any, target: Any, client: Any, progress: Any) -> None:
    """Computes a lazy array into a writable target, and reports progress.

    Args:
        da: the module `dask.array`.
        lazy: the array.
        target: the target, written block by block.
        client: a client of a cluster; None to compute in this process, block after block.
        progress: called with the unit, the number done, and the total.
    """
    from dask.callbacks import Callback

    if client is not None:
        blocks = [*lazy.to_delayed().ravel()]
        places = list(da.core.slices_from_chunks(lazy.chunks))
        ahead = 2 * max(1, sum(client.nthreads().values()))
        for first in range(0, len(blocks), ahead):  # so that no more blocks wait than fit in memory
            computed = client.compute(blocks[first : first + ahead])
            for i, future in enumerate(computed, first):
                target[places[i]] = future.result()
                progress("chunks", i + 1, len(blocks))
        return

    def report_block(_: Any, __: Any, ___: Any, state: Any, ____: Any) -> None:
        done = len(state["finished"])
        total = done + sum(len(state[k]) for k in ("ready", "waiting", "running"))
        progress("tasks", done, total)

    with Callback(posttask=report_block):
        da.store(lazy, target, lock=True, scheduler="threads", num_workers=2)


def token(*values: Any) -> str:
    """A name that is the same for the same values."""
    from dask.base import tokenize

    return str(tokenize(*values))
