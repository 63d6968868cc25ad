"""Names of `tensorflow.python.framework.subscribe`: side effects at each value of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...graph.default_scopes import control_dependencies
from ...graph.node import Tensor
from ...ops.array.identity import identity


def subscribe(
    tensors: Any, side_effects: Callable[[Tensor], Any] | Sequence[Callable[[Tensor], Any]]
) -> Any:
    """Tensors that run some ops whenever they are computed.

    What has been built of the tensors stays as it is: ops are not changed once they are made. Use
    the results in its place.

    Args:
        tensors: a tensor, or lists, tuples and dicts of them.
        side_effects: a function, or several, from a tensor to the ops to run.

    Returns:
        Tensors of the same values, in the same structure.

    Raises:
        TypeError: something given is no tensor.
        ValueError: what reads a tensor is there already.
    """
    if isinstance(tensors, dict):
        return type(tensors)((key, subscribe(one, side_effects)) for key, one in tensors.items())
    if isinstance(tensors, (list, tuple)):
        made = [subscribe(one, side_effects) for one in tensors]
        return getattr(tensors, "_make", type(tensors))(made)
    if not isinstance(tensors, Tensor):
        raise TypeError(f"subscribe takes tensors, got {tensors!r}")
    if readers := tensors.consumers():
        raise ValueError(
            f"{tensors.name} is read by {readers[0].name!r} already, and ops cannot be changed: "
            "subscribe to a tensor before it is used"
        )
    functions = [side_effects] if callable(side_effects) else side_effects
    ops: list[Any] = []
    for function in functions:
        result = function(tensors)
        ops.extend(result if isinstance(result, (list, tuple)) else [result])
    with control_dependencies([op for op in ops if op is not None]):
        return identity(tensors, name=f"{tensors.op.name}/subscription/Identity")


def _preserve_control_flow_context(tensor: Tensor) -> AbstractContextManager[None]:
    """A `with` block that changes nothing."""
    return nullcontext()
