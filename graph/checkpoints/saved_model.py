"""SavedModels: folders with meta graphs, and the values of their variables."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...protos.messages import SavedModel
from .. import errors
from ..constant_value import constant_value
from ..describe import whereabouts
from ..files.message_files import parse_message, read_file
from ..importing.importer import import_whole
from ..node import Operation
from .checkpoint_reader import load_checkpoint
from .signatures import Signature, read_signatures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...protos.messages import MetaGraphDef
    from ..graph import Graph
    from ..node import Tensor
    from .checkpoint_reader import CheckpointReader

public = {"td": "load_saved_model"}

_INIT_SIGNATURE = "__saved_model_init_op"
_INIT_COLLECTIONS = ("saved_model_main_op", "legacy_init_op")
_MOST_NAMED = 8
_EXTENT = re.compile(r"-|[0-9]{1,18},[0-9]{1,18}")


class LoadedModel(NamedTuple):
    """A SavedModel in memory: its graph, what it offers, and the message that it was read from.

    Attributes:
        graph: the graph.
        signatures: what it offers, by name.
        message: the message.
        export_dir: the folder, in which the values of variables are.
    """

    graph: Graph
    signatures: dict[str, Signature]
    message: MetaGraphDef
    export_dir: str

    def restore(self, sess: Any) -> None:
        """Gives the variables in a session the values that the SavedModel holds.

        The assignments of the SavedModel's own saver run, with the values in place of what it
        would read; then the initializer that the SavedModel names, if it does. A model without
        variables can do without.

        Args:
            sess: a session of the model's graph.

        Raises:
            NotFoundError: values are missing; they are named.
            DataLossError: values are damaged.
            InvalidArgumentError: a value is not of the dtype and shape of its variable.
            UnimplementedError: an op is not supported.
            ValueError: the saver is not in the graph, or restores what is not known before a run.
        """
        saver = self.message.saver_def.restore_op_name
        if saver:
            restore = _operation(self.graph, saver)
            sess.run(restore, self._values(op for op in _needed(restore) if op.type == "RestoreV2"))
        for name in _initializers(self.message):
            sess.run(_operation(self.graph, name))

    def _values(self, reads: Iterable[Operation]) -> dict[Tensor, Any]:
        """The values that ops of the saver would read, by the tensors that they would give."""
        read = [item for op in reads for item in _read_by(op)]
        if not read:
            return {}
        prefix = os.path.join(self.export_dir, "variables", "variables")
        with load_checkpoint(prefix) as values:
            missing = [item.name for item in read if not values.has_tensor(item.name)]
            if missing:
                names = ", ".join(missing[:_MOST_NAMED])
                more = ", …" if len(missing) > _MOST_NAMED else ""
                what = f"{prefix!r} has no values for {len(missing)} variables: {names}{more}"
                raise errors.NotFoundError(None, None, what)
            return {item.tensor: _value(values, item) for item in read}


class _Read(NamedTuple):
    """A tensor that a saver reads: what it gives, and the name and the part of what is stored."""

    tensor: Tensor
    name: str
    part: str


def load_saved_model(
    export_dir: str | os.PathLike[str], tags: Sequence[str] | None = ("serve",)
) -> LoadedModel:
    """Reads a SavedModel.

    Its variables get their values in a session: by `restore`.

    Args:
        export_dir: the folder, with a file `saved_model.pb` or `saved_model.pbtxt`.
        tags: the tags of the meta graph to read; None if there is but one.

    Returns:
        The graph, its signatures by name, and the MetaGraphDef. Calls of functions are replaced
        by what the functions hold; ops of unregistered types are kept as they are.

    Raises:
        NotFoundError: there is no SavedModel in the folder, or none with these tags.
        DataLossError: the file is no SavedModel.
        ValueError: the graph is malformed.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> from tensordraft.graph.checkpoints.signatures import Signature
        >>> from tensordraft.protos.messages import SavedModel
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [None], name="x")
        ...     offers = {"double": Signature({"x": x}, {"y": x * 2.0})}
        ...     meta_graph = td.train.export_meta_graph(signatures=offers, tags=["serve"])
        >>> folder = tempfile.mkdtemp()
        >>> with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
        ...     _ = file.write(SavedModel(meta_graphs=[meta_graph]).SerializeToString())
        >>> model = td.load_saved_model(folder)
        >>> double = model.signatures["double"]
        >>> with td.Session(graph=model.graph) as session:
        ...     model.restore(session)
        ...     session.run(double.outputs, {double.inputs["x"]: [1.0, 2.0]})
        {'y': array([2., 4.], dtype=float32)}
    """
    folder = os.fspath(export_dir)
    path = _model_file(folder)
    message = _chosen(parse_message(SavedModel, read_file(path), path), tags, path)
    graph = import_whole(message.graph_def, message.meta_info_def.stripped_op_list)
    return LoadedModel(graph, read_signatures(graph, message), message, folder)


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


def _initializers(message: MetaGraphDef) -> list[str]:
    """The names of the ops that are to run once, as TensorFlow 2 and 1 state them."""
    if _INIT_SIGNATURE in message.signature_def:
        outputs = message.signature_def[_INIT_SIGNATURE].outputs
        return [outputs[key].name for key in sorted(outputs)]
    return [
        name
        for key in _INIT_COLLECTIONS
        if key in message.collection_def
        for name in message.collection_def[key].node_list.value
    ]


def _operation(graph: Graph, name: str) -> Operation:
    try:
        element = graph.as_graph_element(name)
    except (KeyError, ValueError) as error:
        raise ValueError(f"the SavedModel names an op to run: {error.args[0]}") from None
    return element if isinstance(element, Operation) else element.op


def _needed(op: Operation) -> list[Operation]:
    """The ops that `op` needs, and itself."""
    needed = {op: None}
    pending = [op]
    while pending:
        some = pending.pop()
        sources = [*(tensor.op for tensor in some.inputs), *some.controls]
        pending += [source for source in sources if source not in needed]
        needed.update(dict.fromkeys(sources))
    return list(needed)


def _read_by(op: Operation) -> list[_Read]:
    """What an op reads of a checkpoint."""
    names, parts = map(constant_value, op.inputs[1:])
    if names is None or parts is None or not names.size == parts.size == len(op.outputs):
        raise ValueError(f"it is not known before the run what is read by {whereabouts(op)}")
    texts = [[item.decode(errors="replace") for item in texts.ravel()] for texts in (names, parts)]
    return list(map(_Read, op.outputs, *texts))


def _value(values: CheckpointReader, read: _Read) -> Any:
    dtype = values.get_variable_to_dtype_map()[read.name]
    if dtype is not read.tensor.dtype:
        what = f"{read.name!r} is stored as {dtype.name}, not as {read.tensor.dtype.name}"
        raise errors.InvalidArgumentError(None, None, what)
    value = values.get_tensor(read.name)
    return value[_index(read, np.ndim(value))] if read.part else value


def _index(read: _Read, rank: int) -> tuple[slice, ...]:
    """Where a part is in the whole, from a text such as "4 2 0,3:-": its shape and extents."""
    extents = read.part.rpartition(" ")[2].split(":")
    if len(extents) != rank or not all(map(_EXTENT.fullmatch, extents)):
        raise ValueError(f"a part of {read.name!r}, of rank {rank}, cannot be {read.part!r}")
    index = []
    for extent in extents:
        start, _, length = extent.partition(",")
        index.append(slice(int(start), int(start) + int(length)) if length else slice(None))
    return tuple(index)
