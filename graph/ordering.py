"""Putting the nodes of a GraphDef in an order in which each follows its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .node_def import full_input

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ..protos.messages import NodeDef


def in_order(nodes: dict[str, NodeDef], mapped: Container[str]) -> Iterable[NodeDef]:
    """The nodes, each behind those that it needs.

    Args:
        nodes: the nodes by name.
        mapped: inputs (in full form) that come from elsewhere.

    Raises:
        ValueError: an input names no node, or the nodes form a cycle (its path is told).
    """
    needs = {name: _needed(node, nodes, mapped) for name, node in nodes.items()}
    seen: set[str] = set()
    for name, sources in needs.items():
        if not seen.issuperset(sources):
            return _sorted(nodes, needs)
        seen.add(name)
    return nodes.values()


def _needed(node: NodeDef, nodes: dict[str, NodeDef], mapped: Container[str]) -> list[str]:
    needed = []
    for text in node.input:
        full = full_input(text)
        source = text[1:] if text.startswith("^") else full.rpartition(":")[0]
        if full in mapped:
            continue
        if source not in nodes:
            raise ValueError(
                f"the node {node.name!r} ({node.op}) has the input {text!r}, but no node is named "
                f"{source!r}"
            )
        needed.append(source)
    return needed


def _sorted(nodes: dict[str, NodeDef], needs: dict[str, list[str]]) -> list[NodeDef]:
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((source, name) for name, sources in needs.items() for source in sources)
    try:
        return [nodes[name] for name in nx.topological_sort(graph)]
    except nx.NetworkXUnfeasible:
        cycle = [source for source, _ in nx.find_cycle(graph)]
        path = " -> ".join(map(repr, [*cycle, cycle[0]]))
        raise ValueError(f"the nodes form a cycle: {path}") from None
