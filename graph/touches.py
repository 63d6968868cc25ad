"""What a graph touches outside of itself when it runs: files, and functions of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import errors
from .describe import whereabouts
from .unregistered import UnregisteredOp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .node import Operation

_MOST_NAMED = 8


class Touch(NamedTuple):
    """What an op touches.

    Attributes:
        op: the op.
        what: "reads files", "writes files", "calls Python", or "is unknown".
    """

    op: Operation
    what: str


def touches(ops: Iterable[Operation]) -> Iterator[Touch]:
    """What ops touch outside of the graph, in their order."""
    for op in ops:
        traits = op.definition.traits
        if isinstance(op.definition, UnregisteredOp):
            yield Touch(op, "is unknown")
        if traits.reads_files or op.attrs.get("vocab_file"):
            yield Touch(op, "reads files")
        if traits.writes_files:
            yield Touch(op, "writes files")
        if traits.calls_python:
            yield Touch(op, "calls Python")


def refuse_touching(ops: Iterable[Operation]) -> None:
    """Checks that ops touch nothing outside of the graph.

    Raises:
        PermissionDeniedError: some do; they are named.
    """
    found = list(touches(ops))
    if found:
        told = [f"{whereabouts(touch.op)} {touch.what}" for touch in found[:_MOST_NAMED]]
        more = f", and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise errors.PermissionDeniedError(
            None,
            found[0].op,
            f"the session is for graphs that are not trusted (ConfigProto.untrusted), and refuses "
            f"what touches more than the graph: {', '.join(told)}{more}",
        )
