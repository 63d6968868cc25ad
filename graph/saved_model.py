"""SavedModels: folders with meta graphs; those that need no variables can be read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ..protos.messages import SavedModel
from . import errors
from .editing import nodes_by_name
from .files import parse_message, read_file
from .importer import import_whole
from .meta_graph import Signature, read_signatures
from .node_def import source_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..protos.messages import GraphDef, MetaGraphDef
    from .graph import Graph

_VARIABLE_TYPES = ("VarHandleOp", "Variable", "VariableV2", "AutoReloadVariable")


class LoadedModel(NamedTuple):
    """A SavedModel in memory: its graph, what it offers, and the message that it was read from."""

    graph: Graph
    signatures: dict[str, Signature]
    message: MetaGraphDef


def load_saved_model(
    export_dir: str | os.PathLike[str], tags: Sequence[str] | None = ("serve",)
) -> LoadedModel:
    """Reads a SavedModel whose signatures need no variables.

    Args:
        export_dir: the folder, with a file `saved_model.pb` or `saved_model.pbtxt`.
        tags: the tags of the meta graph to read; None if there is but one.

    Returns:
        The graph, its signatures by name, and the MetaGraphDef. Calls of functions are replaced
        by what the functions hold; ops of unregistered types are kept as they are.

    Raises:
        NotFoundError: there is no SavedModel in the folder, or none with these tags.
        DataLossError: the file is no SavedModel.
        UnimplementedError: the signatures need variables; they are named.
        ValueError: the graph is malformed.
    """
    path = _model_file(os.fspath(export_dir))
    message = _chosen(parse_message(SavedModel, read_file(path), path), tags, path)
    graph = import_whole(message.graph_def, message.meta_info_def.stripped_op_list)
    signatures = read_signatures(graph, message)
    _check_stateless(graph.as_graph_def(), signatures, path)
    return LoadedModel(graph, signatures, message)


def _model_file(folder: str) -> str:
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise errors.NotFoundError(None, None, f"there is no SavedModel in {folder!r}")


def _chosen(model: SavedModel, tags: Sequence[str] | None, path: str) -> MetaGraphDef:
    fitting = [
        meta_graph
        for meta_graph in model.meta_graphs
        if tags is None or set(meta_graph.meta_info_def.tags) == set(tags)
    ]
    if len(fitting) != 1:
        there = [sorted(meta_graph.meta_info_def.tags) for meta_graph in model.meta_graphs]
        raise errors.NotFoundError(
            None, None, f"{path}: no one meta graph with the tags {tags}; there are {there}"
        )
    return fitting[0]


def _check_stateless(graph_def: GraphDef, signatures: dict[str, Signature], path: str) -> None:
    nodes = nodes_by_name(graph_def)
    outputs = [element for item in signatures.values() for element in item.outputs.values()]
    pending = [source_name(element.name) for element in outputs] or list(nodes)
    needed: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += map(source_name, nodes[name].input)
    variables = [name for name in nodes if name in needed and nodes[name].op in _VARIABLE_TYPES]
    if variables:
        raise errors.UnimplementedError(
            None,
            None,
            f"{path}: the signatures need {len(variables)} variables, whose values are in the "
            f"folder 'variables': {', '.join(variables[:8])}{', …' if len(variables) > 8 else ''}; "
            "freeze the model (turn its variables into constants) to load it here",
        )
