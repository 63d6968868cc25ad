"""Pools of threads: all there are, so that one fork handler serves them and each has an owner.

One number limits the threads that share the work of a step: what a run's session asks for,
else as many as BLAS would take by itself, but no more than the processors that the process may use.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .load_budget import carried

Part = TypeVar("Part")
# Files in which Linux lists the control groups of the process and their mount points.
_GROUPS_OF_PROCESS, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


class Pool:
    """Threads that work for one owner; started at first need, and again in a forked child.

    Work submitted after `close` is done by the submitting thread, so that a run that is
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
                return self._executor.submit(carried(function), *arguments)
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)
        return done

    def share(self, work: Callable[[Iterator[Part]], Any], parts: Iterable[Part]) -> None:
        """Calls `work` in this thread and the pool's, each time with an iterator over the parts.

        Each part comes out of one of the iterators, so where a core is busy with something else,
        the other threads do more. It ends when all is done, or raises what a part has raised.
        """
        waiting, offered = deque(parts), [work]
        number = min(self.threads, len(waiting) - 1)
        helpers = [self.submit(_helped, offered, waiting) for _ in range(number)]
        try:
            work(_taken(waiting))
        finally:
            waiting.clear()  # after an error, there is nothing to help with
            offered.clear()  # else threads keep its arrays alive until they look for other work
            # A helper that no thread was free for has nothing to do any more.
            failures = [helper.exception() for helper in helpers if not helper.cancel()]
        for failure in failures:
            if failure is not None:
                raise failure

    def close(self) -> None:
        """Ends the threads when they have done what they were asked for."""
        with self._lock:
            executor, self._executor, self._closed = self._executor, None, True
        if executor is not None:
            executor.shutdown(wait=False)


def _taken(waiting: deque[Part]) -> Iterator[Part]:
    while waiting:
        try:
            part = waiting.popleft()
        except IndexError:
            return
        yield part


def _helped(offered: list[Callable[[Iterator[Part]], Any]], waiting: deque[Part]) -> None:
    with np.errstate(all="ignore"):
        for work in tuple(offered):  # none, where the others have done everything
            work(_taken(waiting))


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


class BlasThreads:
    """Control of BLAS threads: fewer while other threads do its work, or a run asks for fewer.

    BLAS has one number for the whole process, so where runs that ask for different numbers overlap,
    the least counts. To set it costs a microsecond, and to find the libraries milliseconds, so it
    is set only where it changes, and they are found once.
    """

    def __init__(self) -> None:
        self._libraries: list[Any] | None = None
        self._begin()
        after_fork(self._end_all)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._single = 0
        self._asked: list[int] = []
        self._own: list[int] = []
        self._held: int | None = None

    def enter_run(self, threads: int, single: bool) -> None:
        """Begins a run; `leave_run` ends it.

        Args:
            threads: how many a step may use; 0 for as many as BLAS would take.
            single: whether BLAS is kept to the thread that calls it, all the time: threads of its
                own look for more work for tens of milliseconds after a product, and hold up those
                that share the steps behind it.
        """
        with self._lock:
            self._numbers()
            if threads:
                self._asked.append(threads)
            self._single += single
            self._hold()

    def leave_run(self, threads: int, single: bool) -> None:
        """Ends a run."""
        with self._lock:
            if threads:
                self._asked.remove(threads)
            self._single -= single
            self._hold()

    @property
    def limited(self) -> bool:
        """True if BLAS can be restricted to the calling thread."""
        with self._lock:
            return bool(self._numbers())

    @property
    def sharing(self) -> int:
        """Number of threads that may share the work of a step."""
        with self._lock:
            return self._sharing()

    def _sharing(self) -> int:
        own = max(self._numbers(), default=1)
        return min(self._asked, default=min(own, processors()))

    def __enter__(self) -> int:
        """Keeps BLAS to the thread that calls it; returns how many threads may share the work."""
        with self._lock:
            threads = self._sharing()
            self._single += 1
            self._hold()
            return threads

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._single -= 1
            self._hold()

    def _numbers(self) -> list[int]:
        """The numbers that the libraries use by themselves."""
        if self._libraries is None:
            self._libraries = _blas_libraries()
        if not (self._single or self._asked):
            self._own = [library.num_threads for library in self._libraries]
        return self._own

    def _hold(self) -> None:
        """Sets the numbers, if that in force is another."""
        wanted = 1 if self._single else min(self._asked, default=None)
        if wanted != self._held:
            self._held = wanted
            for library, number in zip(self._libraries or (), self._own, strict=True):
                # Of OpenBLAS, threadpoolctl 3.8 ignores all but the first thread that sets it.
                set_number = getattr(library, "_real_set_num_threads", library.set_num_threads)
                set_number(number if wanted is None else wanted)

    def _end_all(self) -> None:
        """Leaves all blocks: in a forked child, the threads that were inside are gone."""
        if self._held is not None:
            self._single, self._asked = 0, []
            self._hold()
        self._begin()


def _blas_libraries() -> list[Any]:
    """Controls of each BLAS library that the process has loaded."""
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library for library in libraries if library.num_threads is not None]


@cache
def processors() -> int:
    """The processors that the process may run on, or as many as its control group has time for.

    A part of a processor counts as one.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    allowed = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    quota = min(quotas(_GROUPS_OF_PROCESS, _GROUPS), default=math.inf)
    return max(1, min(allowed, math.ceil(quota))) if quota < math.inf else allowed


def quotas(proc: Path, groups: Path) -> Iterator[float]:
    """The limits of the process's control groups, in processors; of cgroup v2, and of v1.

    A group is limited by those that it is in, too. Inside a container its path may be that of the
    host, and what is mounted is the group itself.

    Args:
        proc: the file that names the groups.
        groups: where they are mounted.
    """
    for line in _text(proc).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            for folder in _folder_and_parents(groups, path):
                quota, _, period = _text(folder / "cpu.max").partition(" ")
                yield from _ratio(quota, period)
        elif "cpu" in controllers.split(","):
            for mounted in (groups / "cpu", groups / controllers):
                for folder in _folder_and_parents(mounted, path):
                    quota = _text(folder / "cpu.cfs_quota_us")
                    yield from _ratio(quota, _text(folder / "cpu.cfs_period_us"))


def _folder_and_parents(mounted: Path, path: str) -> Iterator[Path]:
    inner = Path(path.lstrip("/"))
    if ".." in inner.parts:  # it is outside of what the namespace shows
        inner = Path()
    for part in (inner, *inner.parents):
        yield mounted / part


def _ratio(quota: str, period: str) -> Iterator[float]:
    """Quota by period; nothing where there is no limit: "max", or -1."""
    try:
        numbers = float(quota), float(period)
    except ValueError:
        return
    if min(numbers) > 0:
        yield numbers[0] / numbers[1]


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


blas_threads = BlasThreads()
