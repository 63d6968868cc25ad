"""From a graph to a GraphDef, and to a networkx graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..protos.messages import AttrValue, GraphDef
from .node_def import node_def

if TYPE_CHECKING:
    import networkx as nx

    from .graph import Graph
    from .node import Operation

_OUTPUT_SHAPES = "_output_shapes"


def as_graph_def(
    graph: Graph, from_version: int | None = None, add_shapes: bool = False
) -> GraphDef:
    """The graph as a GraphDef message: see `Graph.as_graph_def`."""
    result = GraphDef(versions=graph.versions)
    for op in graph.get_operations()[from_version or 0 :]:
        node = result.node.add()
        node.CopyFrom(node_def(op))
        if add_shapes and op.outputs:
            node.attr[_OUTPUT_SHAPES].CopyFrom(_output_shapes(op))
    return result


def _output_shapes(op: Operation) -> AttrValue:
    value = AttrValue()
    value.list.shape.extend([tensor.shape.as_proto() for tensor in op.outputs])
    return value


def to_networkx(graph: Graph) -> nx.MultiDiGraph[str]:
    """The graph as a networkx MultiDiGraph: see `Graph.to_networkx`."""
    import networkx as nx

    result: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for op in graph.get_operations():
        result.add_node(op.name, type=op.type, device=op.device)
        for position, tensor in enumerate(op.inputs):
            result.add_edge(
                tensor.op.name,
                op.name,
                tensor=tensor.name,
                dtype=tensor.dtype.name,
                shape=str(tensor.shape),
                position=position,
            )
        for control in op.control_inputs:
            result.add_edge(control.name, op.name, control=True)
    return result
