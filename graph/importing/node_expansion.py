"""Expansion of nodes whose op types have a registered expander."""

from __future__ import annotations

from collections.abc import Mapping

from ...protos.messages import FunctionDef, GraphDef, NodeDef
from .. import node_expanders
from ..node_def import source_name
from ..node_expanders import Expanded


def expand_nodes(graph_def: GraphDef, functions: Mapping[str, FunctionDef]) -> GraphDef:
    """Expands nodes that have an expander; returns `graph_def` itself if there are none.

    The new nodes are named after the node, `node/inner`. The node is replaced by an IdentityN of
    the same name, so that its readers stay valid.
    """
    found = {op_type: node_expanders.find(op_type) for op_type in {n.op for n in graph_def.node}}
    if not any(found.values()):
        return graph_def
    result = GraphDef()
    result.CopyFrom(graph_def)
    del result.node[:]
    taken = {node.name for node in graph_def.node}
    for node in graph_def.node:
        expander = found[node.op]
        expanded = None if expander is None else expander(node, functions)
        if expanded is None:
            result.node.add().CopyFrom(node)
        else:
            result.node.extend(_spliced(node, expanded, taken))
    return result


def _spliced(node: NodeDef, expanded: Expanded, taken: set[str]) -> list[NodeDef]:
    """Nodes that replace `node`; the last has its name."""
    given = [text for text in node.input if not text.startswith("^")]
    waits = [text for text in node.input if text.startswith("^")]
    if len(given) != len(expanded.inputs):
        raise ValueError(
            f"the node {node.name!r} ({node.op}) must have {len(expanded.inputs)} inputs, got "
            f"{len(given)}"
        )
    outside = dict(zip(expanded.inputs, given, strict=True))
    scope = node.name
    while any(f"{scope}/{inner.name}" in taken for inner in expanded.graph_def.node):
        scope += "_"

    def renamed(text: str) -> str:
        name = source_name(text)
        mark = "^" if text.startswith("^") else ""
        if name in outside:
            return f"^{source_name(outside[name])}" if mark else outside[name]
        return f"{mark}{scope}/{text.removeprefix('^')}"

    nodes = []
    for inner in expanded.graph_def.node:
        if inner.name in outside:
            continue
        copy = NodeDef()
        copy.CopyFrom(inner)
        copy.name = f"{scope}/{inner.name}"
        copy.device = inner.device or node.device
        copy.ClearField("input")
        copy.input.extend(map(renamed, inner.input))
        if not any(text for text in inner.input if source_name(text) not in outside):
            copy.input.extend(waits)  # the others wait by waiting for these
        copy.attr.pop("_class", None)
        taken.add(copy.name)
        nodes.append(copy)
    end = NodeDef(name=node.name, op="IdentityN", device=node.device)
    end.input.extend([*map(renamed, expanded.outputs), *waits])
    end.attr["T"].list.type.extend(expanded.dtypes)
    return [*nodes, end]
