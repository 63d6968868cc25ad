"""Saving the variables of a session to checkpoints, and restoring them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph import errors
from ...graph.checkpoints.checkpoint_file import SUFFIX, write_checkpoint
from ...graph.checkpoints.checkpoint_reader import load_checkpoint
from ...graph.checkpoints.checkpoint_state import update_checkpoint_state
from ...graph.checkpoints.meta_graph import (
    export_meta_graph,
    import_with_names,
)
from ...graph.default_graph import get_default_graph
from ..array.constants import placeholder
from ..effects.ordering import group
from ..variables.variable import Variable
from ..variables.variable_lists import global_variables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...graph.node import Operation, Tensor
    from ...protos.messages import MetaGraphDef

public = {"td.train": "Saver import_meta_graph"}

_HOUR = 3600.0


class Saver:
    """Saves variables to checkpoints and restores them.

    A checkpoint is a file of this library, `<name>.npz`, beside which stand the graph, as
    `<name>.meta`, and in the folder's file `checkpoint` the names of those that are kept. Each is
    written whole or not at all, so the checkpoint before stays usable whatever happens. Restoring
    reads TensorFlow's checkpoints, too.

    Args:
        var_list: the variables, as a list, or as a dict from the names in the checkpoint; by
            default all global variables.
        reshape: whether values may be restored to a variable of another shape with as many
            elements.
        sharded: accepted for TensorFlow's sake.
        max_to_keep: how many of the latest checkpoints are kept; 0 or None for all.
        keep_checkpoint_every_n_hours: one checkpoint in so many hours is never deleted.
        name: a name for the scope of the ops that restore.
        restore_sequentially: accepted for TensorFlow's sake, like the rest.
        saver_def: accepted.
        builder: accepted.
        defer_build: accepted.
        allow_empty: whether there may be no variables.
        write_version: accepted.
        pad_step_number: whether the step in names has leading zeros.
        save_relative_paths: accepted: paths inside the folder are always relative to it.
        filename: accepted.

    Raises:
        ValueError: there are no variables, or two have one name.
        TypeError: something in `var_list` is no variable.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable([1, 2], name="v")
        ...     saver = td.train.Saver()
        ...     session.run(v.initializer)
        ...     path = saver.save(session, os.path.join(tempfile.mkdtemp(), "model"), 7)
        ...     _ = session.run(v.assign([0, 0]))
        ...     saver.restore(session, path)
        ...     print(os.path.basename(path), session.run(v))
        model-7 [1 2]
    """

    def __init__(
        self,
        var_list: Mapping[str, Variable] | Iterable[Variable] | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = None,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        del sharded, restore_sequentially, saver_def, builder, defer_build, write_version
        del save_relative_paths, filename
        self._variables = _by_name(global_variables() if var_list is None else var_list)
        if not self._variables and not allow_empty:
            raise ValueError("there are no variables to save")
        self._reshape = reshape
        self._max_to_keep = max_to_keep or 0
        self._every_seconds = keep_checkpoint_every_n_hours * _HOUR
        self._last_kept = time.monotonic()
        self._pad_step_number = pad_step_number
        self._kept: list[str] = []
        self._values: dict[str, Tensor] = {}
        graph = next((v.graph for v in self._variables.values()), get_default_graph())
        self._graph = graph
        assigned = []
        with graph.as_default(), graph.control_dependencies(None), graph.name_scope(name or "save"):
            for key, variable in self._variables.items():
                dtype = variable.dtype.base_dtype
                value = self._values[key] = placeholder(dtype, variable.shape, name="value")
                assigned.append(variable.assign(value, read_value=False, name="restore"))
            self._restore: Operation = group(*assigned, name="restore_all")

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, the oldest first."""
        return list(self._kept)

    def set_last_checkpoints(self, last_checkpoints: Iterable[str]) -> None:
        """Sets which checkpoints are kept, the oldest first."""
        self._kept = list(last_checkpoints)

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[str]) -> None:
        """Takes checkpoints of an earlier process to be kept, those that still exist."""
        self._kept = [path for path in checkpoint_paths if os.path.exists(path + SUFFIX)]

    def save(
        self,
        sess: Any,
        save_path: str | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
    ) -> str:
        """Saves the values that the variables have in a session.

        Args:
            sess: the session.
            save_path: the name of the checkpoint. If its folder does not exist it is made, in one
                that does.
            global_step: a number that is put behind the name, with "-"; or a variable or tensor
                that holds it.
            latest_filename: the name of the file that tells of the checkpoints.
            meta_graph_suffix: how the file with the graph ends.
            write_meta_graph: whether to write it.
            write_state: whether to write the file that tells of the checkpoints.
            strip_default_attrs: whether the graph is written without attrs that hold their default.

        Returns:
            The name of the checkpoint.

        Raises:
            FailedPreconditionError: a variable has no value.
            ValueError: neither the folder nor the one around it exists.
            OSError: a file cannot be written; the checkpoints before it are what they were.
        """
        path = os.fspath(save_path)
        if global_step is not None:
            step = _step_number(sess, global_step)
            path = f"{path}-{step:08d}" if self._pad_step_number else f"{path}-{step}"
        values = sess.run(dict(self._variables))
        tensors = {
            key: (variable.dtype.base_dtype, _array(values[key]))
            for key, variable in self._variables.items()
        }
        _make_folder(path)
        write_checkpoint(path + SUFFIX, tensors)
        if write_meta_graph:
            self.export_meta_graph(
                f"{path}.{meta_graph_suffix}", strip_default_attrs=strip_default_attrs
            )
        if write_state:
            doomed = self._keep(path)
            update_checkpoint_state(os.path.dirname(path), path, self._kept, latest_filename)
            for old in doomed:
                _delete(old, meta_graph_suffix)
        return path

    def _keep(self, path: str) -> list[str]:
        """Takes a checkpoint to be the latest; the ones that are not kept any more."""
        self._kept = [*(other for other in self._kept if other != path), path]
        doomed = []
        while 0 < self._max_to_keep < len(self._kept):
            oldest = self._kept.pop(0)
            if time.monotonic() - self._last_kept > self._every_seconds:
                self._last_kept = time.monotonic()
            else:
                doomed.append(oldest)
        return doomed

    def restore(self, sess: Any, save_path: str | os.PathLike[str]) -> None:
        """Gives the variables in a session the values that a checkpoint holds.

        Args:
            sess: the session.
            save_path: the name of the checkpoint: one of this library, or TensorFlow's own.

        Raises:
            NotFoundError: there is no such checkpoint, or a variable is not in it.
            InvalidArgumentError: a variable in it is of another dtype or shape.
            DataLossError: it is damaged; the variables are what they were.
        """
        if save_path is None:
            raise ValueError("save_path is None, which names no checkpoint")
        reader = load_checkpoint(save_path)
        try:
            feeds = {
                self._values[key]: self._fitting(key, variable, reader.get_tensor(key))
                for key, variable in self._variables.items()
            }
        finally:
            reader.close()
        sess.run(self._restore, feeds)

    def _fitting(self, key: str, variable: Variable, value: Any) -> np.ndarray[Any, Any]:
        array = _array(value)
        dtype = variable.dtype.base_dtype
        if array.dtype != dtype.numpy_dtype:
            what = f"of dtype {array.dtype}, where the variable is of {dtype.name}"
        elif variable.shape.is_compatible_with(array.shape):
            return array
        elif self._reshape and variable.shape.num_elements() == array.size:
            return array.reshape(variable.shape.as_list())
        else:
            what = f"of shape {list(array.shape)}, where the variable is of {variable.shape}"
        raise errors.InvalidArgumentError(None, None, f"{key!r} in the checkpoint is {what}")

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Iterable[str] | None = None,
        as_text: bool = False,
        strip_default_attrs: bool = False,
        clear_devices: bool = False,
    ) -> MetaGraphDef:
        """The graph with its collections as a MetaGraphDef: see `td.train.export_meta_graph`."""
        return export_meta_graph(
            filename,
            self._graph,
            collection_list,
            as_text=as_text,
            strip_default_attrs=strip_default_attrs,
            clear_devices=clear_devices,
        )


def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | str | os.PathLike[str],
    clear_devices: bool = False,
    import_scope: str | None = None,
) -> Saver | None:
    """Adds the graph of a MetaGraphDef and its collections to the default graph.

    Args:
        meta_graph_or_file: the message, or a file that holds one.
        clear_devices: whether to forget the devices of the nodes.
        import_scope: the scope under which the nodes are put; by default none.

    Returns:
        A Saver for the global variables that came with it, under the names that they have in its
        checkpoints; None if there are none.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: the file is no MetaGraphDef.
        ValueError: the graph is malformed, or a collection names something that is not in it.

    Example:
        >>> import os, tempfile
        >>> import tensordraft as td
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.Variable(5, name="v")
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     saver = td.train.import_meta_graph(path + ".meta")
        ...     saver.restore(session, path)
        ...     session.run("v:0")
        np.int32(5)
    """
    before = set(global_variables())
    _, names = import_with_names(meta_graph_or_file, clear_devices, import_scope)
    variables = [variable for variable in global_variables() if variable not in before]
    if not variables:
        return None
    return Saver({names.original(variable.op.name): variable for variable in variables})


def _by_name(var_list: Mapping[str, Variable] | Iterable[Variable]) -> dict[str, Variable]:
    variables: dict[str, Variable] = {}
    if isinstance(var_list, Mapping):
        variables.update(var_list)
    else:
        for variable in var_list:
            name = _checked(variable).op.name
            if variables.setdefault(name, variable) is not variable:
                raise ValueError(f"two of the variables are named {name!r}")
    for variable in variables.values():
        _checked(variable)
    return variables


def _checked(variable: Any) -> Variable:
    if not isinstance(variable, Variable):
        raise TypeError(f"a Saver saves variables, got {variable!r}")
    return variable


def _array(value: Any) -> np.ndarray[Any, Any]:
    """What a run returns for a tensor, as an array: for a scalar string it is `bytes`."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, np.generic):
        return np.asarray(value)
    array = np.empty((), object)
    array[()] = value
    return array


def _step_number(sess: Any, global_step: Any) -> int:
    if isinstance(global_step, (int, np.integer)):
        return int(global_step)
    return int(sess.run(global_step))


def _make_folder(path: str) -> None:
    """Makes the folder of a checkpoint, as TensorFlow does: one level of it."""
    try:
        os.mkdir(os.path.dirname(path) or ".")
    except FileExistsError:
        pass
    except FileNotFoundError as error:
        raise ValueError(f"Parent directory of {path} doesn't exist, can't save.") from error


def _delete(path: str, meta_graph_suffix: str) -> None:
    for suffix in (SUFFIX, f".{meta_graph_suffix}"):
        with suppress(FileNotFoundError):
            os.remove(path + suffix)
