"""Ctrl-C and runs: what changes variables is done to the end before the program hears of it.

A step of an optimizer is many writes, to one variable or to several. An interrupt in the middle
would leave some of them done. So a run that changes state holds interrupts back until it is over;
where it waits for other threads, or calls a function of the program, they come at once. A second
Ctrl-C comes at once, too.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from signal import SIGINT
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from signal import getsignal, signal as set_handler
    from types import FrameType
else:
    # What `signal` wraps, without its search for enums, which takes ten times as long.
    from _signal import getsignal, signal as set_handler


class _Interrupts:
    """Signal handler that replaces the program's own during a run of the main thread."""

    def __init__(self) -> None:
        self.outer: Any = None  # the program's own handler; None where no run holds interrupts back
        self.lifted = 0
        self._pending: tuple[int, FrameType | None] | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.lifted or self._pending is not None:
            self._pending = None
            self.outer(number, frame)
        else:
            self._pending = (number, frame)

    def deliver(self, outer: Any) -> None:
        """Hands on an interrupt that was held back."""
        pending, self._pending = self._pending, None
        if pending is not None:
            outer(*pending)


_interrupts = _Interrupts()


def held_back(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls `function(*arguments)`; an interrupt meanwhile is raised after it has returned.

    Only the main thread is ever interrupted. Where a program ignores interrupts, they stay so.
    """
    own = _interrupts
    if own.outer is not None or threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    outer = getsignal(SIGINT)
    if not callable(outer):
        return function(*arguments)
    try:
        own.outer = outer
        own.lifted = 0  # an exception may have come in between where a block ended
        set_handler(SIGINT, own)
        return function(*arguments)
    finally:
        if getsignal(SIGINT) is own:  # otherwise the program has set another
            set_handler(SIGINT, outer)
        own.outer = None
        own.deliver(outer)


@contextmanager
def let_through() -> Iterator[None]:
    """Inside of a run that holds interrupts back, a `with` block in which they come at once."""
    own = _interrupts
    if own.outer is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    lifted = own.lifted
    try:
        own.lifted = lifted + 1
        own.deliver(own.outer)
        yield
    finally:
        own.lifted = lifted


def between_rounds(numbers: Iterator[int]) -> Iterator[int]:
    """The numbers of the rounds of a loop; an interrupt that is held back comes between two."""
    own = _interrupts
    for number in numbers:
        if own.outer is not None and threading.current_thread() is threading.main_thread():
            own.deliver(own.outer)
        yield number


def are_held_back() -> bool:
    """Returns whether a run is under way that holds interrupts back."""
    return _interrupts.outer is not None
