"""Origins of ops in graph files that express them by other nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..protos.messages import NodeDef


class Origin(NamedTuple):
    """Origin of some ops of a graph: their names, and the nodes of the file."""

    ops: frozenset[str]
    nodes: tuple[NodeDef, ...]


class Origins:
    """The nodes of a file for which a graph has other ops: those of loops and conditionals.

    As an operation never changes, a graph can be written with the very nodes it was read from.
    """

    def __init__(self) -> None:
        self._of: dict[str, Origin] = {}
        self._hidden: set[str] = set()
        self._order: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, origin: Origin) -> None:
        """Records the origin of some ops."""
        self._of.update(dict.fromkeys(origin.ops, origin))
        self._hidden.update(node.name for node in origin.nodes)

    def keep_order(self, names: Iterable[str]) -> None:
        """Records the order in which nodes were read."""
        for name in names:
            self._order.setdefault(name, len(self._order))

    def of(self, name: str) -> Origin | None:
        """Origin of a named op, if it differs from its own node."""
        return self._of.get(name)

    def all(self) -> list[Origin]:
        """Origins of ops, without repetitions."""
        return list({id(origin): origin for origin in self._of.values()}.values())

    def place(self, node: NodeDef) -> int:
        """Position of a node in the file; nodes that were in none come last."""
        return self._order.get(node.name, len(self._order))

    def remark(self, name: str) -> str:
        """Remark for a missing op: that its node is inside a loop or a branch."""
        if name not in self._hidden:
            return ""
        around = next(op for op in self._of if any(n.name == name for n in self._of[op].nodes))
        return (
            f": it is part of a loop or a branch, that of {around!r}, which a run decides over; "
            "fetch what comes out of that"
        )

    def forget(self, name: str) -> None:
        """Removes the origin of a named op that has left the graph."""
        origin = self._of.pop(name, None)
        if origin is not None:
            self._hidden.difference_update(node.name for node in origin.nodes)
