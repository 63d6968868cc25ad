"""`tensorflow.python.tools.optimize_for_inference_lib`, implemented by `optimize`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...graph.node_def import source_name as node_name_from_input
from ...protos.messages import GraphDef, NodeDef
from ...protos.tensor_util import make_ndarray
from ...saving.editing.graph_editing import nodes_by_name
from ...saving.transforms.channel_lines import NORMS, fold_channels
from ...saving.transforms.optimize import optimize

__all__ = [
    "ensure_graph_is_valid",
    "fold_batch_norms",
    "node_from_map",
    "node_name_from_input",
    "optimize_for_inference",
    "values_from_const",
]


def optimize_for_inference(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any = None,
    toco_compatible: bool = False,
) -> GraphDef:
    """Makes a frozen graph smaller and faster; results are the same up to rounding.

    Args:
        input_graph_def: the graph.
        input_node_names: nodes that will be fed.
        output_node_names: nodes that will be fetched.
        placeholder_type_enum: ignored: placeholders keep the dtypes of the nodes they replace.
        toco_compatible: taken for compatibility.

    Raises:
        ValueError: a node is not in the graph.
    """
    return optimize(input_graph_def, input_node_names, output_node_names)


def fold_batch_norms(input_graph_def: GraphDef) -> GraphDef:
    """Merges batch normalizations into the filters of the convolutions before them."""
    read = {node_name_from_input(text) for node in input_graph_def.node for text in node.input}
    outputs = [node.name for node in input_graph_def.node if node.name not in read]
    return fold_channels(input_graph_def, outputs, NORMS)


def ensure_graph_is_valid(graph_def: GraphDef) -> None:
    """Checks that names are unique, and that all inputs exist.

    Raises:
        ValueError: they are not.
    """
    nodes = nodes_by_name(graph_def)
    for node in nodes.values():
        for text in node.input:
            if node_name_from_input(text) not in nodes:
                raise ValueError(f"the input {text!r} of {node.name!r} is not in the graph")


def node_from_map(node_map: Mapping[str, NodeDef], name: str) -> NodeDef:
    """The node that an input names.

    Raises:
        ValueError: it is not there.
    """
    if (key := node_name_from_input(name)) not in node_map:
        raise ValueError(f"there is no node named {key!r}")
    return node_map[key]


def values_from_const(node_def: NodeDef) -> Any:
    """The value of a Const node.

    Raises:
        ValueError: it is of another type.
    """
    if node_def.op != "Const":
        raise ValueError(f"{node_def.name!r} is a {node_def.op}, no Const")
    return make_ndarray(node_def.attr["value"].tensor)
