"""Progress on a terminal, for loads that take long."""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from .text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_PATIENCE = 1.0
_PAUSE = 0.1


class _Display(Protocol):
    def show(self, what: str, done: int, total: int) -> None: ...
    def close(self) -> None: ...


class ShownProgress:
    """Shows on a terminal how far a load has come, once it has taken a second; to use in `with`.

    rich draws a bar, if it is installed; else a plain line is written again and again. It is gone
    at the end. Where the stream is no terminal, nothing is written.

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
        self._display: _Display | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Shows that `done` of `total` are done, unless it was called a moment ago."""
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _PAUSE
        if self._display is None:
            self._display = _display(self._title, self._stream)
        self._display.show(what, done, total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._display.close()


def _display(title: str, stream: TextIO) -> _Display:
    try:
        return _Bar(title, stream)
    except ImportError:
        return _Line(title, stream)


class _Bar:
    """rich's progress bar."""

    def __init__(self, title: str, stream: TextIO) -> None:
        # By name, since rich is no dependency: type checkers need not know it.
        progress: Any = importlib.import_module("rich.progress")
        console: Any = importlib.import_module("rich.console")
        self._bar = progress.Progress(
            console=console.Console(file=stream), auto_refresh=False, transient=True
        )
        self._task = self._bar.add_task("", total=None)
        self._title = importlib.import_module("rich.markup").escape(title)
        self._bar.start()

    def show(self, what: str, done: int, total: int) -> None:
        text = f"{self._title}: {what}"
        self._bar.update(self._task, description=text, completed=done, total=total, refresh=True)

    def close(self) -> None:
        self._bar.stop()


class _Line:
    """A line that is written again and again."""

    def __init__(self, title: str, stream: TextIO) -> None:
        self._title = title
        self._stream = stream
        self._width = 0

    def show(self, what: str, done: int, total: int) -> None:
        self._write(f"{self._title}: {done:,} of {total:,} {what} ({done / total:.0%})")

    def close(self) -> None:
        self._write("")
        self._stream.write("\r")
        self._stream.flush()

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text:{self._width}}")
        self._stream.flush()
        self._width = len(text)
