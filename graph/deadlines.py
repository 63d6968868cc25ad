"""Time limits of runs, which loops inside a run keep to."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Deadline(threading.local):
    """What a loop calls after each round in this thread: it raises when time is up.

    None where the run has no limit.
    """

    check: Callable[[], None] | None = None


deadline = _Deadline()


@contextmanager
def checked_by(check: Callable[[], None]) -> Iterator[None]:
    """Has loops that run in a `with` block call `check` after each round."""
    outer = deadline.check
    deadline.check = check
    try:
        yield
    finally:
        deadline.check = outer
