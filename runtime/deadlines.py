"""Time limits of runs, for those who wait inside them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Deadline(threading.local):
    """Deadline of this thread's run, by `time.perf_counter`; None for none."""

    ends: float | None = None


deadline = _Deadline()


@contextmanager
def ending_at(ends: float | None) -> Iterator[None]:
    """A `with` block in which waits end at the deadline."""
    outer = deadline.ends
    try:
        deadline.ends = ends
        yield
    finally:
        deadline.ends = outer
