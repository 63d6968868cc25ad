"""Conversion of a model in memory to a file or folder of another format."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from ...formats.folder_replacement import replacing_folder
from ...formats.message_files import TEXT_SUFFIXES
from ...graph.graph import Graph
from ...graph.importing.importer import import_whole
from ...graph.node import Operation, Tensor
from ...saving.graph_files import save_graph
from ...saving.saved_model.builder import simple_save
from ...saving.saved_model.loaded_model import LoadedModel
from ...session.session import Session
from ..freeze_model import freeze_loaded
from ..tfjs.saving import save_tfjs

TARGETS = ("graph_def", "saved_model", "tfjs")

_GRAPH_ENDINGS = (".pb", *TEXT_SUFFIXES)
_MODEL_JSON = "model.json"
_UNWRITTEN = (".h5", ".hdf5", ".keras", ".meta", ".tflite", ".onnx", ".json", ".zip")


class Target(NamedTuple):
    """A file or folder to write, and its format: one of TARGETS."""

    path: str
    kind: str


def target_of(path: str, to: str | None = None) -> Target:
    """The format that a path means, unless it is stated.

    Files that end in .pb or .pbtxt are GraphDefs; everything else is the folder of a TensorFlow.js
    model, or its `model.json`.

    Args:
        path: the file or folder.
        to: the format; None to go by the name.

    Raises:
        ValueError: files that end so are of a format that is not written, or a GraphDef would be
            written to a folder.
    """
    plain = path.rstrip("/" + os.sep) or path
    name = os.path.basename(plain)
    if to is None:
        to = "graph_def" if name.endswith(_GRAPH_ENDINGS) else "tfjs"
    if to == "graph_def":
        if plain != path or os.path.isdir(path):
            raise ValueError(f"{path} is a folder, where a GraphDef takes a file such as model.pb")
        return Target(path, to)
    if to == "tfjs" and name == _MODEL_JSON:
        plain = os.path.dirname(plain) or os.curdir
    elif name.endswith(_UNWRITTEN) and not os.path.isdir(path):
        ending = os.path.splitext(name)[1]
        raise ValueError(
            f"{path}: files that end in {ending} are not written; the target is a GraphDef (.pb, "
            ".pbtxt), or the folder of a TensorFlow.js model or SavedModel"
        )
    return Target(plain, to)


def convert(
    model: LoadedModel,
    target: Target,
    outputs: Iterable[str] | None = None,
    signature: str | None = None,
    quantize: str | None = None,
) -> str:
    """Writes a model, frozen, in another format; returns the path of what was written.

    Args:
        model: the model.
        target: where and how to write it.
        outputs: names of outputs, or of nodes; by default all outputs of the signature.
        signature: the name of the signature; by default that for serving, or the only one.
        quantize: for TensorFlow.js, the dtype to which weights are rounded.

    Raises:
        OpError, OSError, ValueError: as `td.save_tfjs`, `td.save_graph` and
            `td.saved_model.simple_save`.
    """
    if quantize is not None and target.kind != "tfjs":
        raise ValueError(
            f"quantize = {quantize!r} is for TensorFlow.js models, and {target.path} is a "
            f"{target.kind}; td.graph_util.optimize(..., quantize=True) rounds weights of others"
        )
    if target.kind == "tfjs":
        return save_tfjs(model, target.path, outputs, quantize=quantize, signature=signature)
    wanted = None if outputs is None else list(outputs)
    graph_def = freeze_loaded(model, wanted, signature)
    if target.kind == "graph_def":
        return save_graph(graph_def, target.path)
    graph = import_whole(graph_def)
    ends = model if signature is None else model.signatures[signature]
    inputs = {
        name: found
        for name, tensor in ends.inputs.items()
        if (found := _there(graph, tensor.name)) is not None
    }
    fetched = {
        name: graph.get_tensor_by_name(_tensor_name(model, name, dict(ends.outputs)))
        for name in (wanted or ends.outputs)
    }
    if not inputs:
        raise ValueError("the outputs need no input, and the signature of a SavedModel has some")
    with (
        replacing_folder(target.path, lambda _: False) as temporary,
        graph.as_default(),
        Session(graph=graph) as session,
    ):
        simple_save(session, temporary, inputs, fetched)
    return target.path


def _there(graph: Graph, name: str) -> Tensor | None:
    try:
        return graph.get_tensor_by_name(name)
    except (KeyError, ValueError):
        return None


def _tensor_name(model: LoadedModel, name: str, outputs: dict[str, object]) -> str:
    element = outputs[name] if name in outputs else model.graph.as_graph_element(name)
    if isinstance(element, Operation):
        element = element.outputs[0]
    return str(element.name)  # type: ignore[attr-defined]
