"""`tensorflow.python.tools.saved_model_utils`: the meta graphs of SavedModels."""

from __future__ import annotations

from ...formats.message_files import parse_message
from ...formats.model_files import chosen, model_file
from ...protos.messages import MetaGraphDef, SavedModel


def read_saved_model(saved_model_dir: str) -> SavedModel:
    """The message of a SavedModel.

    Raises:
        NotFoundError: there is none.
        DataLossError: it is damaged.
    """
    path = model_file(saved_model_dir)
    with open(path, "rb") as file:
        data = file.read()
    return parse_message(SavedModel, data, path, as_text=path.endswith(".pbtxt"))


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """The tags of each meta graph."""
    graphs = read_saved_model(saved_model_dir).meta_graphs
    return [sorted(graph.meta_info_def.tags) for graph in graphs]


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> MetaGraphDef:
    """The meta graph with the given tags, separated by commas.

    Raises:
        NotFoundError: there is none.
    """
    path = model_file(saved_model_dir)
    return chosen(read_saved_model(saved_model_dir), tag_set.split(","), path)
