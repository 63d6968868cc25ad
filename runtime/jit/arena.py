"""Layout of memory by lifetimes: what is not needed at the same time may lie in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ALIGNED = 64


class Lifetime(NamedTuple):
    """Memory of so many bytes, in use from one time to another, both included."""

    nbytes: int
    first: int
    last: int


def laid_out(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """Offsets of memory in an arena, and the size of the arena.

    Each goes into the smallest gap that is large enough, among what is in use when it begins.
    """
    offsets = [0] * len(lifetimes)
    used: list[tuple[int, int, int]] = []  # offset, end, last
    whole = 0
    for i in sorted(range(len(lifetimes)), key=lambda i: lifetimes[i].first):
        nbytes, first, last = lifetimes[i]
        size = -(-nbytes // ALIGNED) * ALIGNED
        used = [item for item in used if item[2] >= first]
        best, start = None, 0
        for offset, end, _ in used:
            gap = offset - start
            if gap >= size and (best is None or gap < best[0]):
                best = gap, start
            start = max(start, end)
        at = start if best is None else best[1]
        offsets[i] = at
        used.append((at, at + size, last))
        used.sort()
        whole = max(whole, at + size)
    return offsets, whole
