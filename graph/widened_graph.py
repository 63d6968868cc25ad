"""Ops made a second time, with more results: where both are asked for, only the second runs.

An operation never changes. So where the gradient of a loop needs more of the loop than it puts
out, the loop is made again with those results behind its own, and the graph notes that the new op
stands for the old one: whoever needs both in one run gets all from the new, and effects and random
numbers occur once. Whoever needs the old one alone does not pay for the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .graph_protocols import Op, Value

if TYPE_CHECKING:
    AnyOp = TypeVar("AnyOp", bound=Op)
    AnyValue = TypeVar("AnyValue", bound=Value)


class WidenedGraph:
    """The part of a graph that knows which op stands for which."""

    def __init__(self) -> None:
        super().__init__()
        # Of each op that was made again: itself, and what stands for it, with ever more results.
        self._versions: dict[Any, list[Any]] = {}
        self._narrowest: dict[Any, Any] = {}
        self._beside: dict[Any, Any] = {}
        self.workings: dict[Any, Any] = {}

    def widen(self, op: Op, wider: Op, beside: Iterable[Op]) -> None:
        """Notes that `wider` stands for `op`, whose results are the first of its own.

        Args:
            op: the op.
            wider: an op with the inputs of `op`, and more behind them.
            beside: what was made for those, and for nothing else; it depends on nothing.
        """
        first = self._narrowest.get(op, op)
        self._versions.setdefault(first, [first]).append(wider)
        self._narrowest[wider] = first
        self._beside.update(dict.fromkeys(beside, first))

    def narrowest(self, op: AnyOp) -> AnyOp:
        """The op as it was first made."""
        return self._narrowest.get(op, op)

    def widest(self, op: AnyOp) -> AnyOp:
        """The op with the most results that stands for `op`."""
        versions = self._versions.get(self.narrowest(op))
        return op if versions is None else versions[-1]

    def in_widest(self, tensor: AnyValue) -> AnyValue:
        """The result of the widest op that is the same as `tensor`."""
        if not self._versions:
            return tensor
        op: Any = self.widest(tensor.op)
        return tensor if op is tensor.op else op.outputs[tensor.value_index]

    def in_order(self, ops: Iterable[AnyOp]) -> list[AnyOp]:
        """Ops in an order in which they can run, what stands for others before these."""
        if not self._versions:
            return sorted(ops, key=_index)
        return sorted(ops, key=self.place)

    def place(self, op: Op) -> tuple[int, int]:
        """Where an op stands among those of the graph, in an order in which they can run."""
        before = self._beside.get(op) or self._narrowest.get(op)
        return (op.index, 0) if before is None else (before.index - 1, 1 + op.index)

    def replaced(self, ops: Sequence[AnyOp]) -> dict[AnyOp, AnyOp]:
        """Those of `ops` for which another one of them stands, and which."""
        if not self._versions:
            return {}
        needed = set(ops)
        result: dict[AnyOp, AnyOp] = {}
        for versions in self._versions.values():
            present = [op for op in versions if op in needed]
            result.update((op, present[-1]) for op in present[:-1])
        return result

    def _unwiden(self, gone: set[Any]) -> None:
        """Forgets ops that have left the graph."""
        for first, versions in list(self._versions.items()):
            kept = [op for op in versions if op not in gone]
            if len(kept) > 1:
                self._versions[first] = kept
            else:
                del self._versions[first]
            if len(kept) < len(versions):
                self.workings.pop(first, None)
        for known in (self._narrowest, self._beside, self.workings):
            for op in gone.intersection(known):
                del known[op]


def _index(op: Op) -> int:
    return op.index
