"""What of a graph may not be fed or fetched."""

from __future__ import annotations

from .node import Operation, Tensor


class RestrictedGraph:
    """The part of a graph that says what may be fed and fetched: all but what is named.

    Attributes:
        restrictions: how often that has changed, or what else sessions have relied on.
    """

    def __init__(self) -> None:
        super().__init__()
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Tensor | Operation] = set()
        self.restrictions = 0

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Makes feeding `tensor` an error."""
        self._unfeedable.add(tensor)
        self.restrictions += 1

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether `tensor` may be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Tensor | Operation) -> None:
        """Makes fetching `op` an error, or fetching what it puts out if it is an operation."""
        self._unfetchable.add(op)
        self.restrictions += 1

    def is_fetchable(self, tensor_or_op: Tensor | Operation) -> bool:
        """Whether `tensor_or_op` may be fetched."""
        owner = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return not self._unfetchable.intersection([tensor_or_op, owner])
