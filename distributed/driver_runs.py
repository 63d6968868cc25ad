"""Whole tensors, computed once in the driver's session, where variables live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..graph.node import Operation, Tensor
from ..session.feeds import feed_converter
from ..session.partial import PartialRun
from ..session.session import Session
from ..shape_inference.split_parts import WHOLE
from .stages import Stages


class WholeInSession:
    """Starts runs of whole tensors, all with one plan.

    Args:
        stages: the stages.
        session: the session that runs them.
    """

    def __init__(self, stages: Stages, session: Session) -> None:
        self._stages = stages
        analysis = stages.analysis
        self.fed = [tensor for tensor in analysis.feeds if analysis.parts[tensor] == WHOLE]
        once = {op for stage in stages.whole for op in stage.ops}
        given = [
            read.tensor
            for stage in stages.whole
            for read in stage.reads
            if analysis.parts[read.tensor] != WHOLE
        ]
        # Ops run by chunks are complete: no wait is needed.
        awaited = [
            tensor
            for op in once
            for control in stages.awaited(op)
            if control not in once
            for tensor in control.outputs
        ]
        feeds = [*dict.fromkeys([*self.fed, *given, *awaited])]
        taken: list[Tensor | Operation] = [
            tensor for stage in stages.whole for tensor in stage.gives if tensor not in set(feeds)
        ]
        self._effects = [
            [op for op in stage.ops if op in analysis.fetches or not op.outputs]
            for stage in stages.whole
        ]
        fetches = [*taken, *(op for ops in self._effects for op in ops)]
        self._fetches, self._feeds = fetches, feeds
        self._plan = session._plan(fetches, feeds) if fetches else None
        self._threads = session._threads.asked

    def begin(self, feeds: Mapping[Tensor, Any]) -> WholeRun:
        """Starts a run with its feeds."""
        plan = self._plan
        run = None if plan is None else PartialRun(plan, self._fetches, self._feeds, self._threads)
        return WholeRun(run, self._effects, {t: feed_converter(t)(v) for t, v in feeds.items()})


class WholeRun:
    """One run of the whole tensors, stage by stage."""

    def __init__(
        self, run: Any, effects: Sequence[Sequence[Operation]], given: dict[Tensor, Any]
    ) -> None:
        self._run = run
        self._effects = effects
        self._given = given
        self._fed: set[Tensor] = set()

    def give(self, tensor: Tensor, value: Any) -> None:
        """Sets the whole value of a tensor."""
        if tensor not in self._fed:
            self._given[tensor] = feed_converter(tensor)(value)

    def take(self, level: int, tensors: Sequence[Tensor]) -> list[Any]:
        """The values of whole tensors before a stage, after its side effects."""
        wanted = [*tensors, *self._effects[level]]
        if not wanted:
            return []
        given, self._given = self._given, {}
        self._fed.update(given)
        values: list[Any] = self._run.run(wanted, given)
        return values[: len(tensors)]
