"""Checkpoints that name values after the objects of a TensorFlow 2 program, not after variables."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from ...formats.checkpoints.checkpoint_reader import CheckpointReader
from ...protos.messages import TrackableObjectGraph
from ...runtime import errors

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def object_graph(reader: CheckpointReader) -> TrackableObjectGraph | None:
    """The object graph of a checkpoint; None where it has none.

    Args:
        reader: a checkpoint.

    Raises:
        DataLossError: that is damaged.
    """
    if not reader.has_tensor(OBJECT_GRAPH_KEY):
        return None
    try:
        return TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH_KEY))
    except (DecodeError, TypeError) as error:
        message = f"{OBJECT_GRAPH_KEY} is damaged: {error}"
        raise errors.DataLossError(None, None, message) from error


def keys_by_name(reader: CheckpointReader) -> dict[str, str]:
    """The keys of the values in a checkpoint by the names of their variables; none if it has none.

    Args:
        reader: a checkpoint.

    Raises:
        DataLossError: the object graph in it is damaged.
    """
    graph = object_graph(reader)
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in (graph.nodes if graph else ())
        for attribute in node.attributes
        if attribute.full_name
    }
