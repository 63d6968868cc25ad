"""Measuring two ways of doing the same work against each other, in one process."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Row(NamedTuple):
    """One comparison, in seconds a call or in bytes; `limit` is the ratio aimed at."""

    name: str
    ours: float
    theirs: float
    limit: float | None = None
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """Our time over theirs."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        aim = "" if self.limit is None else f"  (aim {self.limit:g})"
        return (
            f"{self.name:42} {self.shown(self.ours):>10} {self.shown(self.theirs):>10} "
            f"{self.ratio:6.2f}{aim}"
        )

    def shown(self, value: float) -> str:
        """`value` in a unit that suits it."""
        scales = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
        if self.unit == "B":
            scales = {"MiB": 2**-20, "KiB": 2**-10, "B": 1.0}
        unit = next((unit for unit, scale in scales.items() if value * scale >= 1), self.unit)
        return f"{value * scales[unit]:.3g} {unit}"


def compare(
    name: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    limit: float | None = None,
    seconds: float = 0.4,
) -> Row:
    """Times both in alternating rounds; the medians of the rounds count."""
    calls = max(1, int(seconds / 40 / max(_once(ours), _once(theirs), 1e-9)))
    rounds: list[tuple[float, float]] = []
    deadline = time.perf_counter() + seconds
    while len(rounds) < 7 or time.perf_counter() < deadline:
        rounds.append((_timed(ours, calls), _timed(theirs, calls)))
    return Row(
        name,
        statistics.median(pair[0] for pair in rounds),
        statistics.median(pair[1] for pair in rounds),
        limit,
    )


def peak_bytes(function: Callable[[], Any]) -> int:
    """The most memory that a call has allocated at once, beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = function()
        peak = tracemalloc.get_traced_memory()[1] - before
        del result
    finally:
        tracemalloc.stop()
    return peak


def _once(function: Callable[[], Any]) -> float:
    function()
    return _timed(function, 1)


def _timed(function: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return (time.perf_counter() - start) / calls
