"""`tensorflow.python.tools.freeze_graph`: a graph and a checkpoint as one graph file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...formats.checkpoints.checkpoint_reader import CheckpointReader
from ...formats.model_files import load_graph_def
from ...model_files.freeze_model import freeze_model
from ...protos.messages import GraphDef
from ...saving.editing.convert_variables_to_constants import convert_variables_to_constants
from ...saving.editing.graph_editing import strip
from ...saving.graph_files import save_graph


class _Checkpoint:
    """A checkpoint that answers as a session does that was restored from it."""

    def __init__(self, path: str) -> None:
        self._reader = CheckpointReader(path)

    def run(self, names: Sequence[str]) -> list[Any]:
        """The values of variables, by the names of their tensors."""
        return [self._reader.get_tensor(name.removesuffix(":0")) for name in names]


def freeze_graph(
    input_graph: str | None,
    input_saver: str | None,
    input_binary: bool,
    input_checkpoint: str | None,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> GraphDef:
    """Writes a graph with its variables as constants, with the values of a checkpoint.

    Values are read from the checkpoint itself, so that savers and restore ops are not needed.

    Args:
        input_graph: the file of the graph, in binary or text format.
        input_saver: taken for compatibility.
        input_binary: taken for compatibility.
        input_checkpoint: the checkpoint.
        output_node_names: the nodes that are wanted, with commas between.
        restore_op_name: taken for compatibility.
        filename_tensor_name: taken for compatibility.
        output_graph: the file to write; None for none.
        clear_devices: whether to remove devices.
        initializer_nodes: taken for compatibility.
        variable_names_whitelist: the variables to convert, with commas between; by default all.
        variable_names_blacklist: those to leave, with commas between.
        input_meta_graph: the file of a meta graph, in place of `input_graph`.
        input_saved_model_dir: the folder of a SavedModel, in place of all these.
        saved_model_tags: the tags of its meta graph, with commas between.
        checkpoint_version: taken for compatibility.

    Returns:
        The GraphDef.

    Raises:
        NotFoundError: a file is not there, or a variable is not in the checkpoint.
        ValueError: a node is not in the graph, or no graph or checkpoint is given.
    """
    if input_saved_model_dir:
        outputs = _names(output_node_names)
        frozen = freeze_model(input_saved_model_dir, outputs, _names(saved_model_tags))
        return _written(frozen, output_graph, clear_devices)
    path = input_meta_graph or input_graph
    if not path or not input_checkpoint:
        raise ValueError("input_graph or input_meta_graph, and input_checkpoint have to be given")
    return freeze_graph_with_def_protos(
        load_graph_def(path),
        None,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
    )


def freeze_graph_with_def_protos(
    input_graph_def: GraphDef,
    input_saver_def: Any,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str | None,
    clear_devices: bool,
    initializer_nodes: str | None,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: Any = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: Any = None,
    checkpoint_version: int = 2,
) -> GraphDef:
    """As `freeze_graph`, of a graph that is a message already."""
    if input_meta_graph_def is not None:
        input_graph_def = input_meta_graph_def.graph_def
    frozen = convert_variables_to_constants(
        _Checkpoint(input_checkpoint),
        input_graph_def,
        _names(output_node_names),
        _names(variable_names_whitelist) or None,
        _names(variable_names_blacklist),
    )
    return _written(frozen, output_graph, clear_devices)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _written(frozen: GraphDef, path: str | None, clear_devices: bool) -> GraphDef:
    if clear_devices:
        frozen = strip(frozen, default_attrs=False, output_shapes=False)
    if path:
        save_graph(frozen, path)
    return frozen
