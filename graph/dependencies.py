"""What ops and tensors depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .node import Operation, Tensor


def needed_ops(fetches: Iterable[Tensor | Operation], feeds: Sequence[Tensor]) -> list[Operation]:
    """The ops that must run for `fetches` when `feeds` are given, in an order in which they can."""
    fed = set(feeds)
    pending = [item.op if isinstance(item, Tensor) else item for item in fetches if item not in fed]
    needed: set[Operation] = set()
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending += [tensor.op for tensor in op.inputs if tensor not in fed]
            # Nothing is left to wait for in an op whose results are all fed.
            pending += [
                control
                for control in op.controls
                if not control.outputs or not fed.issuperset(control.outputs)
            ]
    return next(iter(needed)).graph.in_order(needed) if needed else []
