"""Heavy work shared among threads, which do not wait for each other.

OpenBLAS shares a product of matrices among threads in equal parts, and waits for the slowest: where
a core is busy with something else, a millisecond's work takes ten. Here each thread takes the next
part when it has done one, and BLAS does a part on the thread that asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ...graph.pools import Pool, blas_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Part = TypeVar("Part")


_pools: dict[int, Pool] = {}


def share(work: Callable[[Iterator[Part]], Any], parts: Iterable[Part]) -> None:
    """Calls `work` on as many threads as the run may use.

    Each call gets an iterator; each part comes out of one of them.
    """
    with blas_threads as threads:
        _pool(threads).share(work, parts)


def sharers(work: int, fewest: int) -> int:
    """How many threads are worth the sharing of so many multiplications: one where they are few."""
    return blas_threads.sharing if work >= fewest else 1


def _pool(threads: int) -> Pool:
    """The threads of the process that help with products: BLAS, whose work it is, has no owner."""
    return _pools.get(threads) or _pools.setdefault(threads, Pool(threads - 1, "sharing"))
