"""Pools of threads: all there are, so that one fork handler serves them and each has an owner."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future


class Pool:
    """Threads that work for one owner; started at first need, and anew in a forked child.

    What still comes after `close` is done by the thread that asks for it, so that a run that is
    under way when its session is closed ends as it would have.

    Args:
        threads: how many; with 0, the thread that asks for work does it.
        name: what the names of the threads begin with.
    """

    def __init__(self, threads: int, name: str) -> None:
        self.threads = threads
        self._name = name
        self._closed = False
        self._forget()
        _pools.add(self)

    def _forget(self) -> None:
        """Begins without threads: a forked child has none of its parent's, and no lock is held."""
        self._lock = threading.Lock()
        self._executor: Executor | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Has `function(*arguments)` called by one of the threads."""
        from concurrent.futures import Future, ThreadPoolExecutor

        with self._lock:
            if not self._closed and self.threads > 0:
                if self._executor is None:
                    self._executor = ThreadPoolExecutor(self.threads, f"tensordraft-{self._name}")
                return self._executor.submit(function, *arguments)
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)
        return done

    def close(self) -> None:
        """Ends the threads when they have done what they were asked for."""
        with self._lock:
            executor, self._executor, self._closed = self._executor, None, True
        if executor is not None:
            executor.shutdown(wait=False)


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_resets: list[Callable[[], None]] = []


def after_fork(reset: Callable[[], None]) -> None:
    """Has `reset` called in every forked child, where the threads of the parent are gone."""
    _resets.append(reset)


def _begin_again() -> None:
    for pool in list(_pools):
        pool._forget()
    for reset in _resets:
        reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_again)
