"""Parts of a GraphDef that a meta graph is to hold: those of a scope, or without other Savers."""

from __future__ import annotations

from collections.abc import Container

from ...graph.registry import find
from ...protos.messages import GraphDef, NodeDef, SaverDef

UNBOUND = "$unbound_inputs_"
"""Beginning of the names by which a part calls the tensors that it takes from outside."""


def part_of(
    graph_def: GraphDef, scope: str, left_out: Container[str], unbound: set[str] | None = None
) -> GraphDef:
    """The nodes of a scope, under names without it.

    Args:
        graph_def: the graph.
        scope: the scope, with "/" at its end; "" for the whole graph.
        left_out: the names of nodes to leave out.
        unbound: gathers the names of the inputs from outside; None if there must be none.

    Raises:
        ValueError: a node of the scope needs one outside of it, and `unbound` is None.
    """
    result = GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        if not node.name.startswith(scope) or node.name in left_out:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        copy.name = node.name.removeprefix(scope)
        copy.input[:] = [_inside(node, text, scope, unbound) for text in node.input]
        groups = copy.attr["_class"].list.s if "_class" in node.attr else []
        for i, group in enumerate(groups):
            groups[i] = group.replace(b"loc:@" + scope.encode(), b"loc:@", 1)
    return result


def _inside(node: NodeDef, text: str, scope: str, unbound: set[str] | None) -> str:
    mark, name = text[: text.startswith("^")], text.removeprefix("^")
    if not name.startswith(scope):
        if unbound is not None:
            unbound.add(f"{mark}{UNBOUND}{name}")
            return f"{mark}{UNBOUND}{name}"
        raise ValueError(f"{node.name!r} needs {name!r}, which is outside of the scope {scope!r}")
    return mark + name.removeprefix(scope)


def other_savers(graph_def: GraphDef, saver_def: SaverDef | None) -> set[str]:
    """The names of the nodes that belong to other Savers than that of `saver_def`.

    The nodes of a Saver are those of the scope in which a node is that saves or restores.
    """
    names = "" if saver_def is None else saver_def.filename_tensor_name.partition(":")[0]
    own = names.rpartition("/")[0]
    scopes = {
        node.name.rpartition("/")[0]
        for node in graph_def.node
        if (definition := find(node.op)) is not None and definition.traits.of_saver
    }
    others = tuple(f"{scope}/" for scope in scopes if scope and scope != own)
    return {node.name for node in graph_def.node if others and node.name.startswith(others)}
