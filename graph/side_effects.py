"""Side effects of running a graph: files, and functions of the program."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..runtime import errors
from ..shape_inference.traits import Constant
from .describe import describe_op
from .node import Operation
from .unregistered import UnregisteredOp

_MOST_NAMED = 8


class Touch(NamedTuple):
    """Side effect of an op.

    Attributes:
        op: the op.
        what: "reads files", "writes files", "calls Python", or "is unknown".
    """

    op: Operation
    what: str


def touches(ops: Iterable[Operation]) -> Iterator[Touch]:
    """Side effects of ops, in order."""
    ops = list(ops)
    computed = set(ops)
    for op in ops:
        traits = op.definition.traits
        if isinstance(op.definition, UnregisteredOp) and not op.definition.registered:
            yield Touch(op, "is unknown")
        if traits.reads_files or (
            traits.reads_at and _may_name_file(op, traits.reads_at, computed)
        ):
            yield Touch(op, "reads files")
        if traits.writes_files or (
            traits.writes_at and _may_name_file(op, traits.writes_at, computed)
        ):
            yield Touch(op, "writes files")
        if traits.calls_python:
            yield Touch(op, "calls Python")


def _may_name_file(op: Operation, place: str, computed: set[Operation]) -> bool:
    """Returns whether an attr or input names a file, as far as is known before the run.

    An input does not if it is a constant that is not fed, and empty.

    Args:
        op: the op.
        place: the attr or input, as `Traits.reads_at` states it.
        computed: the ops that run, so that their results are not fed.
    """
    argument, _, start = place.partition("=")
    if argument in op.attrs:
        name: bytes = op.attrs[argument]
        return name.startswith(start.encode()) and bool(name)
    position = op.definition.input_positions(op.attrs)[argument]
    places = position if isinstance(position, range) else [position]
    sources = [op.inputs[place].op for place in places]
    return any(source not in computed or _text(source) != b"" for source in sources)


def _text(op: Operation) -> Any:
    """The only element of a constant; None if the tensor is not a scalar constant."""
    if not isinstance(op.definition.traits, Constant):
        return None
    value = op.attrs["value"]
    return value.array.item() if math.prod(value.shape) == 1 else None


def refuse_touching(ops: Iterable[Operation]) -> None:
    """Checks that ops have no side effects outside the graph.

    Raises:
        PermissionDeniedError: some do; the message names them.
    """
    found = list(touches(ops))
    if found:
        effects = [f"{describe_op(touch.op)} {touch.what}" for touch in found[:_MOST_NAMED]]
        more = f", and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise errors.PermissionDeniedError(
            None,
            found[0].op,
            f"the session is for graphs that are not trusted (ConfigProto.untrusted), and refuses "
            f"what touches more than the graph: {', '.join(effects)}{more}",
        )
