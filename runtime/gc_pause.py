"""Python's collector of cyclic garbage, at rest while a graph is made."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_MANY = 10_000
_NODES_A_COLLECTION = 100_000


class _Collector:
    """The collector, which all threads share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rests = 0
        self._nodes = 0

    @contextmanager
    def at_rest(self, nodes: int, patience: float = 0) -> Iterator[None]:
        """Keeps the collector from walking over a growing graph again and again.

        It pauses until the last such block of any thread ends, unless it was already turned
        off. A graph is cyclic, so an unreachable one is found by the collector
        only; as it would seldom look for graphs that were made while it was resting, it is sent
        after so many nodes.

        Args:
            nodes: how many nodes are about to be made.
            patience: how many more nodes than usual may have been made since the collector was
                last sent: to walk over a graph takes as long as to plan a third of it.
        """
        if not (self._rests or gc.isenabled()):
            yield
            return
        if self._is_due(nodes, patience):
            gc.collect()
        with self._lock:
            self._rests += 1
            gc.disable()
        try:
            yield
        finally:
            if nodes >= _MANY and not gc.get_freeze_count():
                # What has been made stays for a while: among the old, it is not walked over soon.
                gc.freeze()
                gc.unfreeze()
            with self._lock:
                self._rests -= 1
                if not self._rests:
                    gc.enable()

    def _is_due(self, nodes: int, patience: float) -> bool:
        with self._lock:
            due = self._nodes >= _NODES_A_COLLECTION + patience
            self._nodes = nodes if due else self._nodes + nodes
            return due


collector = _Collector()
