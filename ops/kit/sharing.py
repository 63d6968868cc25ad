"""Heavy work shared among threads, which do not wait for each other.

OpenBLAS shares a product of matrices among threads in equal parts, and waits for the slowest: where
a core is busy with something else, a millisecond's work takes ten. Here each thread takes the next
part when it has done one, and BLAS does a part on the thread that asks for it.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...graph.pools import Pool, after_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Part = TypeVar("Part")


class _Blas:
    """The BLAS libraries of the process: in a `with` block, each keeps to the thread that calls it.

    The block gets the number of threads that they used before; 1 where they cannot be told
    anything. To set the number costs microseconds, and to find the libraries milliseconds, so the
    first of several blocks sets it and the last one sets it back, and they are found once.
    """

    def __init__(self) -> None:
        self._libraries: list[Any] | None = None
        self._begin()
        after_fork(self._end_all)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._numbers: list[int] = []

    def __enter__(self) -> int:
        with self._lock:
            if self._libraries is None:
                self._libraries = _blas_libraries()
            if self._users == 0:
                self._numbers = [library.num_threads for library in self._libraries]
                for library in self._libraries:
                    library.set_num_threads(1)
            self._users += 1
            return max(self._numbers, default=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._restore()

    def _restore(self) -> None:
        for library, number in zip(self._libraries or (), self._numbers, strict=True):
            library.set_num_threads(number)

    def _end_all(self) -> None:
        """Leaves all blocks: in a forked child, the threads that were inside are gone."""
        if self._users:
            self._restore()
        self._begin()


def _blas_libraries() -> list[Any]:
    """What controls each BLAS library that the process has loaded."""
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return [library for library in libraries if library.num_threads is not None]


blas_on_one_thread = _Blas()
_pools: dict[int, Pool] = {}


def share(work: Callable[[Iterator[Part]], Any], parts: Iterable[Part]) -> None:
    """Calls `work` on as many threads as BLAS uses, each time with an iterator over the parts.

    Each part comes out of one of the iterators.
    """
    waiting = deque(parts)
    with blas_on_one_thread as threads:
        helpers = [
            _pool(threads).submit(_helped, work, waiting)
            for _ in range(min(threads, len(waiting)) - 1)
        ]
        try:
            work(_taken(waiting))
        finally:
            waiting.clear()  # after an error, there is nothing to help with
            # A helper that no thread was free for has nothing to do any more.
            failures = [helper.exception() for helper in helpers if not helper.cancel()]
        for failure in failures:
            if failure is not None:
                raise failure


def _taken(waiting: deque[Part]) -> Iterator[Part]:
    while True:
        try:
            part = waiting.popleft()
        except IndexError:
            return
        yield part


def _helped(work: Callable[[Iterator[Part]], Any], waiting: deque[Part]) -> None:
    with np.errstate(all="ignore"):
        work(_taken(waiting))


def _pool(threads: int) -> Pool:
    """The threads of the process that help with products: BLAS, whose work it is, has no owner."""
    return _pools.get(threads) or _pools.setdefault(threads, Pool(threads - 1, "sharing"))
