"""Budgets for reading graphs that are not trusted: bytes, nodes, seconds."""

from __future__ import annotations

import time

from ..formats.progress import Progress
from ..runtime import errors

public = {"td": "LoadBudget"}


class LoadBudget:
    """Limits on reading a graph; pass it as `progress` to the functions that read.

    A file that is larger is not read; one that holds more nodes, those of its functions included,
    is not made a graph; and what takes longer ends at the next thousand of nodes. No graph is left
    behind.

    Args:
        bytes: the most that the file may hold; None for no limit.
        nodes: the most nodes that there may be; None for no limit.
        seconds: how long all of it may take; None for no limit.
        progress: a callback that also receives the progress.

    Raises:
        ValueError: a limit is negative.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     y = td.add(1.0, td.placeholder(td.float32, name="x"), name="y")
        >>> path = td.save_graph(graph, os.path.join(tempfile.mkdtemp(), "graph.pb"))
        >>> len(td.load_graph(path, progress=td.LoadBudget(nodes=3, seconds=60)).get_operations())
        3
        >>> td.load_graph(path, progress=td.LoadBudget(nodes=2))
        Traceback (most recent call last):
            ...
        tensordraft.runtime.errors.ResourceExhaustedError: there are 3 nodes, where the budget is 2
    """

    def __init__(
        self,
        bytes: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        for name, limit in (("bytes", bytes), ("nodes", nodes), ("seconds", seconds)):
            if limit is not None and limit < 0:
                raise ValueError(f"{name} must not be negative, got {limit}")
        self._most = {"bytes": bytes, "nodes": nodes, "checks": nodes}
        self._seconds = seconds
        self._progress = progress
        self._begun: float | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Receives the progress of reading.

        Raises:
            ResourceExhaustedError: it takes more than the budget allows.
        """
        now = time.monotonic()
        if self._begun is None or (what == "bytes" and done == 0):
            self._begun = now
        most = self._most.get(what)
        if most is not None and total > most:
            noun = "bytes" if what == "bytes" else "nodes"
            _refuse(f"there are {total} {noun}, where the budget is {most}")
        if self._seconds is not None and now - self._begun > self._seconds:
            _refuse(f"reading the graph takes more than the {self._seconds:g} s of the budget")
        if self._progress is not None:
            self._progress(what, done, total)


def _refuse(message: str) -> None:
    raise errors.ResourceExhaustedError(None, None, message)
