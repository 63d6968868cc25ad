"""Switch and merge of `tensorflow.python.ops.control_flow_ops`; all values are computed.

TensorFlow computes only the branch that is taken. Here all branches are computed, and `merge`
picks the one whose switches point to it; without side effects the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from ...ops.array.identity import IDENTITY, REF_IDENTITY, identity_n
from ...ops.control_flow.cond_and_case import cond
from ...ops.control_flow.lowered import (
    ENTER,
    EXIT,
    MERGE,
    NEXT_ITERATION,
    REF_ENTER,
    REF_EXIT,
    REF_NEXT_ITERATION,
)
from ...ops.math.logical import logical_and, logical_not
from ...protos.dtypes import as_dtype, int32

_SIDE = "SwitchSide"


class Merged(NamedTuple):
    """Result of `merge`: the available value, and its index among the inputs."""

    output: Any
    value_index: Any


def switch(data: Any, pred: Any, dtype: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """A tensor for the ops of two branches.

    Args:
        data: the tensor, or IndexedSlices.
        pred: a bool scalar.
        dtype: the dtype of `data`, unless it is a tensor.
        name: a scope for the ops.

    Returns:
        The tensor as the branch takes it that is for a false `pred`, and as the other one does.
    """
    if isinstance(data, IndexedSlices):
        values, indices = switch(data.values, pred, None, name), switch(data.indices, pred)
        shape = (None, None) if data.dense_shape is None else switch(data.dense_shape, pred)
        parts = zip(values, indices, shape, strict=True)
        off, on = (IndexedSlices(*part) for part in parts)
        return off, on
    with name_scope(name, "Switch", [data, pred]):
        data, pred = convert_to_tensor(data, dtype), convert_to_tensor(pred, as_dtype("bool"))
        sides = [identity_n([data, taken], name=_SIDE) for taken in (logical_not(pred), pred)]
        return sides[0][0], sides[1][0]


def merge(inputs: Sequence[Any], name: str | None = None) -> Merged:
    """Picks the available value: the first whose switches point to it.

    Args:
        inputs: tensors that depend on results of `switch`.
        name: a scope for the ops.

    Where no input depends on a switch, the op can be built, but not run.
    """
    if all(isinstance(value, IndexedSlices) for value in inputs):
        values, index = merge([value.values for value in inputs], name)
        indices = merge([value.indices for value in inputs]).output
        shapes = [value.dense_shape for value in inputs]
        whole = None if None in shapes else merge(shapes).output
        return Merged(IndexedSlices(values, indices, whole), index)
    tensors = [convert_to_tensor(value) for value in inputs]
    if not all(any(True for _ in _taken(tensor)) for tensor in tensors[:-1]):
        return Merged(*MERGE(tensors, name=name))
    with name_scope(name, "Merge", tensors):
        output, index = tensors[-1], _number(len(tensors) - 1)
        for place in reversed(range(len(tensors) - 1)):
            taken = [*_taken(tensors[place])]
            here, these = reduce(logical_and, taken), (tensors[place], _number(place))
            output, index = cond(here, partial(tuple, these), partial(tuple, (output, index)))
        return Merged(output, index)


def _referred(data: Any) -> tuple[Tensor, bool]:
    """A tensor, and whether it is a reference; of a variable, that to it."""
    tensor = convert_to_tensor(data, as_ref=True)
    return tensor, tensor.dtype.is_ref_dtype


def _Identity(data: Any, name: str | None = None) -> Tensor:  # noqa: N802 - TensorFlow's name
    """The tensor, or the reference to the variable, as an op."""
    tensor, is_reference = _referred(data)
    return (REF_IDENTITY if is_reference else IDENTITY)(tensor, name=name)


def _Enter(  # noqa: N802 - TensorFlow's name
    data: Any,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor as a frame has it; a reference with `use_ref`, of a variable."""
    tensor, is_reference = _referred(data)
    enter = REF_ENTER if is_reference and use_ref else ENTER
    settings = {"is_constant": is_constant, "parallel_iterations": parallel_iterations}
    return enter(tensor, frame_name=frame_name, **settings, name=name)


def exit(data: Any, name: str | None = None) -> Tensor:  # noqa: A001 - TensorFlow's name
    """A tensor of a frame as the enclosing one has it."""
    tensor, is_reference = _referred(data)
    return (REF_EXIT if is_reference else EXIT)(tensor, name=name)


def next_iteration(data: Any, name: str | None = None) -> Tensor:
    """A tensor of a frame for its next iteration."""
    tensor, is_reference = _referred(data)
    return (REF_NEXT_ITERATION if is_reference else NEXT_ITERATION)(tensor, name=name)


_NextIteration = next_iteration


def _number(place: int) -> Tensor:
    return convert_to_tensor(place, int32)


def _taken(tensor: Tensor) -> Iterator[Tensor]:
    """The predicates of the switches that a tensor depends on, each true where it points here."""
    seen, waiting = set(), [tensor.op]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type == "IdentityN" and op.name.rpartition("/")[2].startswith(_SIDE):
            yield op.inputs[1]
        waiting.extend(source.op for source in op.inputs)


def GetContainingXLAContext(ctxt: Any) -> None:  # noqa: N802 - TensorFlow's name
    """The XLA context around a control-flow context: always None."""


def GraphOrParentsInXlaContext(graph: Any) -> bool:  # noqa: N802 - TensorFlow's name
    """True if a graph is compiled by XLA: never."""
    return False
