"""Bookkeeping of the checkpoints that a Saver keeps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

HOUR = 3600.0


class Kept(NamedTuple):
    """A checkpoint that is kept, and when it was made, in seconds since 1970."""

    path: str
    time: float


class Plan(NamedTuple):
    """Retention of checkpoints: from the time `next_kept` on, one is kept permanently."""

    kept: list[Kept]
    doomed: list[str]
    next_kept: float


def planned(
    last: Sequence[Kept],
    path: str,
    interrupted: Iterable[str],
    most: int,
    next_kept: float,
    hours: float,
) -> Plan:
    """Plans which checkpoints to keep and to delete when another one is saved.

    Args:
        last: those that are kept, the oldest first.
        path: the one that is saved.
        interrupted: what interrupted saves have left, which goes first.
        most: how many are kept; 0 for all, which are not listed.
        next_kept: the time from which on one is kept for good.
        hours: how long after it that is so again.
    """
    if not most:
        return Plan([], [], next_kept)
    listed = {old.path for old in last}
    left = [Kept(old, -np.inf) for old in interrupted if old not in listed]
    kept = [old for old in [*left, *last] if old.path != path]
    kept.append(Kept(path, time.time()))
    doomed = []
    while len(kept) > most:
        oldest = kept.pop(0)
        if oldest.time > next_kept:
            next_kept += hours * HOUR
        else:
            doomed.append(oldest.path)
    return Plan(kept, doomed, next_kept)
