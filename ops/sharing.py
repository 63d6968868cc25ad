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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor

    Part = TypeVar("Part")

# Where OpenBLAS has these names depends on who built it.
_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class _Blas:
    """The OpenBLAS of NumPy: in a `with` block, it keeps to the thread that calls it.

    The block gets the number of threads that it used before; 1 where it cannot be told anything,
    as other libraries than OpenBLAS.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._threads = 1
        self._functions: tuple[Callable[[], int], Callable[[int], None]] | None = None

    def __enter__(self) -> int:
        with self._lock:
            if self._functions is None:
                self._functions = _thread_functions()
            if self._users == 0:
                self._threads = self._functions[0]()
                self._functions[1](1)
            self._users += 1
            return self._threads

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._functions is not None:
                self._functions[1](self._threads)


def _thread_functions() -> tuple[Callable[[], int], Callable[[int], None]]:
    """What gets and what sets the number of threads of NumPy's OpenBLAS."""
    import ctypes

    try:  # NumPy's own library is linked to it, so its names are found there
        library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return _one, _nothing
    for name in _NAMES:
        get = getattr(library, name.format("get_num_threads"), None)
        put = getattr(library, name.format("set_num_threads"), None)
        if get is not None and put is not None:
            put.restype = None
            return get, put
    return _one, _nothing


def _one() -> int:
    return 1


def _nothing(_: int) -> None:
    pass


blas_on_one_thread = _Blas()
_pools: dict[int, Executor] = {}


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


def _pool(threads: int) -> Executor:
    pool = _pools.get(threads)
    if pool is None:
        from concurrent.futures import ThreadPoolExecutor

        pool = _pools.setdefault(threads, ThreadPoolExecutor(threads - 1, "tensordraft"))
    return pool
