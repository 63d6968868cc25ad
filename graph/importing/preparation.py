"""What is done with a GraphDef before its nodes are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...protos.config import config
from .function_inlining import inline_functions
from .versions import check_versions

if TYPE_CHECKING:
    from ...protos.messages import GraphDef


def prepared(graph_def: GraphDef) -> GraphDef:
    """The GraphDef without calls of functions, if this library may read it."""
    check_versions(graph_def)
    if len(graph_def.node) > config.max_graph_nodes:
        raise ValueError(
            f"the graph has {len(graph_def.node)} nodes, more than td.config.max_graph_nodes = "
            f"{config.max_graph_nodes}"
        )
    return inline_functions(graph_def)
