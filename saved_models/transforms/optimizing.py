"""Optimizing a frozen graph for serving, by the transforms that help every one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph.editing.graph_editing import edited
from ...graph.node_def import source_name
from ...graph.referred_functions import referred_functions
from .transform_graph import transform_graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...graph.editing.graph_editing import AnyGraph
    from ...protos.messages import GraphDef

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
    """A frozen graph made smaller and faster, whose results are the same but for rounding.

    What nothing needs, Identity and CheckNumerics nodes go; what follows from constants is one;
    batch normalizations behind convolutions and products go into their filters; of nodes that
    compute the same, one stays.

    Args:
        graph: a Graph or a GraphDef.
        inputs: names of nodes that will be fed; by default its placeholders.
        outputs: names of nodes that will be fetched; by default those that nobody reads.
        quantize: whether large weights are to be kept in 8 bits, which changes results a little.

    Returns:
        A new graph, of the type of `graph`.

    Raises:
        ValueError: a name is not in the graph, or it has nothing that could be an output.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [None, 2], name="x")
        ...     w = td.identity(td.constant([[1.0], [2.0]]), name="w")
        ...     y = td.identity(td.matmul(x, w * 3.0), name="y")
        >>> small = td.graph_util.optimize(graph)
        >>> [op.type for op in small.get_operations()]
        ['Placeholder', 'Const', 'MatMul', 'Identity']
    """

    def edit(graph_def: GraphDef) -> GraphDef:
        wanted = list(outputs) or _unread(graph_def)
        fed = list(inputs) or [
            node.name for node in graph_def.node if node.op.startswith("Placeholder")
        ]
        steps = [*_PLAIN, *(["quantize_weights"] if quantize else [])]
        result = transform_graph(graph_def, fed, wanted, steps)
        return _without_unused_functions(result)

    return edited(graph, edit)


def _unread(graph_def: GraphDef) -> list[str]:
    """The nodes that nobody reads, but constants and placeholders.

    Raises:
        ValueError: there are none.
    """
    read: Iterable[str] = {source_name(text) for node in graph_def.node for text in node.input}
    found = [
        node.name
        for node in graph_def.node
        if node.name not in read and node.op not in ("Const", "Placeholder", "NoOp")
    ]
    if not found:
        raise ValueError("the graph has no node that nobody reads: name the outputs")
    return found


def _without_unused_functions(graph_def: GraphDef) -> GraphDef:
    functions = {function.signature.name: function for function in graph_def.library.function}
    used = referred_functions(graph_def.node, functions)
    del graph_def.library.function[:]
    graph_def.library.function.extend([functions[name] for name in functions if name in used])
    return graph_def
