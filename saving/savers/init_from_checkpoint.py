"""Initial values out of checkpoints: `init_from_checkpoint`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...formats.checkpoints.checkpoint_reader import CheckpointReader, load_checkpoint
from ...graph.default_graph import get_default_graph
from ...graph.node import Tensor
from ...ops.array.constants import constant
from ...ops.variable_scopes.variable_store import VariableStore, store_of
from ...ops.variables.partitioned_variable import PartitionedVariable
from ...ops.variables.variable import Variable
from .checkpoint_ops import RESTORE_V2
from .saveables import VariableSaveable

public = {"td.train": "init_from_checkpoint"}


def init_from_checkpoint(
    ckpt_dir_or_file: str | os.PathLike[str],
    assignment_map: Mapping[str, Any] | Iterable[tuple[str, Any]],
) -> None:
    """Gives variables initial values out of a checkpoint: their initializers read it from now on.

    To be called before `td.global_variables_initializer`.

    Args:
        ckpt_dir_or_file: the name of a checkpoint, or a folder, whose latest one is meant.
        assignment_map: from names in the checkpoint to variables, to names of variables that
            `td.get_variable` has made, or to lists of the parts of one; or from scopes, which end
            in "/", to scopes: "/" is all that has no scope above it.

    Raises:
        NotFoundError: there is no such checkpoint.
        ValueError: it lacks a name, a variable does not exist, or a shape does not fit.

    Example:
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.get_variable("old/v", initializer=[1.0, 2.0])
        ...     session.run(v.initializer)
        ...     _ = td.train.Saver().save(session, path)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     v = td.get_variable("new/v", [2])
        ...     td.train.init_from_checkpoint(path, {"old/": "new/"})
        ...     session.run(td.global_variables_initializer())
        ...     session.run(v)
        array([1., 2.], dtype=float32)
    """
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    existing = _by_name(store_of(get_default_graph()))
    with load_checkpoint(ckpt_dir_or_file) as reader:
        for key, target in sorted(pairs, key=lambda pair: pair[0]):
            for name, parts in _wanted(reader, key, target, existing):
                for variable in parts:
                    _check(reader, name, variable)
                    take_initial_value(variable, reader.prefix, name)


def _by_name(store: VariableStore) -> dict[str, list[Variable]]:
    """A result of `td.get_variable`: a variable, or its parts under the name of the whole."""
    parts = {part for whole in store.partitioned.values() for part in whole}
    variables = {name: [one] for name, one in store.variables.items() if one not in parts}
    return variables | {name: list(whole) for name, whole in store.partitioned.items()}


def _wanted(
    reader: CheckpointReader, key: str, target: Any, known: Mapping[str, list[Variable]]
) -> Iterator[tuple[str, list[Variable]]]:
    """The names in the checkpoint that an entry of the map speaks of, each with its variables."""
    if isinstance(target, Variable):
        yield key, [target]
    elif isinstance(target, (list, tuple, PartitionedVariable)):
        yield key, list(target)
    elif not isinstance(target, str):
        raise TypeError(f"assignment_map has {target!r} for {key!r}: no variable, list or name")
    elif not target.endswith("/"):
        if target not in known:
            raise ValueError(f"Variable {target} is not found among those of td.get_variable")
        yield key, known[target]
    elif not key.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {target} should map to scope only {key}. Should "
            "be 'scope/': 'other_scope/'."
        )
    else:
        scope, old = target.removeprefix("/"), key.removeprefix("/")
        inside = [name for name in known if name.startswith(scope)]
        if not inside:
            raise ValueError(f"there are no variables in the scope {target!r}")
        for name in inside:
            yield old + name.removeprefix(scope), known[name]


def _check(reader: CheckpointReader, name: str, variable: Variable) -> None:
    if not reader.has_tensor(name):
        raise ValueError(
            f"Tensor {name} (for {variable.op.name}) is not found in {reader.prefix} checkpoint"
        )
    part = variable._save_slice_info
    shape = reader.get_variable_to_shape_map()[name]
    wanted = variable.shape if part is None else list(part.full_shape)
    if not (wanted == shape if part is not None else variable.shape.is_compatible_with(shape)):
        raise ValueError(
            f"Shape of variable {variable.op.name} ({wanted}) doesn't match with shape of tensor "
            f"{name} ({shape}) from checkpoint reader."
        )


def take_initial_value(variable: Variable, prefix: str, name: str) -> None:
    """Lets the initializer of a variable read a checkpoint.

    Args:
        variable: the variable.
        prefix: the name of the checkpoint.
        name: the name in it.
    """
    graph = variable.graph
    part = variable._save_slice_info
    scope = graph.name_scope("checkpoint_initializer")
    with graph.as_default(), graph.control_dependencies(None), scope:
        dtype = variable.dtype.base_dtype
        spec = constant(["" if part is None else part.spec])
        read: Any = RESTORE_V2(constant(prefix), constant([name]), spec, dtypes=[dtype])
        value: Tensor = read[0]
        value.set_shape(variable.shape)
        set_initial_value(variable, value)


def set_initial_value(variable: Variable, value: Tensor) -> None:
    """Gives a variable another initial value, and an initializer that assigns it."""
    variable._initializer = VariableSaveable(variable, variable.op.name).restore([value], None)
    variable._initial_value = value
