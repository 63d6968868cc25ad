"""Freezing a model from a file or folder: one graph, with all that it needs as constants."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from ..graph.node import Operation
from ..protos.messages import GraphDef
from ..saving.checkpoints.signatures import entry_parts
from ..saving.editing.convert_variables_to_constants import convert_variables_to_constants
from ..saving.frozen_tables import with_tables_filled
from ..saving.saved_model.loaded_model import LoadedModel, callable_signatures
from ..session.options import ConfigProto
from .loading import load

public = {"td.graph_util": "freeze_model"}


def freeze_model(
    path: str | PathLike[str],
    outputs: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    signature: str | None = None,
) -> GraphDef:
    """The part of a model that its outputs need, with constants instead of variables.

    Tables, such as vocabularies read from assets, are filled from constants of the graph: it needs
    no further file.

    Args:
        path: a SavedModel or its folder, the `.meta` of a checkpoint, or a graph: as `td.load`.
        outputs: the names of outputs of the signature, or of nodes; by default all outputs.
        tags: of a SavedModel, the tags of the meta graph.
        signature: the name of the signature; by default that for serving, or the only one.

    Returns:
        A GraphDef. Inputs and outputs are the nodes that they were.

    Raises:
        NotFoundError, DataLossError: as `td.load`; or values of variables are missing or damaged.
        PermissionDeniedError: what the model has run to begin with touches more than its folder.
        ValueError: there is no such signature, output or node, or an output changes a variable or
            table.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, name="x")
        ...     y = td.add(x, td.Variable(1.0, name="v"), name="y")
        ...     session.run(td.global_variables_initializer())
        ...     _ = td.train.Saver().save(session, path)
        >>> frozen = td.graph_util.freeze_model(path + ".meta", ["y"])
        >>> [(node.name, node.op) for node in frozen.node]
        [('x', 'Placeholder'), ('v', 'Const'), ('v/read', 'Identity'), ('y', 'AddV2')]
    """
    return freeze_loaded(load(path, tags), outputs, signature)


def freeze_loaded(
    model: LoadedModel, outputs: Iterable[str] | None = None, signature: str | None = None
) -> GraphDef:
    """The part of a model in memory that its outputs need, frozen: as `freeze_model`."""
    model = model.with_signature(signature)
    names = output_nodes(model, outputs)
    # What a model has run to begin with may touch its own folder, and nothing else.
    with model.session(ConfigProto(untrusted=True)) as session:
        frozen = convert_variables_to_constants(session, model.graph.as_graph_def(), names)
        return with_tables_filled(frozen, model.graph, session)


def output_nodes(model: LoadedModel, outputs: Iterable[str] | None) -> list[str]:
    """The names of the nodes of outputs, or of nodes; by default those of all outputs.

    Raises:
        ValueError: there is no such output or node.
    """
    candidates = model.outputs
    elements = []
    for name in candidates if outputs is None else outputs:
        if name in candidates:
            elements.append(candidates[name])
            continue
        try:
            elements.append(model.graph.as_graph_element(name))
        except (KeyError, ValueError):
            there = ", ".join(sorted(candidates)) or "none"
            raise ValueError(f"the model has no output or node {name!r}; it has {there}") from None
    if not elements:
        raise ValueError("the model has no outputs: name the nodes that are wanted")
    return _nodes(elements)


def signature_nodes(model: LoadedModel) -> list[str]:
    """The names of the nodes that are inputs and outputs of any signature of a model."""
    entries = [
        entry
        for name in callable_signatures(model.signatures)
        for ends in (model.signatures[name].inputs, model.signatures[name].outputs)
        for entry in ends.values()
    ]
    return _nodes(entries)


def _nodes(entries: Iterable[Any]) -> list[str]:
    """The names of the nodes of tensors and ops, and of the parts of sparse tensors."""
    parts = [part for entry in entries for part in entry_parts(entry)]
    ops = [part if isinstance(part, Operation) else part.op for part in parts]
    return list(dict.fromkeys(op.name for op in ops))
