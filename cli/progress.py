"""Progress on a terminal: the progress of a load, and the time of a command."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import ClassVar, Self, TextIO

from .text import printable

_PATIENCE = 1.0
_PATIENCE_WITH_COMMANDS = 2.0
_PAUSE = 0.1
_TICK = 0.5


class ShownProgress:
    """Shows the progress of a load on a terminal, once it has taken a second; to use in `with`.

    A line is updated repeatedly, and erased at the end. Nothing is written unless the stream is a
    terminal.

    Args:
        title: the path of what is loaded.
        stream: where to write; by default stderr.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        title: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title = printable(os.path.basename(title))
        self._stream = stream or sys.stderr
        self._clock = clock
        self._due = clock() + _PATIENCE if self._stream.isatty() else float("inf")
        self._line: _Line | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Shows that `done` of `total` are done, unless called a moment ago."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _PAUSE
        if self._line is None:
            self._line = _Line(self._title, self._stream)
            _Line.counting += 1
        self._line.show(f"{done:,} of {total:,} {what} ({done / max(total, 1):.0%})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._line is not None:
            _Line.counting -= 1
            self._line.close()


class ShownTime:
    """Shows the elapsed time of a command on a terminal, after two seconds; to use in `with`.

    The output of a ShownProgress takes precedence.

    Args:
        title: the file argument of the command.
        what: the command.
        stream: where to write; by default stderr.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        title: str,
        what: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._clock = clock
        self._begun = clock()
        self._line = _Line(printable(os.path.basename(title)), self._stream)
        self._is_shown = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="shown time", daemon=True)

    def show(self) -> None:
        """Shows the time, if it is due."""
        seconds = self._clock() - self._begun
        if seconds >= _PATIENCE_WITH_COMMANDS and not _Line.counting:
            self._is_shown = True
            self._line.show(f"{self._what}, {seconds:.0f} s")

    def _watch(self) -> None:
        while not self._ended.wait(_TICK):
            self.show()

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._is_shown:
            self._line.close()


class _Line:
    """A line that is updated repeatedly; a terminal has only one."""

    counting: ClassVar[int] = 0
    _width: ClassVar[int] = 0
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream

    def show(self, text: str) -> None:
        self._write(f"{self._title}: {text}")

    def close(self) -> None:
        self._write("", "\r")

    def _write(self, text: str, end: str = "") -> None:
        with self._lock:
            self._stream.write(f"\r{text:{_Line._width}}{end}")
            self._stream.flush()
            _Line._width = len(text)
