"""The default graph and the default session, for each thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

public = {"td": "get_default_session"}


class DefaultStack(threading.local):
    """A stack of defaults; the innermost counts."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def innermost(self) -> Any:
        """The innermost default, or None."""
        return self.items[-1] if self.items else None

    @contextmanager
    def entered(self, item: Any, *, nested: bool = True) -> Iterator[Any]:
        """Makes `item` the default inside a `with` block.

        Args:
            item: the default.
            nested: whether the block must end before those around it.

        Raises:
            AssertionError: it does not.
        """
        self.items.append(item)
        try:
            yield item
        finally:
            innermost = self.innermost()
            for position in range(len(self.items) - 1, -1, -1):
                if self.items[position] is item:
                    del self.items[position]
                    break
            if nested and innermost is not item:
                kind = type(item).__name__
                raise AssertionError(f"Nesting violated: the default {kind} has changed")


graphs = DefaultStack()
sessions = DefaultStack()


def get_default_session() -> Any:
    """Innermost default session of this thread, or None.

    Example:
        >>> with td.Session() as session:
        ...     td.get_default_session() is session
        True
    """
    return sessions.innermost()
