"""Execution order: grouping ops, and tensors with control dependencies."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import graph_of
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.node import Operation, Tensor
from ...graph.sparse_tensor import SparseTensor
from ..array.identity import NO_OP, identity

public = {"td": "group no_op tuple with_dependencies"}


def no_op(name: str | None = None) -> Operation:
    """An op that does nothing: a place to hang control dependencies on.

    Args:
        name: a name for the op.

    Returns:
        The Operation. Running it gives None.

    Example:
        >>> with td.Graph().as_default():
        ...     td.no_op(name="done").type
        'NoOp'
    """
    return NO_OP(name=name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """Op that finishes after all of `inputs`.

    Args:
        inputs: operations, tensors and what assignments to variables return, also nested in lists
            and dicts.
        kwargs: `name`, a name for the op.

    Returns:
        An Operation without outputs.

    Raises:
        TypeError: an input is none of these.
        ValueError: the inputs are of different graphs.

    Example:
        >>> with td.Graph().as_default():
        ...     both = td.group(td.constant(1), td.constant(2), name="both")
        ...     [op.name for op in both.control_inputs]
        ['Const', 'Const_1']
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"group got an unexpected argument {next(iter(kwargs))!r}")
    ops = [*_operations(inputs)]
    with graph_of(ops).as_default(), control_dependencies(ops):
        return no_op(name or "group_deps")


def _operations(inputs: Any) -> Iterator[Operation]:
    for item in inputs:
        if isinstance(item, Operation):
            yield item
        elif isinstance(item, SparseTensor):
            yield item.values.op
        elif isinstance(item, dict):
            yield from _operations(item.values())
        elif isinstance(item, (list, builtins.tuple)):
            yield from _operations(item)
        elif isinstance(op := getattr(item, "op", None), Operation):
            yield op  # of a tensor, or of what an assignment to a variable returns
        else:
            raise TypeError(f"group takes operations and tensors, got {item!r}")


def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Sequence[Any] | None = None
) -> list[Any]:
    """Returns the values of `tensors`, each available only after all have been computed.

    Args:
        tensors: tensors, and None where there is none.
        name: a name for the scope of the ops.
        control_inputs: further ops to wait for.

    Returns:
        A list with a Tensor for each of `tensors`, None for None.

    Raises:
        ValueError: there is no tensor.
        TypeError: `control_inputs` holds something else than operations and tensors.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.tuple([td.constant(1), td.constant(2)]))
        [np.int32(1), np.int32(2)]
    """
    with name_scope(name, "tuple", [item for item in tensors if item is not None]):
        values = [None if item is None else convert_to_tensor(item) for item in tensors]
        waited = [item.op for item in values if item is not None]
        if not waited:
            raise ValueError("tuple needs at least one tensor")
        gate = group(*waited, *_operations(control_inputs or ()))
        return [None if item is None else with_dependencies([gate], item) for item in values]


def with_dependencies(
    dependencies: Sequence[Any], output_tensor: Any, name: str | None = None
) -> Tensor:
    """Returns `output_tensor`, after all of `dependencies` have run.

    Args:
        dependencies: operations and tensors.
        output_tensor: a tensor.
        name: a name for the op.

    Returns:
        A Tensor with the value of `output_tensor`.

    Example:
        >>> with td.Graph().as_default():
        ...     first = td.no_op(name="first")
        ...     later = td.with_dependencies([first], td.constant(1))
        ...     [op.name for op in later.op.control_inputs]
        ['first']
    """
    tensor = convert_to_tensor(output_tensor)
    with control_dependencies([*dependencies]):
        return identity(tensor, name=name or "control_dependency")
