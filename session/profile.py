"""Where the time and the memory of a run go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .tracing import OpTrace, RunMetadata

_MOST_ROWS = 15


class Cost(NamedTuple):
    """What an op, or all ops of a type, cost in a run."""

    name: str
    type: str
    number: int
    seconds: float
    nbytes: int


class Profile:
    """Several runs of one plan, op by op; `print` it, or read its attributes.

    Attributes:
        ops: a Cost for each op, the one that took longest first.
        types: a Cost for all ops of each type together, likewise.
        seconds: what all ops took together, the median of the runs.
        peak_bytes: the most that results held at once, without what was fed and constants.
    """

    def __init__(self, runs: Sequence[RunMetadata]) -> None:
        self._typical = sorted(runs, key=_seconds)[len(runs) // 2]
        self._number = len(runs)
        self.seconds = float(np.median([run.seconds for run in runs]))
        self.peak_bytes = self._typical.peak_bytes
        self.ops = _sorted(map(_median, zip(*[run.step_stats for run in runs], strict=True)))
        by_type: dict[str, list[Cost]] = {}
        for op in self.ops:
            by_type.setdefault(op.type, []).append(op)
        self.types = _sorted(map(_sum, by_type.values()))

    def chrome_trace(self) -> str:
        """The run of median length as JSON that chrome://tracing and similar viewers open."""
        return self._typical.chrome_trace()

    def __str__(self) -> str:
        took = f"{_time(self.seconds)} a run, op by op (median of {self._number})"
        held = f"results hold {_memory(self.peak_bytes)} at most at once"
        return "\n".join(
            [
                f"{took}; {held}",
                "",
                *_table(self.ops, [f"{cost.name} ({cost.type})" for cost in self.ops], "op"),
                "",
                *_table(self.types, [f"{cost.number} {cost.type}" for cost in self.types], "type"),
            ]
        )


def _median(traces: Sequence[OpTrace]) -> Cost:
    name, kind, *_, nbytes = traces[0]
    return Cost(name, kind, 1, float(np.median([trace.seconds for trace in traces])), nbytes)


def _sum(costs: Sequence[Cost]) -> Cost:
    kind = costs[0].type
    seconds, nbytes = sum(cost.seconds for cost in costs), sum(cost.nbytes for cost in costs)
    return Cost(kind, kind, len(costs), seconds, nbytes)


def _table(costs: Sequence[Cost], labels: Sequence[str], title: str) -> list[str]:
    total = sum(cost.seconds for cost in costs) or 1.0
    lines = [f"{'time':>9} {'share':>6} {'memory':>9}  {title}"]
    for cost, label in list(zip(costs, labels, strict=True))[:_MOST_ROWS]:
        share, memory = f"{cost.seconds / total:.1%}", _memory(cost.nbytes)
        lines.append(f"{_time(cost.seconds):>9} {share:>6} {memory:>9}  {label}")
    if len(costs) > _MOST_ROWS:
        seconds = sum(cost.seconds for cost in costs[_MOST_ROWS:])
        share, rest = f"{seconds / total:.1%}", len(costs) - _MOST_ROWS
        lines.append(f"{_time(seconds):>9} {share:>6} {'':>9}  {rest} more")
    return lines


def _sorted(costs: Iterable[Cost]) -> list[Cost]:
    return sorted(costs, key=lambda cost: (-cost.seconds, cost.name))


def _seconds(run: RunMetadata) -> float:
    return run.seconds


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _memory(nbytes: float) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if nbytes >= size:
            return f"{nbytes / size:.3g} {unit}"
    return f"{nbytes} B"
