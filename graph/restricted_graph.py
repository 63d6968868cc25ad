"""Restrictions on feeding and fetching."""

from __future__ import annotations

from .graph_protocols import Op, Value


class RestrictedGraph:
    """The part of a graph that restricts feeding and fetching.

    Attributes:
        restrictions: the number of changes to the restrictions, or to other facts that sessions
            rely on.
    """

    def __init__(self) -> None:
        super().__init__()
        self._unfeedable: set[Value] = set()
        self._unfetchable: set[Value | Op] = set()
        self.restrictions = 0

    def prevent_feeding(self, tensor: Value) -> None:
        """Makes feeding `tensor` an error."""
        self._unfeedable.add(tensor)
        self.restrictions += 1

    def is_feedable(self, tensor: Value) -> bool:
        """Returns whether `tensor` may be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Value | Op) -> None:
        """Makes fetching `op`, or its outputs if it is an operation, an error."""
        self._unfetchable.add(op)
        self.restrictions += 1

    def is_fetchable(self, tensor_or_op: Value | Op) -> bool:
        """Returns whether `tensor_or_op` may be fetched."""
        owner = getattr(tensor_or_op, "op", tensor_or_op)
        return not self._unfetchable.intersection([tensor_or_op, owner])
