"""Differences between two graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...graph.export import Defaults
from ...graph.graph import Graph
from ...graph.importing.node_order import in_order
from ...graph.node_def import full_input, source_name
from ...protos.messages import GraphDef, NodeDef
from .graph_editing import nodes_by_name

public = {"td.graph_util": "Difference diff"}


class Difference:
    """Differences of a second graph from a first one, node by node.

    Attributes:
        removed: names of nodes that only the first graph has.
        added: names of nodes that only the second graph has.
        renamed: the new names, by the old ones, of nodes that compute the same from the same.
        changed: for nodes with the same name in both, what differs.

    Example:
        >>> graphs = [td.Graph(), td.Graph()]
        >>> for number, graph in enumerate(graphs):
        ...     with graph.as_default():
        ...         y = td.concat([[number], [1]], 0, name="y")
        >>> difference = td.graph_util.diff(*graphs)
        >>> bool(difference), list(difference.changed)
        (True, ['y/values_0'])
    """

    def __init__(self) -> None:
        self.removed: list[str] = []
        self.added: list[str] = []
        self.renamed: dict[str, str] = {}
        self.changed: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.renamed or self.changed)

    def __str__(self) -> str:
        lines = [f"- {name}" for name in self.removed]
        lines += [f"+ {name}" for name in self.added]
        lines += [f"= {old} -> {new}" for old, new in self.renamed.items()]
        for name, reasons in self.changed.items():
            lines += [f"! {name}: {reason}" for reason in reasons]
        return "\n".join(lines) or "no difference"


def diff(first: Graph | GraphDef, second: Graph | GraphDef) -> Difference:
    """Compares two graphs by structure.

    The order of the nodes does not count, nor whether an attr that holds its default is written,
    nor the shapes that nodes state of their outputs.

    Args:
        first: a Graph or a GraphDef.
        second: another one.

    Returns:
        The Difference, which is false where there is none.

    Raises:
        ValueError: one of them is malformed: names are not unique, or the nodes form a cycle.

    Example:
        >>> from tensordraft.saving.editing.difference import diff
        >>> def graph(value, name):
        ...     with td.Graph().as_default() as graph:
        ...         td.identity(td.constant(value, name="x"), name=name)
        ...     return graph
        >>> print(diff(graph(1, "y"), graph(1, "z")))
        = y -> z
        >>> print(diff(graph(1, "y"), graph(2, "y")))
        ! x: attr 'value' differs
    """
    before, after = (
        {name: _plain(node) for name, node in nodes_by_name(_graph_def(graph)).items()}
        for graph in (first, second)
    )
    result = Difference()
    result.renamed = _renamed(before, after)
    new_names = set(result.renamed.values())
    result.removed = [name for name in before if name not in {**after, **result.renamed}]
    result.added = [name for name in after if name not in before and name not in new_names]
    for name in before:
        if name in after:
            reasons = list(_reasons(before[name], after[name], result.renamed))
            if reasons:
                result.changed[name] = reasons
    return result


def _graph_def(graph: Graph | GraphDef) -> GraphDef:
    return graph.as_graph_def() if isinstance(graph, Graph) else graph


def _plain(node: NodeDef) -> NodeDef:
    """`node` without the fields that do not count."""
    plain = NodeDef()
    plain.CopyFrom(node)
    plain.attr.pop("_output_shapes", None)
    Defaults().strip(plain)
    return plain


def _reasons(before: NodeDef, after: NodeDef, renamed: Mapping[str, str]) -> Iterable[str]:
    if before.op != after.op:
        yield f"op {before.op} became {after.op}"
    if before.device != after.device:
        yield f"device {before.device!r} became {after.device!r}"
    inputs = [_input(text, renamed) for text in before.input]
    if inputs != [_input(text, {}) for text in after.input]:
        yield f"inputs {list(before.input)} became {list(after.input)}"
    for name in sorted({*before.attr, *after.attr}):
        if name not in after.attr:
            yield f"attr {name!r} is gone"
        elif name not in before.attr:
            yield f"attr {name!r} is new"
        elif before.attr[name] != after.attr[name]:
            yield f"attr {name!r} differs"


def _input(text: str, renamed: Mapping[str, str]) -> str:
    name = source_name(text)
    return full_input(text.replace(name, renamed.get(name, name), 1))


def _renamed(before: Mapping[str, NodeDef], after: Mapping[str, NodeDef]) -> dict[str, str]:
    """Nodes that only one of the graphs has, but the other has under another name."""
    numbers: dict[object, int] = {}
    old, new = _numbered(before, numbers), _numbered(after, numbers)
    free: dict[int, list[str]] = {}
    for name in reversed([name for name in new if name not in before]):
        free.setdefault(new[name], []).append(name)
    return {
        name: free[number].pop()
        for name, number in old.items()
        if name not in after and free.get(number)
    }


_FROM_THE_LAST_ROUND = -1


def _numbered(nodes: Mapping[str, NodeDef], numbers: dict[object, int]) -> dict[str, int]:
    """A number for each node: the same for nodes that do the same with the same inputs."""
    counts: dict[str, int] = {}
    for name in in_order(dict(nodes), (), loops=True):
        node = nodes[name]
        inputs = []
        for text in node.input:
            full = full_input(text)
            output = "^" if text.startswith("^") else full.rpartition(":")[2]
            inputs.append((counts.get(source_name(full), _FROM_THE_LAST_ROUND), output))
        copy = NodeDef()
        copy.CopyFrom(node)
        copy.ClearField("name")
        copy.ClearField("input")
        key = (copy.SerializeToString(deterministic=True), tuple(inputs))
        counts[name] = numbers.setdefault(key, len(numbers))
    return {name: counts[name] for name in nodes}
