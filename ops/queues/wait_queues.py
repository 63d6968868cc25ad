"""FIFO wait queues for session resources.

Each put or take is an attempt. Attempts of a kind are served in
their order; one that cannot be served waits, and all behind it. This is the order that
TensorFlow's `QueueBase` keeps.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from ...runtime import errors
from ...runtime.waiting import Waits


class Attempt:
    """An attempt of one thread to use a queue.

    Args:
        step: continues as far as it can; True when there is nothing left to do. It may raise.
        give_up: takes back what has been done, where the attempt is withdrawn.
    """

    __slots__ = ("done", "error", "give_up", "step")

    def __init__(self, step: Callable[[], bool], give_up: Callable[[], None]) -> None:
        self.step = step
        self.give_up = give_up
        self.done = threading.Event()
        self.error: Exception | None = None


class WaitingLines:
    """A resource with wait queues.

    Args:
        lines: the lines, in the order in which they are served.
    """

    def __init__(self, *lines: deque[Attempt]) -> None:
        self._lines = lines
        self._lock = threading.Lock()
        self._moves = 0  # counts what may let others go on

    def _serve(
        self,
        line: deque[Attempt],
        attempt: Attempt,
        waits: Waits,
        seconds: float | None,
        cancelled: str,
    ) -> None:
        """Joins a line, and waits until the attempt is done."""
        try:
            with self._lock:
                line.append(attempt)
                self._flush()
            waits.wait(attempt.done, seconds)
        except BaseException:
            self._withdraw(line, attempt)
            with self._lock:
                attempt.give_up()  # even what was done just now: the result is discarded
                self._flush()
            raise
        if waits.closed and self._withdraw(line, attempt):
            raise errors.CancelledError(None, None, cancelled)
        if attempt.error is not None:
            raise attempt.error

    def _withdraw(self, line: deque[Attempt], attempt: Attempt) -> bool:
        """Leaves a line: True if the attempt was still in it. What it has done is taken back."""
        with self._lock:
            waiting = attempt in line
            if waiting:
                line.remove(attempt)
                attempt.give_up()
                self._flush()
        return waiting

    def _flush(self) -> None:
        """Serves whom it can, under the lock."""
        moves = None
        while moves != self._moves:
            moves = self._moves
            for line in self._lines:
                self._serve_line(line)

    def _serve_line(self, line: deque[Attempt]) -> None:
        while line and self._served(line[0]):
            line.popleft()

    @staticmethod
    def _served(attempt: Attempt) -> bool:
        """Steps an attempt; True if it is over: done or failed."""
        try:
            done = attempt.step()
        except Exception as error:  # noqa: BLE001 - raised in the thread that waits
            attempt.error, done = error, True
        if done:
            attempt.done.set()
        return done
