"""`tensorflow.python.tools.strip_unused_lib`: a graph between its inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...formats.model_files import load_graph_def
from ...protos.messages import GraphDef
from ...saving.editing.graph_editing import extract_sub_graph
from ...saving.graph_files import save_graph


def strip_unused(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any = None,
) -> GraphDef:
    """The part of a graph that its outputs need, cut at its inputs.

    Args:
        input_graph_def: the graph.
        input_node_names: nodes that become placeholders.
        output_node_names: nodes that are wanted.
        placeholder_type_enum: ignored: placeholders keep the dtypes of the nodes they replace.

    Raises:
        ValueError: a node is not in the graph.
    """
    return extract_sub_graph(input_graph_def, output_node_names, feeds=input_node_names)


def strip_unused_from_files(
    input_graph: str,
    input_binary: bool,
    output_graph: str,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: Any = None,
) -> None:
    """As `strip_unused`, from a file to a file; names have commas between."""
    part = strip_unused(
        load_graph_def(input_graph), input_node_names.split(","), output_node_names.split(",")
    )
    save_graph(part, output_graph)
