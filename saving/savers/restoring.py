"""Checks what the nodes of a Saver will read before they run: all fits, or nothing is done.

Nodes that restore assign one variable after the other. A checkpoint in which something is missing,
or of another dtype or shape, would leave some variables changed and others not.
"""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...formats.checkpoints.checkpoint_reader import CheckpointReader
from ...formats.checkpoints.checkpoint_slices import read_part, spans
from ...formats.checkpoints.checkpoint_state import checkpoint_exists
from ...formats.local_files import told_as_op_error
from ...graph.constant_value import known_value
from ...graph.graph import Graph
from ...graph.node import Operation, Tensor
from ...protos.messages import SaverDef
from ...runtime import errors
from ...runtime.suggestions import did_you_mean
from ..checkpoints.object_graph import keys_by_name
from .checkpoint_ops import restored, texts

_MOST_NAMED = 8


class _Read(NamedTuple):
    """A tensor that is read: the result, and the name and part of the stored value."""

    tensor: Tensor
    name: str
    part: str


def keys_to_read(graph: Graph, restore_op: str, prefix: str) -> dict[Tensor, Any]:
    """Feeds with which the restoring nodes find their values; mostly empty.

    Args:
        graph: the graph.
        restore_op: the name of the op that is run to restore.
        prefix: the name of the checkpoint.

    Returns:
        Where the checkpoint names values after objects: the keys of these, instead of names.

    Raises:
        NotFoundError: something is not in the checkpoint.
        InvalidArgumentError: something is of another dtype or shape.
        DataLossError: the checkpoint is damaged.
    """
    ops = [op for op in needed(graph.get_operation_by_name(restore_op)) if op.type == "RestoreV2"]
    reads = {op: list(_read_by(op)) for op in ops}
    with CheckpointReader(prefix) as reader:
        keys = _Keys(reader)
        for items in reads.values():
            for item in items:
                _check(reader, keys.of(item.name), item)
        if keys.missing:
            raise keys.not_found(prefix)
        return {
            op.inputs[1]: np.array([keys.of(item.name).encode() for item in items], object)
            for op, items in reads.items()
            if any(keys.of(item.name) != item.name for item in items)
        }


def restore_feeds(sess: Any, saver_def: SaverDef, prefix: str, folder: str = "") -> dict[Any, Any]:
    """Feeds with which the nodes of a saver restore a checkpoint.

    A session for graphs that are not trusted runs no op that reads files. There the checkpoint that
    the caller names is read here, and fed instead of what the nodes of the saver would read.

    Args:
        sess: the session.
        saver_def: the saver.
        prefix: the name of the checkpoint.
        folder: in such a session, where the files have to be, be it behind links; by default the
            folder of the checkpoint.

    Raises:
        NotFoundError: something is not in the checkpoint.
        InvalidArgumentError: something is of another dtype or shape.
        DataLossError: the checkpoint is damaged.
        PermissionDeniedError: a file of it is a link that leads out of the folder.
        ValueError: the saver names an op or tensor that is not in the graph.
    """
    graph = sess.graph
    try:
        name = graph.get_tensor_by_name(saver_def.filename_tensor_name)
        restore = graph.as_graph_element(saver_def.restore_op_name)
    except (KeyError, ValueError) as error:
        raise ValueError(f"the saver names what is not in the graph: {error.args[0]}") from None
    op = getattr(restore, "op", restore)
    keys = keys_to_read(graph, op.name, prefix)
    feeds = {name: prefix, **keys}
    if is_untrusted(sess):
        check_inside(glob.glob(f"{glob.escape(prefix)}*"), folder or os.path.dirname(prefix))
        with told_as_op_error(), CheckpointReader(prefix) as reader:
            for reading in needed(op):
                if reads_checkpoint(reading, name):
                    for item in _read_by(reading, keys):
                        dtype = item.tensor.dtype
                        feeds[item.tensor] = restored(reader, item.name, item.part, dtype)
    return feeds


def is_untrusted(sess: Any) -> bool:
    """Returns True if a session is for untrusted graphs."""
    return bool(getattr(getattr(sess, "_config", None), "untrusted", False))


def check_inside(paths: Iterable[str], folder: str) -> None:
    """Checks that files are in a folder, and not behind links that lead out of it.

    Raises:
        PermissionDeniedError: one is not.
    """
    home = os.path.realpath(folder)
    for path in paths:
        if os.path.commonpath([home, os.path.realpath(path)]) != home:
            raise errors.PermissionDeniedError(
                None, None, f"{path!r} is a link that leads out of the model's folder {folder!r}"
            )


def reads_checkpoint(op: Operation, name: Tensor) -> bool:
    """Returns True if an op of a saver reads the checkpoint whose name is the tensor `name`."""
    traits = op.definition.traits
    if not (traits.of_saver and traits.reads_files and op.inputs):
        return False
    source = op.inputs[0]
    while source is not name and source.op.type == "Identity":
        source = source.op.inputs[0]
    return source is name


class _Keys:
    """The keys of a checkpoint for the names that nodes use."""

    def __init__(self, reader: CheckpointReader) -> None:
        self._reader = reader
        self._renamed: dict[str, str] | None = None
        self.missing: list[str] = []

    def of(self, name: str) -> str:
        if self._reader.has_tensor(name):
            return name
        if self._renamed is None:
            self._renamed = keys_by_name(self._reader)
        key = self._renamed.get(name, name)
        if not self._reader.has_tensor(key):
            self.missing.append(name)
        return key

    def not_found(self, prefix: str) -> errors.NotFoundError:
        first = self.missing[0]
        message = f"Key {first} not found in checkpoint {prefix!r}"
        if len(self.missing) > 1:
            shown = ", ".join(self.missing[:_MOST_NAMED])
            more = ", …" if len(self.missing) > _MOST_NAMED else ""
            message += f"; {len(self.missing)} are missing: {shown}{more}"
        there = self._reader.get_variable_to_shape_map()
        more = ", …" if len(there) > _MOST_NAMED else ""
        shown = ", ".join(sorted(there)[:_MOST_NAMED])
        message += f"; it has {shown or 'nothing'}{more}{did_you_mean(first, there)}"
        return errors.NotFoundError(None, None, message)


def needed(op: Operation) -> list[Operation]:
    """The ops that `op` needs, and itself."""
    names = {op: None}
    pending = [op]
    while pending:
        some = pending.pop()
        sources = [*(tensor.op for tensor in some.inputs), *some.controls]
        pending += [source for source in sources if source not in names]
        names.update(dict.fromkeys(sources))
    return list(names)


def _read_by(op: Operation, keys: Mapping[Tensor, Any] | None = None) -> Iterator[_Read]:
    """Entries of a checkpoint that an op reads; none where only the run decides.

    Args:
        op: the op.
        keys: the keys that are fed instead of names.
    """
    names, *parts = [(keys or {}).get(tensor, known_value(tensor)) for tensor in op.inputs[1:]]
    if names is None or names.size != len(op.outputs):
        return
    if not parts:  # an old op, which reads whole tensors
        yield from (_Read(*pair, "") for pair in zip(op.outputs, texts(names), strict=True))
    elif parts[0] is not None and parts[0].size == names.size:
        yield from map(_Read, op.outputs, texts(names), texts(parts[0]))


def _check(reader: CheckpointReader, key: str, item: _Read) -> None:
    """Checks that the stored dtype and shape match the restored ones."""
    dtype = reader.get_variable_to_dtype_map().get(key)
    if dtype is None:
        return  # the caller reports all missing names together
    where = f"{item.name!r} in the checkpoint is of"
    if dtype is not item.tensor.dtype:
        text = f"{where} dtype {dtype.name}, not of {item.tensor.dtype.name}"
        raise errors.InvalidArgumentError(None, None, text)
    stored = reader.get_variable_to_shape_map()[key]
    part = read_part(item.part, item.name)
    if part is not None:
        if part.shape != stored:
            text = f"{where} shape {stored}, where a part of {part.shape} is restored"
            raise errors.InvalidArgumentError(None, None, text)
        stored = [extent.length for extent in spans(part.shape, part.extents)]
    for target in _targets(item.tensor):
        if not target.fits(stored):
            text = (
                f"{where} shape {stored}, where {target.name!r} is of shape {target.shape}: "
                "Assign requires shapes of both tensors to match"
            )
            raise errors.InvalidArgumentError(None, None, text)


class _Target(NamedTuple):
    """Destination of a restored tensor: a variable, and whether it is reshaped on the way."""

    name: str
    shape: Any
    reshaped: bool = False

    def fits(self, stored: Sequence[int]) -> bool:
        if self.reshaped:
            wanted = self.shape.num_elements()
            return wanted is None or wanted == math.prod(stored)
        return bool(self.shape.is_compatible_with(stored))


def _targets(tensor: Tensor) -> Iterator[_Target]:
    for op in tensor.consumers():
        if op.type == "Identity":
            yield from _targets(op.outputs[0])
        elif op.type == "Reshape" and op.inputs[0] is tensor:
            yield _Target(op.name, op.outputs[0].shape, reshaped=True)
        elif op.type == "Assign" and op.attrs["validate_shape"]:
            yield _Target(op.inputs[0].op.name, op.inputs[0].shape)
        elif op.type == "AssignVariableOp" and op.inputs[0].op.type == "VarHandleOp":
            handle = op.inputs[0].op
            yield _Target(handle.name, handle.attrs["shape"])


def checkpoints_beside(path: str) -> str:
    """Hint for a missing checkpoint: those in the same folder."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f"; there is no folder {folder!r}"
    stems = {os.path.splitext(name)[0] for name in os.listdir(folder)}
    checkpoints = sorted(
        stem for stem in stems if stem and checkpoint_exists(os.path.join(folder, stem))
    )
    if not checkpoints:
        return f"; there is none in {folder!r}"
    shown = ", ".join(checkpoints[:_MOST_NAMED])
    return f"; there are {shown} in {folder!r}{did_you_mean(os.path.basename(path), checkpoints)}"


def step_number(sess: Any, global_step: Any) -> int:
    """The number of a step that is given as such, or as a tensor or variable of a session."""
    if isinstance(global_step, (int, np.integer)):
        return int(global_step)
    return int(sess.run(global_step))
