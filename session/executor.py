"""Executing a plan: step by step at first, as straight-line Python once it is hot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ..graph import errors
from .flat import FlatProgram
from .fused_blocks import BlockProgram
from .fusion import fuse, observe
from .lowering import Lowered, lower
from .parallel import parallel_run
from .plan import with_dead_slots
from .quiet import quietly
from .steps import run_step, told
from .tracing import watched_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.node import Operation
    from .options import RunOptions
    from .plan import Array, Plan, Step
    from .threads import Threads
    from .tracing import RunMetadata

_RUNS_UNTIL_HOT = 3
# Lowering takes this long a step; a plan with more than a few has to have run for as long.
_SECONDS_TO_LOWER = 25e-6
_FEW_STEPS = 1_000


class Executor:
    """Runs one plan, any number of times, from any number of threads.

    A plan first runs as a list of steps. When it has run a few times, elementwise steps over
    arrays that have proved large are fused, and the plan is lowered to Python.
    """

    def __init__(self, plan: Plan, threads: Threads) -> None:
        self._plan = plan
        self._threads = threads
        self._flat = FlatProgram(plan)
        self._runs = 0
        self._seconds = -_SECONDS_TO_LOWER * max(0, len(plan.steps) - _FEW_STEPS)
        self._hot: Lowered | None = None

    def run(self, feeds: Sequence[Array]) -> list[Any]:
        """The values of the plan's fetches, each the caller's own; None for an operation.

        Args:
            feeds: an array for each tensor that is fed; read-only.

        Raises:
            OpError: a kernel failed; the error names the op, where it was made, and its inputs.
        """
        hot = self._hot
        if hot is None:
            return handed_out(quietly(self._warm_up, *feeds))
        try:
            return handed_out(quietly(hot.function, *feeds))
        except Exception as error:
            failed = hot.failed_step(error)
            if failed is None:  # a parallel run tells by itself
                raise
            raise told(error, *failed) from error

    def _warm_up(self, *feeds: Array) -> Sequence[Any]:
        self._runs += 1
        if self._runs >= _RUNS_UNTIL_HOT and self._seconds >= 0:
            return self._run_and_lower(*feeds)
        start = time.perf_counter()
        try:
            return self._flat(*feeds)
        finally:
            self._seconds += time.perf_counter() - start

    def run_watched(
        self, feeds: Sequence[Array], options: RunOptions, metadata: RunMetadata
    ) -> list[Any]:
        """As `run`, step by step, with a look at the clock after each of them."""
        values = self._slots(feeds)
        return handed_out(quietly(watched_run, self._plan, values, options, metadata))

    def _run_and_lower(self, *feeds: Array) -> Sequence[Any]:
        """Runs the steps with an eye on sizes and times, and lowers the plan accordingly."""
        plan = self._plan
        values = self._slots(feeds)
        seen = observe(dict(enumerate(values)))
        seconds: dict[Operation, float] = {}
        for step in plan.steps:
            start = time.perf_counter()
            run_step(step, values)
            seconds[step.op] = seconds.get(step.op, 0.0) + time.perf_counter() - start
            seen.update(observe({slot: values[slot] for slot in step.outputs if slot >= 0}))
            for slot in step.dead:
                values[slot] = None
        steps = fuse(plan.steps, seen, plan.lasting, self._threads.blocks)
        fused = plan._replace(steps=with_dead_slots(steps, plan.lasting))
        taken = [sum(seconds[op] for op in _ops(step)) for step in steps]
        parallel = parallel_run(fused, taken, self._threads.steps)
        self._hot = lower(fused) if parallel is None else Lowered(fused, parallel)
        return [None if slot < 0 else values[slot] for slot in plan.fetched]

    def _slots(self, feeds: Sequence[Array]) -> list[Any]:
        """What the slots hold before the first step, and one more for slot -1."""
        values: list[Any] = [None] * (self._plan.slots + 1)
        for slot, array in self._plan.constants.items():
            values[slot] = array
        values[: self._plan.feeds] = feeds
        return values


def _ops(step: Step) -> Sequence[Operation]:
    """The ops that a step stands for: several where it is fused."""
    return step.kernel.ops if isinstance(step.kernel, BlockProgram) else [step.op]


def handed_out(values: Sequence[Any]) -> list[Any]:
    """The values as the caller's own: writable, and sharing no memory with anything.

    Feeds, constants and the state of a session are read-only, and so is every view of them; so
    what is writable is the run's own, unless two results share it.
    """
    results: list[Any] = []
    owners: set[int] = set()
    for value in values:
        if value is None:
            results.append(None)
        elif value.ndim == 0:
            results.append(value[()])
        else:
            owner = id(value if value.base is None else value.base)
            if not value.flags.writeable or owner in owners:
                value = _copied(value)
            else:
                owners.add(owner)
            results.append(value)
    return results


def _copied(value: Any) -> Any:
    try:
        return value.copy()
    except MemoryError:
        message = f"there is no memory for a result of {value.nbytes} bytes"
        raise errors.ResourceExhaustedError(None, None, message) from None
