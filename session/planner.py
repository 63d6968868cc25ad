"""Making a plan: a draft of what has to run, which passes make less, laid out in slots."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..graph import errors
from ..graph.dependencies import needed_ops
from ..protos.config import config
from .body_runs import BodyRun
from .draft import Constant, Draft
from .layout import laid_out, without_waste
from .needed import check_kernels, inference_under
from .simplify import simplify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..graph.bodies import Body, Known
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

    Args:
        graph: the graph.
        fetches: what is wanted.
        feeds: what is given.
        state: the session's store for stateful ops.

    Raises:
        UnimplementedError: ops that are needed have no kernel; all of them are named.
        InvalidArgumentError: the graph leaves the order of an update in place and a use open.
    """
    ops = needed_ops(fetches, feeds)
    check_kernels(ops)
    return _planned(Draft(ops, feeds, fetches, inference_under(graph, ops, feeds)), state)


def _planned(draft: Draft, state: dict[Any, Any]) -> Plan:
    simplify(draft, state, partial(_body_run, state))
    for work_on in PASSES:
        work_on(draft)
    return laid_out(draft)


def _body_run(state: dict[Any, Any], body: Body, given: Sequence[Known], depth: int) -> BodyRun:
    """What runs a body of an op.

    Args:
        state: the session's store for stateful ops.
        body: the body.
        given: what is known of its inputs; a value is the same at every run.
        depth: how many bodies are around the op.
    """

    def make() -> Plan:
        if depth >= config.max_nesting:
            raise errors.ResourceExhaustedError(
                None,
                None,
                f"functions call each other too deep: {body.name!r} would be inside {depth} "
                f"others, and td.config.max_nesting = {config.max_nesting}",
            )
        ops = needed_ops([*body.outputs, *body.effects], body.inputs)
        check_kernels(ops)
        fetches: list[Tensor | Operation] = [*body.outputs, *body.effects]
        draft = Draft(ops, body.inputs, fetches, body.inferred(given, depth + 1))
        for tensor, known in zip(body.inputs, given, strict=True):
            if known.value is not None:
                draft.stand_ins.put(tensor, Constant(known.value))
        plan = _planned(draft, state)
        return plan._replace(fetched=plan.fetched[: len(body.outputs)])

    return BodyRun(make)
