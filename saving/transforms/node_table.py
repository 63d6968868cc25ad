"""A GraphDef being edited: its nodes by name, their readers, and constants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...graph.node_def import full_input, source_name
from ...protos.dtypes import DType
from ...protos.messages import GraphDef, NodeDef
from ...protos.tensor_codec import decode_tensor, encode_tensor
from ...shape_inference.protocols import Array
from ..editing.graph_editing import extract_sub_graph, free_name, nodes_by_name, replace_inputs


class NodeTable:
    """The nodes of a graph, to be changed one after the other.

    Args:
        graph_def: the graph; it stays as it is.
        outputs: names of nodes that have to stay.
    """

    def __init__(self, graph_def: GraphDef, outputs: Iterable[str] = ()) -> None:
        self._source = graph_def
        self.outputs = {source_name(name) for name in outputs}
        copied = GraphDef()
        copied.CopyFrom(graph_def)
        self.nodes = nodes_by_name(copied)
        self._taken = set(self.nodes)
        self._readers: dict[str, list[str]] = defaultdict(list)
        for node in self.nodes.values():
            for text in node.input:
                self._readers[source_name(text)].append(node.name)

    def only_reader(self, name: str) -> NodeDef | None:
        """The one node that reads a node, once; None if there are more, or it is to stay."""
        readers = self._readers[name]
        single = len(readers) == 1 and name not in self.outputs
        return self.nodes.get(readers[0]) if single else None

    def value(self, text: str) -> Array | None:
        """Value of a constant input, seen through Identity nodes; else None."""
        node = self.constant(text)
        return None if node is None else decode_tensor(node.attr["value"].tensor)

    def constant(self, text: str) -> NodeDef | None:
        """The Const behind an input, or None."""
        node = self.nodes.get(source_name(text))
        while node is not None and node.op == "Identity" and len(node.input) == 1:
            node = self.nodes.get(source_name(node.input[0]))
        plain = node is not None and node.op == "Const" and not text.startswith("^")
        return node if plain and node is not None and not node.input else None

    def add(self, name: str, op: str, inputs: Sequence[str] = ()) -> NodeDef:
        """A new node, with a number behind its name if that is taken."""
        node = NodeDef(name=free_name(name, self._taken), op=op, input=inputs)
        self.nodes[node.name] = node
        for text in inputs:
            self._readers[source_name(text)].append(node.name)
        return node

    def add_constant(self, name: str, array: Array, dtype: DType) -> str:
        """A new Const; returns its name."""
        node = self.add(name, "Const")
        write_constant(node, array, dtype)
        return node.name

    def redirect(self, instead: dict[str, str]) -> None:
        """Has every reader of some tensors, in full form, read others."""
        for node in self.nodes.values():
            replace_inputs(node, instead)

    def graph_def(self) -> GraphDef:
        """The current graph, pruned to its outputs if it has any."""
        result = GraphDef(versions=self._source.versions, library=self._source.library)
        result.node.extend(self.nodes.values())
        return extract_sub_graph(result, sorted(self.outputs)) if self.outputs else result


def write_constant(node: NodeDef, array: Array, dtype: DType) -> None:
    """Makes a node a Const."""
    node.op = "Const"
    del node.input[:]
    node.attr.clear()
    node.attr["dtype"].type = dtype.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(encode_tensor(array, dtype))


def without_port(text: str) -> str:
    """An input of a first output as graphs write it: without `:0`."""
    return full_input(text).removesuffix(":0")
