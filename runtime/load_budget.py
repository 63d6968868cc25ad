"""Budgets for reading files that are not trusted; and `ask`, where readers ask for memory."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

from ..protos.config import config
from . import errors

public = {"td": "LoadBudget"}

_Progress = Callable[[str, int, int], None]


class LoadBudget:
    """Limits on reading files; pass it as `progress` to the functions that read, or enter it.

    In a `with` block it holds for everything that the block reads: graphs, checkpoints, Keras
    files, arrays, records, images, in all threads of its runs. Readers ask before they take memory:
    for a file that is read as a whole, and for each array that is made of one. As `progress` of
    `td.load` it holds for reading the graph, and for restoring its variables.

    Of a graph, more nodes, those of its functions included, are not made, and reading that takes
    longer ends at the next thousand of nodes, or the next array. No graph is left behind.

    Args:
        bytes: the most that may be read; None for no limit.
        nodes: the most nodes that a graph may have; None for no limit.
        seconds: how long all of it may take; None for no limit.
        progress: a callback that also receives the progress.

    Raises:
        ValueError: a limit is negative, or not a number.

    Example:
        >>> import os, tempfile
        >>> with td.Graph().as_default() as graph:
        ...     y = td.add(1.0, td.placeholder(td.float32, name="x"), name="y")
        >>> path = td.save_graph(graph, os.path.join(tempfile.mkdtemp(), "graph.pb"))
        >>> len(td.load_graph(path, progress=td.LoadBudget(nodes=3, seconds=60)).get_operations())
        3
        >>> with td.LoadBudget(nodes=2):
        ...     td.load_graph(path)
        Traceback (most recent call last):
            ...
        tensordraft.runtime.errors.ResourceExhaustedError: there are 3 nodes, where the budget is 2
    """

    def __init__(
        self,
        bytes: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        progress: _Progress | None = None,
    ) -> None:
        for name, limit in (("bytes", bytes), ("nodes", nodes), ("seconds", seconds)):
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name} must not be negative, got {limit}")
        self._bytes = math.inf if bytes is None else bytes
        self._nodes = math.inf if nodes is None else nodes
        self._seconds = math.inf if seconds is None else seconds
        self._progress = progress
        self._began: float | None = None
        self._taken = 0
        self._outer: list[tuple[LoadBudget, ...]] = []

    def __call__(self, what: str, done: int, total: int) -> None:
        """Receives the progress of reading.

        Raises:
            ResourceExhaustedError: it takes more than the budget allows.
        """
        if what in ("nodes", "checks") and total > self._nodes:
            _refuse(f"there are {total} nodes, where the budget is {self._nodes:.0f}")
        self._check_time()
        if self._progress is not None:
            self._progress(what, done, total)

    def __enter__(self) -> Self:
        if not self._outer:
            self._taken, self._began = 0, None
        active = _active.budgets
        self._outer.append(active)
        if self not in active:
            _active.budgets = (*active, self)
        return self

    def __exit__(self, *_: object) -> None:
        _active.budgets = self._outer.pop()

    def take(self, size: int, what: str) -> None:
        """Takes bytes out of the budget.

        Args:
            size: how many.
            what: what they are for, with the name of the file.

        Raises:
            ResourceExhaustedError: there are not so many left, or the time is up.
        """
        if not self._outer:
            return  # of a thread that reads on behind the end of the block
        self.check_room(size, what)
        self._taken += size

    def check_room(self, size: int, what: str) -> None:
        """Checks that bytes could be taken, as `take`, without taking them."""
        self._check_time()
        if self._taken + size > self._bytes:
            before = f", and {self._taken} are taken" if self._taken else ""
            _refuse(
                f"{what} takes {size} bytes{before}, where the budget is {self._bytes:.0f}; "
                "td.LoadBudget(bytes=...) sets it"
            )

    def _check_time(self) -> None:
        now = time.monotonic()
        if self._began is None:
            self._began = now
        if now - self._began > self._seconds:
            _refuse(f"reading takes more than the {self._seconds:g} s of the budget")


class _Active(threading.local):
    """The budgets in force in a thread. Runs have context variables of their own."""

    budgets: tuple[LoadBudget, ...] = ()


_active = _Active()


def ask(size: int, what: str) -> None:
    """Asks for memory for an array or string that a reader is about to make.

    Args:
        size: the bytes.
        what: what they are for, with the name of the file.

    Raises:
        ResourceExhaustedError: they are more than a tensor may have, or than what a budget has.
    """
    if size > config.max_tensor_bytes:
        _refuse(
            f"{what} takes {size} bytes, more than td.config.max_tensor_bytes = "
            f"{config.max_tensor_bytes}"
        )
    take(size, what)


def take(size: int, what: str) -> None:
    """Takes bytes from the budgets in force, as `ask`, for what is not a tensor."""
    for budget in _active.budgets:
        budget.take(size, what)


def check_room(size: int, what: str) -> None:
    """Checks that the budgets in force have bytes left for what will be read later.

    Raises:
        ResourceExhaustedError: they have not.
    """
    for budget in _active.budgets:
        budget.check_room(size, what)


def reported_to(progress: _Progress | None) -> _Progress | None:
    """`progress`, and the budgets in force, as one callback."""
    callbacks = [budget for budget in _active.budgets if budget is not progress]
    if not callbacks:
        return progress

    def all_of_them(what: str, done: int, total: int) -> None:
        for callback in (*callbacks, progress):
            if callback is not None:
                callback(what, done, total)

    return all_of_them


def within(progress: _Progress | None) -> AbstractContextManager[Any]:
    """A `with` block in which `progress` holds for all readers, if it is a budget."""
    return progress if isinstance(progress, LoadBudget) else nullcontext()


def carried(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which keeps to the budgets in force here where another thread calls it."""
    budgets = _active.budgets
    if not budgets:
        return function

    def limited(*arguments: Any) -> Any:
        outer = _active.budgets
        try:
            _active.budgets = budgets
            return function(*arguments)
        finally:
            _active.budgets = outer

    return limited


def _refuse(message: str) -> None:
    raise errors.ResourceExhaustedError(None, None, message)
