"""What ops of a graph were read from, where a file says the same in other nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..protos.messages import NodeDef


class Origin(NamedTuple):
    """What ops of a graph were read from: the names of the ops, and the nodes."""

    ops: frozenset[str]
    nodes: tuple[NodeDef, ...]


class Origins:
    """The nodes that a file has in place of ops of a graph: those of loops and conditionals.

    As an operation never changes, a graph can be written with the very nodes it was read from.
    """

    def __init__(self) -> None:
        self._of: dict[str, Origin] = {}
        self._hidden: set[str] = set()
        self._order: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, origin: Origin) -> None:
        """Notes what some ops were read from."""
        self._of.update(dict.fromkeys(origin.ops, origin))
        self._hidden.update(node.name for node in origin.nodes)

    def keep_order(self, names: Iterable[str]) -> None:
        """Notes the order in which nodes were read."""
        for name in names:
            self._order.setdefault(name, len(self._order))

    def of(self, name: str) -> Origin | None:
        """What the op of a name was read from, if not from a node of its own."""
        return self._of.get(name)

    def all(self) -> list[Origin]:
        """What ops were read from, each once."""
        return list({id(origin): origin for origin in self._of.values()}.values())

    def place(self, node: NodeDef) -> int:
        """Where a node stood in the file; those that were in none come last."""
        return self._order.get(node.name, len(self._order))

    def remark(self, name: str) -> str:
        """What to add where no op of a name is found: that it lives in a loop or a branch."""
        if name not in self._hidden:
            return ""
        around = next(op for op in self._of if any(n.name == name for n in self._of[op].nodes))
        return (
            f": it is part of a loop or a branch, that of {around!r}, which a run decides over; "
            "fetch what comes out of that"
        )

    def forget(self, name: str) -> None:
        """Forgets what the op of a name was read from, as the op has left the graph."""
        origin = self._of.pop(name, None)
        if origin is not None:
            self._hidden.difference_update(node.name for node in origin.nodes)
