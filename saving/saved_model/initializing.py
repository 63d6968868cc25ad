"""Initializers of a SavedModel, which run once and fill tables from its assets."""

from __future__ import annotations

from typing import Any

from ...graph.graph import Graph
from ...graph.importing.renaming import Renaming
from ...graph.node import Operation, Tensor
from ...protos.messages import MetaGraphDef
from ...session.passes.plan_options import PlanOptions
from ..savers.restoring import check_inside, is_untrusted
from . import saved_model_constants as constants
from .assets import asset_feeds

_INIT_COLLECTIONS = (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY)
_FILLS_A_TABLE = "InitializeTableFromTextFile"


def initialize(
    sess: Any, message: MetaGraphDef, folder: str, names: Renaming | None = None
) -> None:
    """Runs the initializers that a meta graph names.

    In a session for graphs that are not trusted, they may fill tables from assets, whose paths are
    fed. That holds for this run: of itself the graph could name any file.

    Args:
        sess: the session.
        message: the meta graph.
        folder: the folder of the SavedModel.
        names: where the nodes of the meta graph are in the session's graph; by default, as they
            were called.

    Raises:
        PermissionDeniedError: the session is for graphs that are not trusted, and an initializer
            touches more than assets, or an asset is a link that leads out of the folder.
        ValueError: an initializer or the tensor of an asset is not in the graph.
    """
    feeds = asset_feeds(message, sess.graph, folder, names.scope if names else "")
    to_run = [
        operation_to_run(sess.graph, names.scope + names.inside(name) if names else name)
        for name in initializers(message)
    ]
    untrusted = is_untrusted(sess)
    options: PlanOptions = sess._plan_options if untrusted else PlanOptions()
    if untrusted:
        check_inside(feeds.values(), folder)
        own_files = {
            op: tensor
            for tensor in feeds
            for op in tensor.consumers()
            if op.type.startswith(_FILLS_A_TABLE) and op.inputs[1] is tensor
        }
        sess._plan_options = options._replace(own_files=own_files)
    try:
        for op in to_run:
            sess.run(op, feeds)
    finally:
        if untrusted:
            sess._plan_options = options


def initializers(message: MetaGraphDef) -> list[str]:
    """The names of the ops that are to run once, as TensorFlow 2 and 1 state them."""
    if constants.INIT_SIGNATURE in message.signature_def:
        outputs = message.signature_def[constants.INIT_SIGNATURE].outputs
        return [outputs[key].name for key in sorted(outputs)]
    return [
        name
        for key in _INIT_COLLECTIONS
        if key in message.collection_def
        for name in message.collection_def[key].node_list.value
    ]


def operation_to_run(graph: Graph, name: str) -> Operation:
    """The op of that name, or that of the tensor.

    Raises:
        ValueError: there is none.
    """
    try:
        element: Tensor | Operation = graph.as_graph_element(name)
    except (KeyError, ValueError) as error:
        raise ValueError(f"the SavedModel names an op to run: {error.args[0]}") from None
    return element if isinstance(element, Operation) else element.op
