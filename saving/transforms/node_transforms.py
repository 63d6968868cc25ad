"""Nodes left out, merged, renamed and put in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...graph import registry
from ...graph.export import Defaults
from ...graph.importing.node_order import in_order
from ...graph.importing.node_texts import ENTERS
from ...graph.node_def import full_input, source_name
from ...protos.messages import GraphDef, NodeDef
from ..editing.fold_constants import fold_constants
from ..editing.graph_editing import extract_sub_graph, nodes_by_name, rename
from .node_table import NodeTable


def copied(graph_def: GraphDef, change: Callable[[NodeDef], None]) -> GraphDef:
    """A graph whose nodes are changed one by one."""
    result = GraphDef()
    result.CopyFrom(graph_def)
    for node in result.node:
        change(node)
    return result


def strip_unused_nodes(
    graph_def: GraphDef, inputs: Sequence[str], outputs: Sequence[str]
) -> GraphDef:
    """The part of a graph that the outputs need, cut at the inputs."""
    there = {node.name for node in graph_def.node}
    existing = [name for name in inputs if source_name(name) in there]
    return extract_sub_graph(graph_def, outputs, feeds=existing)


def remove_nodes(graph_def: GraphDef, keep: Sequence[str], types: Sequence[str]) -> GraphDef:
    """Removes nodes of some types; their readers read their first input.

    A node of several inputs of tensors stays, and so does one that is in `keep` or waits for
    others, or that others wait for.
    """
    kept = {source_name(name) for name in keep}
    texts = [text for node in graph_def.node for text in node.input]
    kept.update(text[1:] for text in texts if text.startswith("^"))
    table = NodeTable(graph_def)
    instead: dict[str, str] = {}
    for name in in_order(nodes_by_name(graph_def), (), loops=True):
        node = table.nodes[name]
        if node.op in types and name not in kept and len(node.input) == 1:
            source = node.input[0]
            if not source.startswith("^"):
                instead[f"{name}:0"] = instead.get(full_input(source), source)
                del table.nodes[name]
    table.redirect(instead)
    return table.graph_def()


def fold_all_constants(
    graph_def: GraphDef, inputs: Sequence[str], outputs: Sequence[str]
) -> GraphDef:
    """Folds ops of constants only into constants."""
    there = {node.name for node in graph_def.node}
    feeds = [full_input(name) for name in inputs if source_name(name) in there]
    kept = [source_name(name) for name in outputs]
    ready = _without_idle_waits(graph_def)
    return _without_idle_waits(fold_constants(ready, kept, feeds))


def _without_idle_waits(graph_def: GraphDef) -> GraphDef:
    """Removes control inputs from constants, and from no-ops that wait for no node.

    Keras' saved models wait so for every read of a variable, which a frozen graph has no more.
    """
    table = NodeTable(graph_def)
    idle = set()
    for name in in_order(nodes_by_name(graph_def), (), loops=True):
        node = table.nodes[name]
        node.input[:] = [
            text for text in node.input if text.removeprefix("^") not in idle or text[0] != "^"
        ]
        if not node.input and node.op in ("Const", "NoOp"):
            idle.add(name)
        if node.op == "Identity" and source_name(node.input[0]) in idle and len(node.input) == 1:
            idle.add(name)
    return table.graph_def()


def merge_duplicate_nodes(graph_def: GraphDef, keep: Sequence[str]) -> GraphDef:
    """Merges nodes that compute the same of the same inputs."""
    kept = {source_name(name) for name in keep}
    table = NodeTable(graph_def)
    first: dict[bytes, str] = {}
    instead: dict[str, str] = {}
    for name in in_order(nodes_by_name(graph_def), (), loops=True):
        node = table.nodes[name]
        for i, text in enumerate(node.input):
            mark = "^" if text.startswith("^") else ""
            source = text.removeprefix("^")
            own, _, port = source.partition(":")
            if own in instead:
                node.input[i] = mark + instead[own] + (f":{port}" if port else "")
        definition = registry.find(node.op)
        if name in kept or definition is None or not definition.pure or not _fixed(definition.name):
            continue
        key = _contents(node)
        if key not in first:
            first[key] = name
        else:
            instead[name] = first[key]
            del table.nodes[name]
    return table.graph_def()


def _fixed(op_type: str) -> bool:
    """Returns True if equal nodes of a type can be merged.

    Two placeholders cannot, nor two variables of a loop that begin with the same value.
    """
    return not op_type.startswith("Placeholder") and op_type not in ENTERS


def _contents(node: NodeDef) -> bytes:
    plain = type(node)()
    plain.CopyFrom(node)
    plain.name = ""
    return plain.SerializeToString(deterministic=True)


def sort_by_execution_order(graph_def: GraphDef) -> GraphDef:
    """Sorts the nodes of a graph topologically."""
    nodes = nodes_by_name(graph_def)
    result = GraphDef(versions=graph_def.versions, library=graph_def.library)
    result.node.extend(nodes[name] for name in in_order(nodes, (), loops=True))
    return result


def obfuscate_names(graph_def: GraphDef, keep: Sequence[str]) -> GraphDef:
    """Replaces names by short ones, except those of inputs and outputs."""
    kept = {source_name(name) for name in keep}
    names: dict[str, str] = {}
    number = 0
    for node in graph_def.node:
        if node.name not in kept:
            while (short := _letters(number)) in kept:
                number += 1
            names[node.name] = short
            number += 1
    return rename(graph_def, names)


def _letters(number: int) -> str:
    """A number in letters: A, B and so on up to Z, then AA."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("A") + digit) + text
    return text


def add_default_attributes(graph_def: GraphDef) -> GraphDef:
    """Adds attrs with default values to the nodes of a graph."""
    defaults = Defaults()
    return copied(graph_def, defaults.add)


def remove_control_dependencies(graph_def: GraphDef) -> GraphDef:
    """A graph in which no node waits for others than its inputs."""

    def change(node: NodeDef) -> None:
        node.input[:] = [text for text in node.input if not text.startswith("^")]

    return copied(graph_def, change)
