"""Removal of nodes that nothing reads and that serve no purpose."""

from __future__ import annotations

from ...graph.api.graph_ends import graph_ends
from ...graph.importing.importer import import_whole
from ...graph.node_def import source_name
from ...protos.messages import GraphDef
from .graph_editing import extract_sub_graph


def without_loose_ends(graph_def: GraphDef) -> GraphDef:
    """Removes remains of assertions, conditionals and loops, and the nodes that only they need."""
    graph = import_whole(graph_def)
    loose = {op.name for op in graph_ends(graph).loose}
    unread = set(read_by_none(graph_def))
    # Within a branch or loop, a node that nothing reads never runs.
    hidden = {node.name for origin in graph.origins.all() for node in origin.nodes}
    hidden.difference_update(op.name for op in graph.get_operations())
    ends = [
        node.name
        for node in graph_def.node
        if node.op.startswith("Placeholder")
        or (node.name in unread and node.name not in loose and node.name not in hidden)
    ]
    return extract_sub_graph(graph_def, ends)


def read_by_none(graph_def: GraphDef) -> list[str]:
    """The names of the nodes that no other node reads or waits for."""
    read = {source_name(text) for node in graph_def.node for text in node.input}
    return [node.name for node in graph_def.node if node.name not in read]
