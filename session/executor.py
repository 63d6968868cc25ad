"""Executing a plan: step by step at first, as one straight-line function once it is hot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import errors
from .fusion import fuse, observe
from .lowering import failed_step, lower
from .options import OpTrace, RunMetadata, RunOptions
from .parallel import parallel_run
from .plan import with_dead_slots
from .quiet import quietly
from .steps import run_step, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .options import ConfigProto
    from .plan import Array, Plan

_RUNS_UNTIL_HOT = 3
_MOST_LOWERED_STEPS = 5_000


class _Lowered(NamedTuple):
    """A plan and the function that it was lowered to."""

    plan: Plan
    function: Callable[..., Sequence[Any]]


class Executor:
    """Runs one plan, any number of times, from any number of threads.

    A plan first runs as a list of steps. When it has run a few times, elementwise steps over
    arrays that have proved large are fused, and the plan is lowered to one Python function.
    """

    def __init__(self, plan: Plan, config: ConfigProto) -> None:
        self._plan = plan
        self._config = config
        self._runs = 0
        # One more than there are slots: the last takes what goes to slot -1.
        self._template: list[Any] = [None] * (plan.slots + 1)
        for slot, array in plan.constants.items():
            self._template[slot] = array
        self._hot: _Lowered | None = None

    def run(self, feeds: Sequence[Array]) -> list[Any]:
        """The values of the plan's fetches, each the caller's own; None for an operation.

        Args:
            feeds: an array for each tensor that is fed; read-only.

        Raises:
            OpError: a kernel failed; the error names the op, where it was made, and its inputs.
        """
        hot = self._hot
        if hot is None:
            return handed_out(quietly(self._step_by_step, feeds))
        try:
            return handed_out(quietly(hot.function, *feeds))
        except Exception as error:
            failed = failed_step(error, hot.plan)
            if failed is None:  # a parallel run tells by itself
                raise
            raise told(error, *failed) from error

    def run_watched(
        self, feeds: Sequence[Array], options: RunOptions, metadata: RunMetadata
    ) -> list[Any]:
        """As `run`, step by step, with a look at the clock after each of them."""
        return handed_out(quietly(self._watched_steps, feeds, options, metadata))

    def _watched_steps(
        self, feeds: Sequence[Array], options: RunOptions, metadata: RunMetadata
    ) -> Sequence[Any]:
        plan = self._plan
        values = self._template[:]
        values[: plan.feeds] = feeds
        begun = time.perf_counter()
        for step in plan.steps:
            start = time.perf_counter()
            run_step(step, values)
            seconds = time.perf_counter() - start
            if options.trace_level != RunOptions.NO_TRACE:
                made = [values[slot] for slot in step.outputs if slot >= 0]
                metadata.step_stats.append(
                    OpTrace(
                        step.op.name,
                        step.op.type,
                        start,
                        seconds,
                        tuple([array.shape for array in made]),
                        sum(array.nbytes for array in made),
                    )
                )
            for slot in step.dead:
                values[slot] = None
            elapsed = (start + seconds - begun) * 1e3
            if 0 < options.timeout_in_ms < elapsed:
                raise errors.DeadlineExceededError(
                    None,
                    step.op,
                    f"the run took {elapsed:.0f} ms, more than timeout_in_ms = "
                    f"{options.timeout_in_ms}; it was given up after {step.op.name!r}",
                )
        return [None if slot < 0 else values[slot] for slot in plan.fetched]

    def _step_by_step(self, feeds: Sequence[Array]) -> Sequence[Any]:
        plan = self._plan
        values = self._template[:]
        values[: plan.feeds] = feeds
        self._runs += 1
        warm = self._runs == _RUNS_UNTIL_HOT and len(plan.steps) <= _MOST_LOWERED_STEPS
        if warm:
            self._run_and_lower(values)
            return [None if slot < 0 else values[slot] for slot in plan.fetched]
        for step in plan.steps:
            run_step(step, values)
            for slot in step.dead:
                values[slot] = None
        return [None if slot < 0 else values[slot] for slot in plan.fetched]

    def _run_and_lower(self, values: list[Any]) -> None:
        """Runs the steps with an eye on sizes and times, and lowers the plan accordingly."""
        plan, config = self._plan, self._config
        seen = observe(dict(enumerate(values)))
        seconds = {}
        for i, step in enumerate(plan.steps):
            start = time.perf_counter()
            run_step(step, values)
            seconds[i] = time.perf_counter() - start
            seen.update(observe({slot: values[slot] for slot in step.outputs if slot >= 0}))
            for slot in step.dead:
                values[slot] = None
        parallel = parallel_run(plan, seconds, config.inter_op_parallelism_threads)
        if parallel is not None:
            self._hot = _Lowered(plan, parallel)
            return
        steps = fuse(plan.steps, seen, plan.lasting, config.intra_op_parallelism_threads)
        plan = plan._replace(steps=with_dead_slots(steps, plan.lasting))
        self._hot = _Lowered(plan, lower(plan))


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
