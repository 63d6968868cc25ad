"""Computing the constant part of a graph once and for all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...graph.graph import Graph
from ...graph.importing.function_inlining import inline_functions
from ...graph.importing.importer import import_whole
from ...graph.node import Operation, Tensor
from ...graph.node_def import full_input, source_name
from ...protos.messages import GraphDef, NodeDef
from ...protos.tensor_codec import encode_tensor
from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array, Edge, aliased
from .graph_editing import AnyGraph, edited, free_name, replace_inputs

public = {"td.graph_util": "fold_constants"}


def fold_constants(
    graph: AnyGraph,
    keep: Sequence[str] = (),
    feeds: Sequence[str] = (),
    max_bytes: int = 1 << 26,
) -> AnyGraph:
    """Returns a graph in which ops of constants only are folded into constants.

    An op whose result is computed here becomes a Const of its name; constants that no op reads
    any more are left out. Ops that are stateful, wait for others, or fail stay as they are.

    Args:
        graph: a Graph or a GraphDef.
        keep: names of nodes that must stay in the graph, if as constants.
        feeds: names of tensors, other than placeholders, that are going to be fed.
        max_bytes: the largest result to put in the graph.

    Returns:
        A new graph, of the type of `graph`.

    Raises:
        ValueError: the graph is malformed.
        KeyError: a name is not in the graph.

    Example:
        >>> from tensordraft.saving.editing.fold_constants import fold_constants
        >>> with td.Graph().as_default() as graph:
        ...     one = td.constant(1.0, name="one")
        ...     copy = td.identity(one, name="copy")
        ...     x = td.placeholder(td.float32, [2], name="x")
        ...     y = td.add(copy, x, name="y")
        >>> [(op.name, op.type) for op in fold_constants(graph).get_operations()]
        [('copy', 'Const'), ('x', 'Placeholder'), ('y', 'AddV2')]
    """

    def edit(graph_def: GraphDef) -> GraphDef:
        graph_def = inline_functions(graph_def)
        folding = _Folding(graph_def, set(map(full_input, feeds)), max_bytes)
        return folding.result(set(map(source_name, [*keep, *feeds])))

    return edited(graph, edit)


class _Folding:
    """One GraphDef on its way to fewer nodes."""

    def __init__(self, graph_def: GraphDef, feeds: set[str], max_bytes: int) -> None:
        self.graph_def = graph_def
        self.graph = import_whole(graph_def)
        self.max_bytes = max_bytes
        self.constants: dict[Edge, Array] = {}
        self.folded: set[Operation] = set()
        types = {node.name: node.op for node in graph_def.node}
        # A loop or branch in the form of TensorFlow 1 is one op of the graph, and many nodes here.
        self.ops = [op for op in self.graph.get_operations() if types.get(op.name) == op.type]
        varying = _updated_in_place(self.graph)
        varying.update(map(self.graph.get_tensor_by_name, feeds))
        with np.errstate(all="ignore"):
            for op in self.ops:
                if not varying.intersection(op.outputs):
                    self._fold(op)

    def _fold(self, op: Operation) -> None:
        definition = op.definition
        factory = definition.kernel_factory
        if not definition.pure or factory is None or op.controls or not op.outputs:
            return
        if not all(tensor.dtype.is_numpy_compatible for tensor in op.outputs):
            return  # no Const holds a list or a handle
        arrays = [self.constants[tensor] for tensor in op.inputs if tensor in self.constants]
        if len(arrays) < len(op.inputs):
            return
        try:
            results = factory(KernelContext(op, self.graph.inference, self.constants))(*arrays)
        except Exception:  # noqa: BLE001 - it fails again, with an error, when it runs
            return
        values = results if isinstance(results, (tuple, list)) else [results]
        if op.inputs and sum(value.nbytes for value in values) > self.max_bytes:
            return
        self.constants.update(zip(op.outputs, values, strict=True))
        self.folded.add(op)

    def result(self, keep: set[str]) -> GraphDef:
        """The GraphDef in which constants replace the folded ops."""
        ops = self.graph.get_operations()
        waited_for = {control for op in ops for control in op.controls}
        read = {tensor.op for op in ops for tensor in op.inputs} | waited_for
        own = {op.name: op for op in self.ops}
        within = {
            text
            for node in self.graph_def.node
            if node.name not in own
            for text in map(full_input, node.input)
        }
        keep = keep | {source_name(text) for text in within}
        wanted = {op for op in ops if op not in read or op in waited_for or op.name in keep}
        left = [op for op in ops if op not in self.folded or (len(op.outputs) > 1 and op in wanted)]
        needed = {tensor for op in left for tensor in op.inputs}
        needed |= {tensor for op in self.ops for tensor in op.outputs if tensor.name in within}
        stay = {op.name for op in left}
        taken = {op.name for op in ops}
        instead: dict[str, str] = {}
        result = GraphDef(versions=self.graph_def.versions, library=self.graph_def.library)
        for node in self.graph_def.node:
            op = own.get(node.name)
            if op is None or node.name in stay:
                result.node.add().CopyFrom(node)
            elif len(op.outputs) > 1:
                for tensor in op.outputs:
                    if tensor in needed:
                        name = free_name(f"{op.name}/output_{tensor.value_index}", taken)
                        instead[tensor.name] = name
                        self._write(tensor, name, result.node.add())
            elif op in wanted or op.outputs[0] in needed:
                if op.type == "Const":
                    result.node.add().CopyFrom(node)
                else:
                    self._write(op.outputs[0], op.name, result.node.add())
        for node in result.node:
            replace_inputs(node, instead)
        return result

    def _write(self, tensor: Tensor, name: str, node: NodeDef) -> None:
        """Writes the value of `tensor` as a Const node."""
        node.name, node.op, node.device = name, "Const", tensor.op.device
        node.attr["dtype"].type = tensor.dtype.as_datatype_enum
        value = encode_tensor(self.constants[tensor].copy(), tensor.dtype)  # it may be a view
        node.attr["value"].tensor.CopyFrom(value)


def _updated_in_place(graph: Graph) -> set[Edge]:
    """The tensors whose value an in-place op changes while the graph runs."""
    updated: set[Edge] = set()
    for op in graph.get_operations():
        aliases = op.definition.traits.aliases
        edge: Edge | None = None if aliases is None else aliased(op.outputs[0])
        while edge is not None and edge not in updated:
            updated.add(edge)
            edge = aliased(edge)
    return updated
