"""Reading of TensorFlow.js models: `model.json`, with the files of weights beside it."""

from __future__ import annotations

import os
from io import BufferedIOBase

from ...formats.model_files import ModelFile
from ...formats.progress import Progress
from ...graph.api.late_imports import late_import
from ...runtime.load_budget import reported_to
from .graph_model import graph_model
from .json_files import damaged, member, read_json
from .weights import read_weights

_LAYERS_KEYS = ("model_config", "class_name", "modelConfig")


def read_tfjs(
    file: BufferedIOBase, path: str, progress: Progress | None = None, *, apart: bool = True
) -> ModelFile:
    """Reads a graph model or layers model of TensorFlow.js.

    Args:
        file: its `model.json`, open.
        path: the path of that, in whose folder its other files are.
        progress: called after each weight.
        apart: whether the content of large constants may be beside the graph.

    Raises:
        NotFoundError: a file of weights is missing.
        DataLossError: a file is damaged; the error says how.
        PermissionDeniedError: a file of weights would be outside of the folder.
        UnimplementedError: something in the model is not supported; all of it is named.
        ResourceExhaustedError: it takes more than the budget allows.
    """
    model = read_json(file, path)
    topology = member(model, "modelTopology", dict, "it", path)
    if not topology:
        damaged(path, "it has weights only, and no modelTopology")
    progress = reported_to(progress)
    if progress is not None:
        nodes = topology.get("node")
        progress("nodes", 0, len(nodes) if isinstance(nodes, list) else 0)
    if not os.path.isfile(path):
        damaged(path, "its weights are in files beside it: name the file itself")
    manifest = member(model, "weightsManifest", list, "it", path)
    weights = read_weights(manifest, os.path.dirname(path), path, progress)
    is_layers = model.get("format") == "layers-model" or any(
        key in topology for key in _LAYERS_KEYS
    )
    if is_layers and "node" not in topology:
        layers_model: ModelFile = late_import("layers models of TensorFlow.js")(
            topology, weights, path, apart=apart
        )
        return layers_model
    return graph_model(model, weights, path, apart=apart)
