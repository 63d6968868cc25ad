"""Measuring several ways of doing the same work against each other, in one process."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_REST = 0.12


class Row(NamedTuple):
    """One comparison, in seconds a call, in bytes or in ops; `limit` is the ratio aimed at."""

    name: str
    ours: float
    theirs: float
    limit: float | None = None
    unit: str = "s"
    tensorflow: float | None = None
    numpy: float | None = None

    @property
    def ratio(self) -> float:
        """Our time over theirs."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        aim = "" if self.limit is None else f"  (aim {self.limit:g})"
        beside = "" if self.tensorflow is None else f"  TensorFlow {self.shown(self.tensorflow)}"
        return (
            f"{self.name:42} {self.shown(self.ours):>10} {self.shown(self.theirs):>10} "
            f"{self.ratio:6.2f}{aim}{beside}"
        )

    def shown_or_nothing(self, value: float | None) -> str:
        """The same, or nothing for None."""
        return "" if value is None else self.shown(value)

    def shown(self, value: float) -> str:
        """`value` in a unit that suits it; numbers of ops, and what has no unit, as they are."""
        if self.unit == "ops":
            return f"{value:.0f}"
        if not self.unit:
            return f"{value:.3g}"
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
    tensorflow: Callable[[], Any] | None = None,
    seconds: float = 0.4,
) -> Row:
    """Times ours and theirs in alternating rounds, and TensorFlow after that, in rounds of its own.

    The medians of the rounds count. Each finds in the caches what its like has left there, and the
    cores at rest: threads of BLAS look for more work for tens of milliseconds after a product.
    """
    pair = _medians([ours, theirs], seconds)
    beside = None if tensorflow is None else _medians([tensorflow], seconds)[0]
    return Row(name, pair[0], pair[1], limit, tensorflow=beside)


def _medians(ways: list[Callable[[], Any]], seconds: float) -> list[float]:
    calls = max(1, int(seconds / 40 / max(1e-9, *map(_once, ways))))
    rounds: list[list[float]] = []
    deadline = time.perf_counter() + seconds
    while len(rounds) < 7 or time.perf_counter() < deadline:
        times = []
        for way in ways:
            time.sleep(_REST)
            times.append(_timed(way, calls))
        rounds.append(times)
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


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
