"""What a check of a graph found out, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..shape_inference.symbolic import DimExpr
from .describe import whereabouts
from .node import Operation

if TYPE_CHECKING:
    from ..shape_inference.context import Requirement
    from ..shape_inference.protocols import Array
    from ..shape_inference.tensor_shape import TensorShape


class TensorFact(NamedTuple):
    """What a check found out of one tensor; `value` is None where nothing is known of it."""

    name: str
    dtype: str
    shape: TensorShape
    value: Array | None


class Loss(NamedTuple):
    """Where the shape of a fetched tensor stopped being known: `op` is the first that lost it."""

    tensor: str
    op: Operation
    reason: str


class Report:
    """The outcome of `check_graph`.

    Attributes:
        errors: for each op that cannot run: the clause, the op, and the shapes of its inputs.
        requirements: what must hold in a run though nothing before it decides it.
        tensors: a TensorFact for each tensor, in the order of the graph.
        losses: for each fetched tensor of which something is unknown, where it was lost.
        unregistered: the op types that have no definition, with the names of their nodes.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, [None, 4], name="x")
        ...     y = td.concat([x, x], 1, name="y")
        >>> report = td.check_graph(graph, shapes={"x": ["batch", 4]})
        >>> report.ok, [str(fact.shape) for fact in report.tensors if fact.name == "y:0"]
        (True, ['(batch, 8)'])
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.requirements: list[Requirement] = []
        self.tensors: list[TensorFact] = []
        self.losses: list[Loss] = []
        self.unregistered: dict[str, list[str]] = {}

    @property
    def ok(self) -> bool:
        """Whether no error was found."""
        return not self.errors

    def raise_for_errors(self) -> None:
        """Raises a ValueError that tells all errors, if there are any."""
        if self.errors:
            raise ValueError("\n".join(self.errors))

    def __str__(self) -> str:
        parts = [f"{'consistent' if self.ok else f'{len(self.errors)} errors'}"]
        parts += [f"error: {error}" for error in self.errors]
        parts += [
            f"requires {item}\n  for {whereabouts(_operation(item))}" for item in self.requirements
        ]
        parts += [
            f"lost: {loss.tensor}: {loss.reason} at {whereabouts(loss.op)}" for loss in self.losses
        ]
        parts += [
            f"not supported: {name} ({', '.join(nodes[:4])}{', …' if len(nodes) > 4 else ''})"
            for name, nodes in self.unregistered.items()
        ]
        width = max((len(fact.name) for fact in self.tensors), default=0)
        for fact in self.tensors:
            value = "" if fact.value is None else f" = {_shown(fact.value)}"
            parts.append(f"{fact.name:{width}}  {fact.dtype} {fact.shape}{value}")
        return "\n".join(parts)

    def to_json(self) -> str:
        """The report as JSON; an unknown size is null, a symbolic one its text."""
        import json

        return json.dumps(
            {
                "ok": self.ok,
                "errors": self.errors,
                "requirements": [
                    {"op": item.node.name, "requirement": str(item)} for item in self.requirements
                ],
                "losses": [
                    {"tensor": loss.tensor, "op": loss.op.name, "reason": loss.reason}
                    for loss in self.losses
                ],
                "unregistered": self.unregistered,
                "tensors": {
                    fact.name: {
                        "dtype": fact.dtype,
                        "shape": None
                        if fact.shape.sizes is None
                        else [_json_size(size) for size in fact.shape.sizes],
                        "value": None if fact.value is None else _shown(fact.value),
                    }
                    for fact in self.tensors
                },
            },
            indent=1,
        )


def _operation(requirement: Requirement) -> Operation:
    node = requirement.node
    if not isinstance(node, Operation):
        raise TypeError(f"{node!r} is no operation")
    return node


def _shown(value: Array) -> str:
    items = [str(item) if isinstance(item, DimExpr) else item for item in value.ravel().tolist()]
    return str(items) if value.ndim else str(items[0])


def _json_size(size: int | DimExpr | None) -> int | str | None:
    if isinstance(size, DimExpr):
        return None if size.is_anonymous() else str(size)
    return size
