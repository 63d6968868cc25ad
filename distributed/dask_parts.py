"""dask, which is not always installed: imported here, where it is first used."""

from __future__ import annotations

from typing import Any, NamedTuple


class Key(NamedTuple):
    """What stands for the value of a task."""

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
    """A task of a dask graph; arguments that are Keys stand for the results of others."""
    from dask._task_spec import Task, TaskRef

    return Task(key, function, *[TaskRef(x.key) if isinstance(x, Key) else x for x in args])


def data(key: Any, value: Any) -> Any:
    """A value as a node of a dask graph."""
    from dask._task_spec import DataNode

    return DataNode(key, value)


def lazy_array(layers: dict[str, Any], sources: Any, name: str, chunks: Any, dtype: Any) -> Any:
    """A dask array whose blocks are in the last of some layers, of which each reads the former."""
    import dask.array
    from dask.highlevelgraph import HighLevelGraph

    first, *others = layers
    graph = HighLevelGraph.from_collections(first, layers[first], sources)
    made, dependencies, before = dict(graph.layers), dict(graph.dependencies), first
    for other in others:
        made[other], dependencies[other], before = layers[other], {before}, other
    array: Any = dask.array.Array
    return array(HighLevelGraph(made, dependencies), name, chunks, dtype=dtype)


def token(*values: Any) -> str:
    """A name that is the same for the same values."""
    from dask.base import tokenize

    return str(tokenize(*values))
