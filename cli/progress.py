"""Progress on a terminal, for loads that take long."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, TextIO

from .text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_PATIENCE = 1.0
_PAUSE = 0.1


class ShownProgress:
    """Shows on a terminal how far a load has come, once it has taken a second; to use in `with`.

    A line is written again and again, and is gone at the end. Where the stream is no terminal,
    nothing is written.

    Args:
        title: the path of what is loaded.
        stream: where to write; by default stderr.
        clock: tells the seconds that have passed.
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
        """Shows that `done` of `total` are done, unless it was called a moment ago."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _PAUSE
        if self._line is None:
            self._line = _Line(self._title, self._stream)
        self._line.show(what, done, total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line is not None:
            self._line.close()


class _Line:
    """A line that is written again and again."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream
        self._width = 0

    def show(self, what: str, done: int, total: int) -> None:
        self._write(f"{self._title}: {done:,} of {total:,} {what} ({done / max(total, 1):.0%})")

    def close(self) -> None:
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text:{self._width}}")
        self._stream.flush()
        self._width = len(text)
