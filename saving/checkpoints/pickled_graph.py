"""Graphs as bytes and back, for `pickle` and `copy`."""

from __future__ import annotations

from ...graph.graph import Graph
from ...protos.messages import MetaGraphDef
from .meta_graph import export_meta_graph, import_meta_graph


def bytes_of(graph: Graph) -> bytes:
    """The graph as a MetaGraphDef, behind its seed."""
    message = export_meta_graph(graph=graph)
    return f"{graph.seed}\n".encode() + message.SerializeToString(deterministic=True)


def graph_of(data: bytes) -> Graph:
    """The graph that `bytes_of` has written."""
    seed, _, message = data.partition(b"\n")
    graph = Graph()
    graph.seed = None if seed == b"None" else int(seed)
    with graph.as_default():
        import_meta_graph(MetaGraphDef.FromString(message))
    return graph
