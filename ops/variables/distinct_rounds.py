"""Updates of rows with duplicate indices, split into rounds with distinct ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...shape_inference.protocols import Array

_ALL = slice(None)


def distinct_rounds(places: Array) -> Iterator[Array | slice]:
    """Positions in `places` of each round: no round repeats a place, and together they are all.

    The first round has each place where it is named first, the second where it is named for the
    second time, and so on: taken one after the other, the updates of each row keep their order.

    Args:
        places: integers, [n].
    """
    if len(places) < 2:
        yield _ALL
        return
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    if first.all():
        yield _ALL
        return
    numbers = np.arange(len(places))
    turn = numbers - np.maximum.accumulate(np.where(first, numbers, 0))
    by_turn = np.argsort(turn, kind="stable")
    yield from np.split(order[by_turn], np.cumsum(np.bincount(turn))[:-1])
