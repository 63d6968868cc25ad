"""What of a graph may not be fed or fetched."""

from __future__ import annotations

from .graph_protocols import Op, Value


class RestrictedGraph:
    """The part of a graph that says what may be fed and fetched: all but what is named.

    Attributes:
        restrictions: how often that has changed, or what else sessions have relied on.
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
        """Whether `tensor` may be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Value | Op) -> None:
        """Makes fetching `op` an error, or fetching what it puts out if it is an operation."""
        self._unfetchable.add(op)
        self.restrictions += 1

    def is_fetchable(self, tensor_or_op: Value | Op) -> bool:
        """Whether `tensor_or_op` may be fetched."""
        owner = getattr(tensor_or_op, "op", tensor_or_op)
        return not self._unfetchable.intersection([tensor_or_op, owner])
