"""Making a plan: a draft of what has to run, which passes make less, laid out in slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .draft import Draft
from .layout import laid_out, without_waste
from .needed import check_kernels, inference_under, needed_ops
from .simplify import simplify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph.graph import Graph
    from ..graph.node import Operation, Tensor
    from .plan import Plan

PASSES: list[Callable[[Draft], None]] = [without_waste]
"""What is done to a draft once its work is known, in order: each pass may rewrite the work."""


def make_plan(
    graph: Graph,
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    state: dict[Any, Any],
) -> Plan:
    """The plan that computes `fetches` from `feeds`; feed number i is in slot i.

    Raises:
        UnimplementedError: ops that are needed have no kernel; all of them are named.
        InvalidArgumentError: the graph leaves the order of an update in place and a use open.
    """
    ops = needed_ops(fetches, feeds)
    check_kernels(ops)
    draft = Draft(ops, feeds, fetches, inference_under(graph, ops, feeds))
    simplify(draft, state)
    for work_on in PASSES:
        work_on(draft)
    return laid_out(draft)
