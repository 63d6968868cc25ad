"""Threads in tests: what one does in the background, and when it has come to wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import pytest

from tensordraft.runtime.waiting import Waits

LIMIT = 60.0  # seconds after which a test is taken to hang


class Background:
    """A call in a thread of its own."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._outcome: Any = None
        self._thread = threading.Thread(target=self._run, args=(function, arguments), daemon=True)
        self._thread.start()

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            self._outcome = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised in `result`
            self._outcome = error

    def result(self) -> Any:
        """Returns the result of the call, or raises its error."""
        self._thread.join(LIMIT)
        assert not self._thread.is_alive(), "the call does not end"
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome


@contextmanager
def arrivals() -> Iterator[Callable[[], None]]:
    """In a `with` block, a function that returns when one more run has come to wait."""
    arrived: SimpleQueue[None] = SimpleQueue()
    plain = Waits.wait

    def wait(self: Waits, event: threading.Event, seconds: float | None = None) -> None:
        if not event.is_set():
            arrived.put(None)
        plain(self, event, seconds)

    Waits.wait = wait  # type: ignore[method-assign]
    try:
        yield lambda: arrived.get(timeout=LIMIT)
    finally:
        Waits.wait = plain  # type: ignore[method-assign]


def only_waiting_takes_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the clock of runs stand still: a time limit is over where a run waits, not before.

    Else a slow machine would reach it between two steps, which is another error.
    """
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)


def join(threads: list[threading.Thread]) -> None:
    """Waits for threads, each of which must end."""
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive(), f"{thread.name} does not end"
