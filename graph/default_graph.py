"""The graph that ops are added to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .graph import Graph
from .node import Operation, Tensor
from .scopes import graphs

if TYPE_CHECKING:
    from collections.abc import Iterable

_global_graph: list[Graph] = []


def get_default_graph() -> Graph:
    """The graph that ops are added to: the innermost default one, else one for the process.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     td.get_default_graph() is graph
        True
    """
    graph = graphs.innermost()
    if graph is None:
        if not _global_graph:
            _global_graph.append(Graph())
        graph = _global_graph[0]
    return graph  # type: ignore[no-any-return]


def reset_default_graph() -> None:
    """Replaces the default graph of the process with an empty one.

    Raises:
        ValueError: inside a `with graph.as_default()` block.

    Example:
        >>> import tensordraft as td
        >>> td.reset_default_graph()
        >>> td.get_default_graph().get_operations()
        []
    """
    if graphs.items:
        raise ValueError("reset_default_graph() cannot be called inside a graph's `with` block")
    _global_graph.clear()


def graph_of(inputs: Iterable[Any]) -> Graph:
    """The graph of the tensors among `inputs` (lists are looked into), else the default graph.

    Raises:
        ValueError: two of them are of different graphs.
    """
    found: Tensor | Operation | None = None
    for item in inputs:
        for tensor in item if isinstance(item, (list, tuple)) else (item,):
            if isinstance(tensor, (Tensor, Operation)):
                if found is None:
                    found = tensor
                elif tensor.graph is not found.graph:
                    raise ValueError(
                        f"{tensor.name!r} and {found.name!r} are of different graphs; an op takes "
                        "tensors of one graph"
                    )
    return get_default_graph() if found is None else found.graph
