"""Names of imported nodes."""

from __future__ import annotations

from collections.abc import Collection

from ..graph import Graph


class Renaming:
    """Names of imported nodes: under the scope, and made unique where they are taken.

    As in TensorFlow, a name is taken if an op has it, or has it for a scope; then `_1`, `_2`, … is
    put behind it, so that it is not a name of the GraphDef either.

    Args:
        graph: the graph.
        scope: the scope of the import, with "/" at its end, or "".
        names: the names of the nodes.
        fresh: whether the scope is new, so that a name in it is only taken where an op was made
            with a slash in its name.
    """

    def __init__(self, graph: Graph, scope: str, names: Collection[str], *, fresh: bool) -> None:
        self.scope = scope
        self._new: dict[str, str] = {}
        if fresh and not (graph.version and any(graph.has_operation(scope + n) for n in names)):
            return
        taken = _names_in_use(graph)
        for name in names:
            if scope + name in taken:
                number = 1
                while (new := f"{name}_{number}") in names or scope + new in taken:
                    number += 1
                self._new[name] = new
                taken.add(scope + new)

    def __call__(self, name: str) -> str:
        """The name of a node in the graph."""
        return self.scope + self._new.get(name, name)

    def inside(self, text: str) -> str:
        """Name below the scope of the node or tensor that the GraphDef calls `text`."""
        name, colon, number = text.partition(":")
        return self._new.get(name, name) + colon + number

    def original(self, name: str) -> str:
        """Name in the GraphDef of the node called `name` in the graph."""
        inside = name.removeprefix(self.scope)
        return next((old for old, new in self._new.items() if new == inside), inside)


def _names_in_use(graph: Graph) -> set[str]:
    """The names of all ops, and of the scopes that they are in."""
    names: set[str] = set()
    for op in graph.get_operations():
        name = op.name
        while name and name not in names:
            names.add(name)
            name = name.rpartition("/")[0]
    return names
