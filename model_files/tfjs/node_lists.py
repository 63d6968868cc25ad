"""Nodes of a graph or of a function, to be changed: how they name each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...graph.node_def import source_name
from ...graph.registry import find
from ...protos.messages import FunctionDef, GraphDef, NodeDef
from ...saving.editing.graph_editing import free_name


class NodeList:
    """Nodes of a graph, or of a function of its library.

    In a graph an input is `node` or `node:1`; in a function it is an argument, or
    `node:output:0`, where outputs have names.

    Args:
        nodes: the nodes.
        function: the function that they are of; None for those of a graph.
    """

    def __init__(self, nodes: Iterable[NodeDef], function: FunctionDef | None = None) -> None:
        self.nodes = list(nodes)
        self.function = function
        self.taken = {node.name for node in self.nodes}
        self._vectors = {
            node.name
            for node in self.nodes
            if node.op == "Const" and len(node.attr["value"].tensor.tensor_shape.dim) == 1
        }
        if function is not None:
            self.taken.update(arg.name for arg in function.signature.input_arg)

    def free(self, name: str) -> str:
        """A name like this one that no node has; from now on it is taken."""
        return free_name(name, self.taken)

    def is_vector(self, inputs: list[str]) -> bool:
        """Returns True if an input, given in a list, is a constant vector."""
        return any(source_name(text) in self._vectors for text in inputs)

    def result_of(self, node: NodeDef) -> str:
        """The first result of a node, as an input of another."""
        if self.function is None:
            return node.name
        definition = find(node.op)
        outputs = () if definition is None else definition.signature.outputs
        return f"{node.name}:{outputs[0].name if outputs else 'output'}:0"

    def reads_further_results(self, node: NodeDef) -> bool:
        """Returns True if another node reads a result of this one behind its first."""
        first = {self.result_of(node), f"{node.name}:0"}
        texts = [text for other in self.nodes for text in inputs_of(other).data]
        if self.function is not None:
            texts += self.function.ret.values()
        return any(source_name(text) == node.name and text not in first for text in texts)

    def rewire(self, instead: Mapping[str, str]) -> None:
        """Has readers of the nodes that are named read the first result of these others."""
        if self.function is None or not instead:
            return
        for node in self.nodes:
            for place, text in enumerate(node.input):
                if not text.startswith("^") and source_name(text) in instead and ":" in text:
                    node.input[place] = instead[source_name(text)]
        for key, text in self.function.ret.items():
            if source_name(text) in instead and ":" in text:
                self.function.ret[key] = instead[source_name(text)]


def with_legal_names(graph_def: GraphDef) -> None:
    """Renames nodes of functions that begin with an underscore.

    TensorFlow.js's converter puts the name of the function before that of a constant.
    """
    for function in graph_def.library.function:
        nodes = NodeList(function.node_def, function)
        names = {
            node.name: nodes.free(node.name.lstrip("_") or "node")
            for node in nodes.nodes
            if node.name.startswith("_")
        }
        if names:
            rename_in_function(function, names)


def rename_in_function(function: FunctionDef, names: Mapping[str, str]) -> None:
    """Renames nodes of a function, also where others read them.

    Args:
        function: the function, which is changed.
        names: the new names by the old ones.
    """
    for node in function.node_def:
        node.name = names.get(node.name, node.name)
        for place, text in enumerate(node.input):
            node.input[place] = _renamed(text, names)
    for key, text in function.ret.items():
        function.ret[key] = _renamed(text, names)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    name = source_name(text)
    mark = "^" if text.startswith("^") else ""
    if not mark and ":" not in text:
        return text  # an argument of the function
    return mark + names.get(name, name) + text[len(mark) + len(name) :]


def lists_of(graph_def: GraphDef) -> Iterator[NodeList]:
    """The nodes of a graph, then those of each of its functions.

    When the caller goes on to the next, the message gets what the list has become.
    """
    nodes = NodeList(graph_def.node)
    yield nodes
    _put(graph_def.node, nodes)
    for function in graph_def.library.function:
        nodes = NodeList(function.node_def, function)
        yield nodes
        _put(function.node_def, nodes)


def _put(field: Iterable[NodeDef], nodes: NodeList) -> None:
    kept = []
    for node in nodes.nodes:  # copies, as those in the field are gone when it is cleared
        copy = NodeDef()
        copy.CopyFrom(node)
        kept.append(copy)
    del field[:]  # type: ignore[attr-defined]
    field.extend(kept)  # type: ignore[attr-defined]


class Inputs(NamedTuple):
    """The inputs of a node: tensors, and what it waits for."""

    data: list[str]
    waits: list[str]


def inputs_of(node: NodeDef) -> Inputs:
    """The inputs of a node, apart."""
    data = [text for text in node.input if not text.startswith("^")]
    return Inputs(data, [text for text in node.input if text.startswith("^")])
