"""Starting from a trained model: `warm_start`, and vocabularies that have changed meanwhile."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...formats.checkpoints.checkpoint_reader import load_checkpoint
from ...formats.message_files import read_file
from ...graph.default_graph import get_default_graph
from ...graph.scopes.collections import GraphKeys
from ...ops.array.constants import constant
from ...ops.indexing.slice import slice as cut
from ...ops.math.where import where
from ...ops.variables.partitioned_variable import with_parts
from ...ops.variables.variable import Variable
from .init_from_checkpoint import init_from_checkpoint, set_initial_value
from .saveables import name_in_checkpoints

public = {"td.train": "VocabInfo warm_start", "td.estimator": "VocabInfo"}


class VocabInfo(NamedTuple):
    """Vocabularies of a variable's rows, now and in a checkpoint.

    Args:
        new_vocab: the file with the words of now, one a line.
        new_vocab_size: how many of them count; -1 for all.
        num_oov_buckets: how many rows there are behind them, for words that are in no list.
        old_vocab: the file with the words of the checkpoint.
        old_vocab_size: how many of them count; -1 for all.
        backup_initializer: makes the rows of new words; by default they are zero.
        axis: 0 for rows, 1 for columns.

    Example:
        >>> td.train.VocabInfo("new.txt", -1, 0, "old.txt").axis
        0
    """

    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


def warm_start(
    ckpt_to_initialize_from: str | os.PathLike[str],
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Gives variables initial values out of a checkpoint.

    Args:
        ckpt_to_initialize_from: the name of a checkpoint, or a folder, whose latest one is meant.
        vars_to_warm_start: a regular expression for the names of trainable variables; or a list of
            such for all global variables, or of variables; None for those of the vocabularies
            alone.
        var_name_to_vocab_info: the vocabularies of variables, by the names of these.
        var_name_to_prev_var_name: the names in the checkpoint that differ, by names of variables.

    Raises:
        NotFoundError: there is no such checkpoint, or no file with a vocabulary.
        ValueError: the checkpoint lacks a variable, or a shape does not fit.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.get_variable("v", initializer=[1.0, 2.0])
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.get_variable("w", [2])
        ...     td.train.warm_start(path, var_name_to_prev_var_name={"w": "v"})
        ...     session.run(td.global_variables_initializer())
        ...     session.run(v)
        array([1., 2.], dtype=float32)
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    before = var_name_to_prev_var_name or {}
    everything = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)
    chosen = dict.fromkeys(_chosen(vars_to_warm_start))
    chosen |= dict.fromkeys(v for v in everything if name_in_checkpoints(v) in vocabularies)
    variables: dict[str, list[Variable]] = {}  # the parts of one are together
    for variable in chosen:
        variables.setdefault(name_in_checkpoints(variable), []).append(variable)
    for name, parts in variables.items():
        old = before.get(name, name)
        if name in vocabularies:
            _remap(parts, ckpt_to_initialize_from, old, vocabularies[name])
        else:
            init_from_checkpoint(ckpt_to_initialize_from, {old: parts})


def _chosen(wanted: Any) -> list[Variable]:
    graph = get_default_graph()
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    everything = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    tensors = []
    for item in with_parts(wanted):
        if isinstance(item, Variable):
            tensors.append(item)
        else:
            tensors += [variable for variable in everything if re.match(item, variable.name)]
    return tensors


def _words(path: str, size: int) -> list[bytes]:
    words = read_file(path).splitlines()
    return words if size < 0 else words[:size]


def _remap(parts: list[Variable], checkpoint: Any, name: str, info: VocabInfo) -> None:
    """Copies the rows of words that both vocabularies have; initializes the others."""
    places = {word: i for i, word in enumerate(_words(info.old_vocab, info.old_vocab_size))}
    new = _words(info.new_vocab, info.new_vocab_size)
    variable = parts[0]
    part = variable._save_slice_info
    shape: Any = variable.shape.as_list() if part is None else list(part.full_shape)
    if shape[info.axis] != len(new) + info.num_oov_buckets:
        raise ValueError(
            f"{name_in_checkpoints(variable)!r} has {shape[info.axis]} rows along axis "
            f"{info.axis}, where the vocabulary has {len(new)} words and {info.num_oov_buckets} "
            "buckets"
        )
    with load_checkpoint(checkpoint) as reader:
        old = np.moveaxis(reader.array(name), info.axis, 0)
    graph, dtype = variable.graph, variable.dtype.base_dtype
    with graph.as_default(), graph.control_dependencies(None):
        if info.backup_initializer is None:
            start = np.zeros(shape, dtype.numpy_dtype)
            rows = np.moveaxis(start, info.axis, 0)
            for i, word in enumerate(new):
                if word in places:
                    rows[i] = old[places[word]]
            value = constant(start)
        else:
            shared_rows = [i for i, word in enumerate(new) if word in places]
            taken = old[[places[new[i]] for i in shared_rows]]
            value = _with_rows(info.backup_initializer(shape, dtype), shared_rows, taken, info.axis)
        for own in parts:
            place = own._save_slice_info
            if place is not None:
                set_initial_value(own, cut(value, place.var_offset, place.var_shape))
            else:
                set_initial_value(own, value)


def _with_rows(start: Any, known: list[int], rows: np.ndarray[Any, Any], axis: int) -> Any:
    """A tensor with some of its rows, or columns, replaced."""
    mask = np.zeros(start.shape.as_list(), np.bool_)
    values = np.zeros(start.shape.as_list(), rows.dtype)
    np.moveaxis(mask, axis, 0)[known] = True
    np.moveaxis(values, axis, 0)[known] = rows
    return where(constant(mask), constant(values), start)
