"""Optimizing a frozen graph for serving, by the transforms that help every one."""

from __future__ import annotations

from collections.abc import Sequence

from ...graph.api.graph_ends import graph_ends
from ...graph.importing.importer import import_whole
from ...graph.referred_functions import referred_functions
from ...protos.messages import GraphDef
from ..editing.graph_editing import AnyGraph, edited
from .transform_graph import transform_graph

public = {"td.graph_util": "optimize"}

_PLAIN = (
    "strip_unused_nodes",
    "remove_nodes(op=Identity, op=CheckNumerics)",
    "fold_constants",
    "fold_old_batch_norms",
    "fold_batch_norms",
    "merge_duplicate_nodes",
    "sort_by_execution_order",
)


def optimize(
    graph: AnyGraph,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    quantize: bool = False,
) -> AnyGraph:
    """Makes a frozen graph smaller and faster; results are the same except for rounding.

    What nothing needs, Identity and CheckNumerics nodes go; what follows from constants is one;
    batch normalizations behind convolutions and products go into their filters; of nodes that
    compute the same, one stays.

    Args:
        graph: a Graph or a GraphDef.
        inputs: names of nodes that will be fed, at which the graph is cut; by default its
            placeholders. A placeholder that has a default keeps it, unless it is named.
        outputs: names of nodes that will be fetched; by default those that `tensordraft show`
            lists.
        quantize: whether large weights are to be kept in 8 bits, which changes results a little.

    Returns:
        A new graph, of the type of `graph`.

    Raises:
        ValueError: a name is not in the graph, or it has nothing that could be an output.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [None, 2], name="x")
        ...     w = td.identity(td.constant([[1.0], [2.0]]), name="w")
        ...     y = td.identity(td.matmul(x, w * 3.0), name="y")
        >>> small = td.graph_util.optimize(graph)
        >>> [op.type for op in small.get_operations()]
        ['Placeholder', 'Const', 'MatMul', 'Identity']
    """

    def edit(graph_def: GraphDef) -> GraphDef:
        wanted, fed = list(outputs), list(inputs)
        if not (wanted and fed):
            ends = graph_ends(import_whole(graph_def))
            there = {node.name for node in graph_def.node}
            wanted = wanted or [op.name for op in ends.outputs if op.name in there]
            fed = fed or [op.name for op in ends.inputs]
        if not wanted:
            raise ValueError("the graph has no outputs: name them")
        steps = [*_PLAIN, *(["quantize_weights"] if quantize else [])]
        result = transform_graph(graph_def, fed, wanted, steps)
        return _without_unused_functions(result)

    return edited(graph, edit)


def _without_unused_functions(graph_def: GraphDef) -> GraphDef:
    functions = {function.signature.name: function for function in graph_def.library.function}
    used = referred_functions(graph_def.node, functions)
    del graph_def.library.function[:]
    graph_def.library.function.extend([functions[name] for name in functions if name in used])
    return graph_def
