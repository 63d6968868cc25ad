"""Dependencies of ops and tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .node import Operation, Tensor


def needed_ops(fetches: Iterable[Tensor | Operation], feeds: Sequence[Tensor]) -> list[Operation]:
    """Ops that must run for `fetches` given `feeds`, in topological order."""
    fed = set(feeds)
    pending = [item.op if isinstance(item, Tensor) else item for item in fetches if item not in fed]
    needed: set[Operation] = set()
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending += [tensor.op for tensor in op.inputs if tensor not in fed]
            # An op whose results are all fed has no dependencies.
            pending += [
                control
                for control in op.controls
                if not control.outputs or not fed.issuperset(control.outputs)
            ]
    return next(iter(needed)).graph.in_order(needed) if needed else []
