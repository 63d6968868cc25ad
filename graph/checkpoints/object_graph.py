"""Checkpoints that name values after the objects of a TensorFlow 2 program, not after variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from ...protos.messages import TrackableObjectGraph
from .. import errors

if TYPE_CHECKING:
    from .checkpoint_reader import CheckpointReader

_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


def keys_by_name(reader: CheckpointReader) -> dict[str, str]:
    """The keys of the values in a checkpoint by the names of their variables; none if it has none.

    Args:
        reader: a checkpoint.

    Raises:
        DataLossError: the object graph in it is damaged.
    """
    if not reader.has_tensor(_KEY):
        return {}
    try:
        graph = TrackableObjectGraph.FromString(reader.get_tensor(_KEY))
    except (DecodeError, TypeError) as error:
        raise errors.DataLossError(None, None, f"{_KEY} is damaged: {error}") from error
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in graph.nodes
        for attribute in node.attributes
        if attribute.full_name
    }
