"""Functions of a library that nodes refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..protos.messages import AttrValue, FunctionDef, NodeDef


def referred_functions(nodes: Iterable[NodeDef], functions: Mapping[str, FunctionDef]) -> set[str]:
    """Functions that `nodes` refer to, directly or indirectly."""
    used: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        for name in (node.op, *named_functions(node.attr.values())):
            if name in functions and name not in used:
                used.add(name)
                pending.extend(functions[name].node_def)
    return used


def named_functions(values: Iterable[AttrValue]) -> Iterable[str]:
    """Functions that attrs refer to."""
    for value in values:
        for func in (value.func, *value.list.func):
            yield func.name
