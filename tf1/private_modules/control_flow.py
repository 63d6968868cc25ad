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
from ...graph.node import Tensor
from ...ops.array.identity import identity_n
from ...ops.control_flow.cond_and_case import cond
from ...ops.math.logical import logical_and, logical_not
from ...protos.dtypes import as_dtype, int32

_SIDE = "SwitchSide"


class Merged(NamedTuple):
    """Result of `merge`: the available value, and its index among the inputs."""

    output: Any
    value_index: Any


def switch(
    data: Any, pred: Any, dtype: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A tensor for the ops of two branches.

    Args:
        data: the tensor.
        pred: a bool scalar.
        dtype: the dtype of `data`, unless it is a tensor.
        name: a scope for the ops.

    Returns:
        The tensor as the branch takes it that is for a false `pred`, and as the other one does.
    """
    with name_scope(name, "Switch", [data, pred]):
        data, pred = convert_to_tensor(data, dtype), convert_to_tensor(pred, as_dtype("bool"))
        sides = [identity_n([data, taken], name=_SIDE) for taken in (logical_not(pred), pred)]
        return sides[0][0], sides[1][0]


def merge(inputs: Sequence[Any], name: str | None = None) -> Merged:
    """Picks the available value: the first whose switches point to it.

    Args:
        inputs: tensors that depend on results of `switch`.
        name: a scope for the ops.

    Raises:
        ValueError: an input other than the last depends on no switch.
    """
    tensors = [convert_to_tensor(value) for value in inputs]
    with name_scope(name, "Merge", tensors):
        output, index = tensors[-1], _number(len(tensors) - 1)
        for place in reversed(range(len(tensors) - 1)):
            taken = [*_taken(tensors[place])]
            if not taken:
                raise ValueError(f"inputs[{place}] = {tensors[place].name} depends on no switch")
            here, these = reduce(logical_and, taken), (tensors[place], _number(place))
            output, index = cond(here, partial(tuple, these), partial(tuple, (output, index)))
        return Merged(output, index)


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
