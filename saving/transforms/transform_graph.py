"""`transform_graph`: the transforms of TensorFlow 1.x's graph_transforms, by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...graph.node_def import source_name
from ...protos.messages import GraphDef, NodeDef
from ..editing.graph_editing import rename, strip
from .channel_lines import NORMS, PLAIN, fold_channels
from .coarse_weights import quantize_weights, round_weights
from .node_transforms import (
    add_default_attributes,
    copied,
    fold_all_constants,
    merge_duplicate_nodes,
    obfuscate_names,
    remove_control_dependencies,
    remove_nodes,
    sort_by_execution_order,
    strip_unused_nodes,
)

public = {"td.graph_util": "TransformGraph=transform_graph transform_graph"}

_Arguments = Mapping[str, Sequence[str]]


class _Call(NamedTuple):
    """State of a transform: the graph, its inputs and outputs, and the arguments."""

    graph_def: GraphDef
    inputs: Sequence[str]
    outputs: Sequence[str]
    arguments: _Arguments

    def text(self, name: str) -> str:
        """The argument that has to be given.

        Raises:
            ValueError: it is not.
        """
        if name not in self.arguments:
            raise ValueError(f"the transform needs the argument {name}")
        return self.arguments[name][-1]

    def number(self, name: str, default: int) -> int:
        """An argument that is a number.

        Raises:
            ValueError: it is none.
        """
        text = self.arguments.get(name, [str(default)])[-1]
        if not re.fullmatch(r"-?\d+", text):
            raise ValueError(f"{name} = {text!r} is not an integer")
        return int(text)

    @property
    def ends(self) -> list[str]:
        """Inputs and outputs."""
        return [*self.inputs, *self.outputs]


def _rename_op(c: _Call) -> GraphDef:
    old, new = c.text("old_op_name"), c.text("new_op_name")

    def change(node: NodeDef) -> None:
        if node.op == old:
            node.op = new

    return copied(c.graph_def, change)


def _rename_attribute(c: _Call) -> GraphDef:
    old, new = c.text("old_attribute_name"), c.text("new_attribute_name")

    def change(node: NodeDef) -> None:
        if old in node.attr and _concerned(c, node):
            node.attr[new].CopyFrom(node.attr[old])
            del node.attr[old]

    return copied(c.graph_def, change)


def _remove_attribute(c: _Call) -> GraphDef:
    name = c.text("attribute_name")

    def change(node: NodeDef) -> None:
        if _concerned(c, node):
            node.attr.pop(name, None)

    return copied(c.graph_def, change)


def _set_device(c: _Call) -> GraphDef:
    device = c.text("device") if "device" in c.arguments else ""
    only_default = c.arguments.get("if_default", ["false"])[-1] == "true"

    def change(node: NodeDef) -> None:
        if not (only_default and node.device):
            node.device = device

    return copied(c.graph_def, change)


def _concerned(c: _Call, node: NodeDef) -> bool:
    types = c.arguments.get("op_name", ["*"])
    return "*" in types or node.op in types


_TRANSFORMS: dict[str, Callable[[_Call], GraphDef]] = {
    "add_default_attributes": lambda c: add_default_attributes(c.graph_def),
    "fold_batch_norms": lambda c: fold_channels(c.graph_def, c.outputs, PLAIN),
    "fold_constants": lambda c: fold_all_constants(c.graph_def, c.inputs, c.outputs),
    "fold_old_batch_norms": lambda c: fold_channels(c.graph_def, c.outputs, NORMS),
    "merge_duplicate_nodes": lambda c: merge_duplicate_nodes(c.graph_def, c.ends),
    "obfuscate_names": lambda c: obfuscate_names(c.graph_def, c.ends),
    "quantize_weights": lambda c: quantize_weights(
        c.graph_def, c.outputs, c.number("minimum_size", 1024)
    ),
    "remove_attribute": _remove_attribute,
    "remove_control_dependencies": lambda c: remove_control_dependencies(c.graph_def),
    "remove_device": lambda c: strip(c.graph_def, default_attrs=False, output_shapes=False),
    "remove_nodes": lambda c: remove_nodes(c.graph_def, c.ends, c.arguments.get("op", ())),
    "rename_attribute": _rename_attribute,
    "rename_node": lambda c: rename(
        c.graph_def, {c.text("old_node_name"): c.text("new_node_name")}
    ),
    "rename_op": _rename_op,
    "round_weights": lambda c: round_weights(c.graph_def, c.outputs, c.number("num_steps", 256)),
    "set_device": _set_device,
    "sort_by_execution_order": lambda c: sort_by_execution_order(c.graph_def),
    "strip_unused_nodes": lambda c: strip_unused_nodes(c.graph_def, c.inputs, c.outputs),
}
# Those that TensorFlow has for kernels that there are not here, or for its own development.
_ABSENT = {
    "backport_concatv2": "TensorFlow before 0.12 is not supported as a target; leave it out",
    "backport_tensor_array_v3": "TensorFlow before 0.12 is not supported as a target; leave it out",
    "flatten_atrous_conv": "convolutions with gaps need no flattening here; leave it out",
    "freeze_requantization_ranges": "graphs are not quantized here; use quantize_weights",
    "fuse_convolutions": "there are no fused kernels to write; session plans fuse",
    "insert_logging": "td.Print, or session.run of the tensors, shows values",
    "quantize_nodes": "graphs are not computed in 8 bits here; use quantize_weights",
    "sparsify_gather": "tables of embeddings are constants here; leave it out",
}


def transform_graph(
    input_graph_def: GraphDef,
    inputs: Sequence[str],
    outputs: Sequence[str],
    transforms: Sequence[str],
) -> GraphDef:
    """A graph after transforms, one after the other.

    The transforms are add_default_attributes, fold_batch_norms, fold_constants,
    fold_old_batch_norms, merge_duplicate_nodes, obfuscate_names, quantize_weights(minimum_size),
    remove_attribute(attribute_name, op_name), remove_control_dependencies, remove_device,
    remove_nodes(op), rename_attribute(old_attribute_name, new_attribute_name, op_name),
    rename_node(old_node_name, new_node_name), rename_op(old_op_name, new_op_name),
    round_weights(num_steps), set_device(device, if_default), sort_by_execution_order and
    strip_unused_nodes. Other arguments of TensorFlow's are taken and change nothing.

    Args:
        input_graph_def: a GraphDef.
        inputs: names of nodes that will be fed.
        outputs: names of nodes that will be fetched.
        transforms: names of transforms, each with arguments in brackets if it has any.

    Returns:
        A new GraphDef.

    Raises:
        ValueError: there is no such transform, its arguments are wrong, or a name is not in the
            graph.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [None, 2], name="x")
        ...     w = td.identity(td.ones([2, 3]), name="w/read")
        ...     y = td.multiply(td.matmul(x, w), [1.0, 2.0, 3.0], name="y")
        >>> small = td.graph_util.transform_graph(
        ...     graph.as_graph_def(), ["x"], ["y"], ["fold_constants", "fold_batch_norms"]
        ... )
        >>> sorted(node.op for node in small.node)
        ['BiasAdd', 'Const', 'Const', 'MatMul', 'Placeholder']

    Unlike TensorFlow's, folding keeps what the additions between and behind the factors add: a
    whole normalization becomes filters and one vector. Nothing is run in 8 bits.
    """
    there = {node.name for node in input_graph_def.node}
    for name in outputs:
        if source_name(name) not in there:
            raise ValueError(f"outputs: the graph has no node named {source_name(name)!r}")
    result = input_graph_def
    for text in transforms:
        name, arguments = _parsed(text)
        if name not in _TRANSFORMS:
            known = ", ".join(sorted(_TRANSFORMS))
            why = _ABSENT.get(name, f"there are {known}")
            raise ValueError(f"there is no transform {name!r}: {why}")
        result = _TRANSFORMS[name](_Call(result, inputs, outputs, arguments))
    return result


def _parsed(text: str) -> tuple[str, dict[str, list[str]]]:
    """The name of a transform, and its arguments: `remove_nodes(op=Identity, op=CheckNumerics)`."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if match is None:
        raise ValueError(f"transforms: {text!r} is not of the form name(argument=value, …)")
    arguments: dict[str, list[str]] = {}
    for part in re.findall(r'[^,"]*(?:"[^"]*"[^,"]*)*', match[2] or ""):
        if part.strip():
            key, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"transforms: {text!r}: {part.strip()!r} is not argument=value")
            arguments.setdefault(key.strip(), []).append(value.strip().strip('"'))
    return match[1], arguments
