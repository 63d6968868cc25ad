"""Progress output of `fit`."""

from __future__ import annotations

import sys
import time
from typing import Any


class Progress:
    """Prints how far an epoch is: a bar, or a line at its end.

    Args:
        target: the number of examples or batches; None if unknown.
        verbose: 0 prints nothing, 1 a bar, 2 a line at the end.
    """

    def __init__(self, target: int | None, verbose: int) -> None:
        self._target = target
        self._verbose = verbose
        self._begun = self._shown = time.monotonic()

    def show(self, done: int, numbers: dict[str, Any], end: bool = False) -> None:
        """Prints how far it is.

        Args:
            done: how many examples or batches are done.
            numbers: what they came to.
            end: whether the epoch is over.
        """
        now = time.monotonic()
        if not self._verbose or (self._verbose == 2 and not end):
            return
        if not end and now - self._shown < 0.05:
            return
        self._shown = now
        text = "".join(f" - {name}: {_short(value)}" for name, value in numbers.items())
        seconds = f"{now - self._begun:.0f}s"
        if self._verbose == 2:
            sys.stdout.write(f"{done}/{done} - {seconds}{text}\n")
        else:
            whole = self._target or done
            full = min(30, 30 * done // max(whole, 1))
            head = "=" * full if full == 30 else "=" * (full - 1) + ">" * (full > 0)
            bar = f"{done}/{self._target or 'Unknown'} [{head.ljust(30, '.')}] - {seconds}"
            interactive = sys.stdout.isatty()
            sys.stdout.write(f"\r{bar}{text}" if interactive or not end else f"{bar}{text}")
            if end:
                sys.stdout.write("\n")
        sys.stdout.flush()


def _short(value: Any) -> str:
    number = float(value)
    return f"{number:.4f}" if abs(number) > 1e-3 else f"{number:.4e}"
