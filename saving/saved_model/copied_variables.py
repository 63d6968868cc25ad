"""Variables of which a SavedModel restores only copies.

When TensorFlow 2 saves a Keras model that it has trained, the graph holds a copy of each variable,
whose initial value is the variable's. The saver's nodes restore the copies, and functions read what
they are copies of.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.graph import Graph
from ...graph.node import Tensor
from ...graph.references import Reference
from ...session.session import Session


def give_originals_their_values(session: Session, graph: Graph) -> None:
    """Gives each variable without a value that of its copy, if that has one."""
    pairs = list(_originals_and_copies(graph))
    handles: list[tuple[Reference, Reference]] = session.run(pairs)
    for original, copy in handles:
        if copy.initialized and not original.initialized:
            original.assign(copy.read())


def _originals_and_copies(graph: Graph) -> Iterator[tuple[Tensor, Tensor]]:
    for op in graph.get_operations():
        if op.type == "AssignVariableOp":
            copy, value = op.inputs
            if value.op.type == "ReadVariableOp":
                handles = value.op.inputs[0], copy
                if all(handle.op.type == "VarHandleOp" for handle in handles):
                    yield handles
