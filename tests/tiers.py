"""Running plans until they are hot, and looking into what they have become."""

from __future__ import annotations

from typing import Any

from harness import RUNS_OF_BOTH_TIERS, functions_of

import tensordraft as td
from tensordraft.session.executor import Executor
from tensordraft.session.plan import Step


def runs(fetches: Any, feeds: dict[td.Tensor, Any], **config: int) -> list[Any]:
    """Results of the runs of both tiers, lowered to one function and to a chain of them."""
    graph, results = next(iter(feeds)).graph, []
    for most_steps in (1_000, 2):
        session = td.Session(graph=graph, config=td.ConfigProto(**config))
        with session, functions_of(most_steps):
            results += [session.run(fetches, feeds) for _ in range(RUNS_OF_BOTH_TIERS)]
    return results


def executors(session: td.Session) -> list[Executor]:
    """The executors of a session's plans."""
    return [*session._calls.plans]


def programs(session: td.Session) -> list[Step]:
    """The fused steps of the plans that are hot."""
    return [
        step
        for planned in executors(session)
        if planned._hot is not None
        for step in planned._hot.plan.steps
        if step.parts
    ]
