"""Run history of a checked program: the runs it has made, and the new ones."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...graph.api.source_locations import Site, user_site
from ...graph.graph import Graph
from ...graph.growth import growth_of
from ...runtime import errors

if TYPE_CHECKING:
    Shapes = tuple[tuple[int, ...], ...]

# A loop of the library, such as that of an estimator, ends after so many runs without news.
_MOST_REPEATS = 10_000
_MOST_SHAPES = 10


class RunName(NamedTuple):
    """Fetches and feeds of a run.

    Attributes:
        graph: the graph.
        session: the number of the session.
        fetches, feeds: the names of tensors and ops.
    """

    graph: Graph
    session: int
    fetches: tuple[str, ...]
    feeds: tuple[str, ...]


class DistinctRun(NamedTuple):
    """A distinct run of the program, possibly repeated.

    Attributes:
        site: the line of the program that first made it.
        name: its fetches and feeds.
        shapes: the shapes of the feeds.
    """

    site: Site | None
    name: RunName
    shapes: Sequence[tuple[int, ...]]


class Course:
    """History of runs, which decides whether a loop of the program continues.

    Args:
        runs: how often a distinct run is worked out; afterwards it is answered from memory.

    Attributes:
        runs: the same.
        checked: how many runs were worked out.
        guessed: whether the program saw something unlike a real run: a value that was not
            computed, or the end of a loop.
        tainted: the variables, queues and the like that hold such values.
    """

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.checked = 0
        self.guessed = False
        self.tainted: set[object] = set()
        self._distinct: dict[tuple[RunName, Shapes], DistinctRun] = {}
        self._times: dict[tuple[RunName, Shapes], int] = {}
        self._shapes: dict[RunName, int] = {}
        self._calls = 0
        self._fresh = 0
        self._repeats = 0
        self._may_grow = False
        self._lock = threading.Lock()

    @property
    def distinct(self) -> list[DistinctRun]:
        """The distinct runs, in the order in which they were first made."""
        return list(self._distinct.values())

    def is_worked_out(self, name: RunName, shapes: Shapes) -> bool:
        """True if a run has to be computed; otherwise its former result is returned.

        Runs of threads other than the main one are: the main thread waits for them, such as filling
        a queue.

        Raises:
            OutOfRangeError: a call of the program has repeated its runs without end.
        """
        with self._lock:
            main = threading.current_thread() is threading.main_thread()
            times = self._counted(name, shapes)
            growth = growth_of(name.graph)
            # New nodes make new runs without end; once that is reported, they do not count as new.
            fresh = times <= self.runs and self._shapes[name] <= _MOST_SHAPES
            fresh = fresh and not growth.is_endless
            self._may_grow |= growth.may_be
            if main:
                self._calls += 1
                self._fresh += fresh
                self._repeats += not fresh
            worked_out = fresh or not main or times == 1
            self.checked += worked_out
        if self._repeats > _MOST_REPEATS and main:
            message = "the check has seen this run often enough, and ends its loop"
            raise errors.OutOfRangeError(None, None, message)
        return worked_out

    def _counted(self, name: RunName, shapes: Shapes) -> int:
        """Number of times a run has been made, including this one."""
        key = (name, shapes)
        if key not in self._distinct:
            self._distinct[key] = DistinctRun(user_site(), name, shapes)
            self._shapes[name] = self._shapes.get(name, 0) + 1
        times = self._times[key] = self._times.get(key, 0) + 1
        return times

    def round_begins(self) -> tuple[int, int]:
        """A mark for `ends`."""
        self._repeats = 0
        self._may_grow = False
        return self._calls, self._fresh

    def ends(self, begun: tuple[int, int]) -> bool:
        """True if a loop ends with the current iteration: it made runs, and none of them is new."""
        calls, fresh = begun
        nothing_new = self._calls > calls and self._fresh == fresh and not self._may_grow
        self.guessed |= nothing_new
        return nothing_new
