"""Keras models as what is written of a graph: session and ends."""

from __future__ import annotations

from typing import Any

from ...keras_api.backend.session import get_session
from ...keras_api.models.model import Model
from ...saving.saved_model.loaded_model import LoadedModel


def keras_ends(model: Any) -> tuple[LoadedModel, Any, tuple[dict[str, Any], dict[str, Any]]]:
    """A Keras model, its session, and its ends by the names of its layers."""
    if not isinstance(model, Model):
        raise TypeError(
            "model must be what td.load returns, a Graph, a GraphDef or a Keras model, got "
            f"{type(model).__name__}"
        )
    if not model.outputs:
        raise ValueError(f"the model {model.name!r} has no inputs yet: call or build it first")
    graph = model.outputs[0].graph
    with graph.as_default():
        session = get_session()
    names = (
        dict(zip(model.input_names, model.inputs, strict=True)),
        dict(zip(model.output_names, model.outputs, strict=True)),
    )
    return LoadedModel(graph), session, names
