"""Preprocessing of a GraphDef before import."""

from __future__ import annotations

from ...formats.progress import Progress
from ...protos.config import config
from ...protos.messages import GraphDef
from ...runtime.load_budget import reported_to
from .function_inlining import inline_functions
from .node_expansion import expand_nodes
from .versions import check_versions


def prepared(graph_def: GraphDef, progress: Progress | None = None) -> GraphDef:
    """Checks versions and inlines calls of functions and of their gradients.

    Args:
        graph_def: the message; it is not changed.
        progress: as for `inline_functions`.

    Raises:
        ValueError: it excludes this library, has too many nodes, or calls that cannot be inlined.
    """
    check_versions(graph_def)
    _check_size(graph_def)
    functions = {function.signature.name: function for function in graph_def.library.function}
    result = expand_nodes(inline_functions(graph_def, reported_to(progress)), functions)
    _check_size(result)
    return result


def _check_size(graph_def: GraphDef) -> None:
    if len(graph_def.node) > config.max_graph_nodes:
        raise ValueError(
            f"the graph has {len(graph_def.node)} nodes, more than td.config.max_graph_nodes = "
            f"{config.max_graph_nodes}"
        )
