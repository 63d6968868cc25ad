"""Running a plan step by step under a watch: what each op costs, and when to give up."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph import errors
from .options import RunOptions
from .profile import Profile
from .steps import run_step

if TYPE_CHECKING:
    from .plan import Array, Plan, Step


class OpTrace(NamedTuple):
    """One op of a traced run: when it ran, for how long, and what it made.

    `start` is in seconds of `time.perf_counter`, `nbytes` what the results hold.
    """

    name: str
    type: str
    start: float
    seconds: float
    shapes: tuple[tuple[int, ...], ...]
    nbytes: int


class RunMetadata:
    """What a call of `Session.run` with `trace_level=FULL_TRACE` tells of itself.

    Attributes:
        step_stats: an OpTrace for each op that ran, in order.
        peak_bytes: the most that results held at once, without what was fed and constants.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [2], name="x")
        ...     metadata = td.RunMetadata()
        ...     options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        ...     _ = session.run(td.negative(x, name="y"), {x: [1, 2]}, options, metadata)
        ...     [(trace.name, trace.shapes) for trace in metadata.step_stats]
        [('y', ((2,),))]
    """

    def __init__(self) -> None:
        self.step_stats: list[OpTrace] = []
        self.peak_bytes = 0

    @property
    def seconds(self) -> float:
        """How long all ops took together."""
        return sum(trace.seconds for trace in self.step_stats)

    def __str__(self) -> str:
        """The ops by time, the costliest first."""
        return str(Profile([self]))

    def chrome_trace(self) -> str:
        """The run as JSON that chrome://tracing and similar viewers open."""
        import json

        start = self.step_stats[0].start if self.step_stats else 0.0
        events = [
            {
                "name": trace.name,
                "cat": trace.type,
                "ph": "X",
                "pid": 0,
                "tid": 0,
                "ts": (trace.start - start) * 1e6,
                "dur": trace.seconds * 1e6,
                "args": {"shapes": trace.shapes, "bytes": trace.nbytes},
            }
            for trace in self.step_stats
        ]
        return json.dumps({"traceEvents": events})


def watched_run(
    plan: Plan, values: list[Any], options: RunOptions, metadata: RunMetadata
) -> list[Any]:
    """Runs the steps of a plan on the values in its slots, with a look at the clock after each.

    Returns:
        The values of the plan's fetches.

    Raises:
        DeadlineExceededError: it took longer than the options allow.
        OpError: a kernel failed.
    """
    memory = _Memory(values)
    begun = time.perf_counter()
    for step in plan.steps:
        start = time.perf_counter()
        run_step(step, values)
        seconds = time.perf_counter() - start
        if options.trace_level != RunOptions.NO_TRACE:
            made = [values[slot] for slot in step.outputs if slot >= 0]
            shapes = tuple([array.shape for array in made])
            nbytes = sum(array.nbytes for array in made)
            op = step.op
            metadata.step_stats.append(OpTrace(op.name, op.type, start, seconds, shapes, nbytes))
            memory.hold(made)
            metadata.peak_bytes = max(metadata.peak_bytes, memory.nbytes)
            memory.release([values[slot] for slot in step.dead if slot >= 0])
        for slot in step.dead:
            values[slot] = None
        _check_time(step, start + seconds - begun, options.timeout_in_ms)
    return [None if slot < 0 else values[slot] for slot in plan.fetched]


def _check_time(step: Step, seconds: float, limit: int) -> None:
    if 0 < limit < seconds * 1e3:
        raise errors.DeadlineExceededError(
            None,
            step.op,
            f"the run took {seconds * 1e3:.0f} ms, more than timeout_in_ms = {limit}; it was given "
            f"up after {step.op.name!r}",
        )


class _Memory:
    """The bytes that results hold; views hold what they are views of."""

    def __init__(self, given: list[Any]) -> None:
        self.nbytes = 0
        self._given = {id(_owner(array)) for array in given if array is not None}
        self._holders: Counter[int] = Counter()

    def hold(self, arrays: list[Array]) -> None:
        """Counts results in."""
        for array in arrays:
            owner = _owner(array)
            if id(owner) not in self._given:
                self.nbytes += 0 if self._holders[id(owner)] else owner.nbytes
                self._holders[id(owner)] += 1

    def release(self, arrays: list[Array]) -> None:
        """Counts results out that nobody reads any more."""
        for array in arrays:
            owner = _owner(array)
            if self._holders[id(owner)]:
                self._holders[id(owner)] -= 1
                self.nbytes -= 0 if self._holders[id(owner)] else owner.nbytes


def _owner(array: Any) -> Any:
    return array if getattr(array.base, "nbytes", None) is None else array.base
