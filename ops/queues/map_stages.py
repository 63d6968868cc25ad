"""Staging areas with keys at run time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...runtime.waiting import Waits
from ...shape_inference.protocols import Array
from .staging import check_size
from .wait_queues import Attempt, WaitingLines

if TYPE_CHECKING:
    Parts = dict[int, Array | None]


class MapStage(WaitingLines):
    """Tuples of arrays by keys; their components may come and leave one by one.

    No attempt waits for another: each waits for its own key.

    Args:
        ordered: whether the least key leaves first where none is named; otherwise the oldest.
        capacity: the greatest number of whole tuples; 0 for no limit.
        memory_limit: the greatest number of bytes; 0 for no limit.
    """

    def __init__(self, ordered: bool, capacity: int, memory_limit: int) -> None:
        self._ordered = ordered
        self._capacity = capacity
        self._memory_limit = memory_limit
        self._whole: dict[int, Parts] = {}
        self._incomplete: dict[int, Parts] = {}
        self._bytes = 0
        self._putting: deque[Attempt] = deque()
        self._taking: deque[Attempt] = deque()
        super().__init__(self._putting, self._taking)

    def _serve_line(self, line: deque[Attempt]) -> None:
        for attempt in list(line):
            if self._served(attempt):
                line.remove(attempt)

    @property
    def whole(self) -> int:
        """Number of complete tuples."""
        return len(self._whole)

    @property
    def incomplete(self) -> int:
        """Number of tuples that lack a component."""
        return len(self._incomplete)

    def put(self, key: int, parts: Mapping[int, Array], components: int, waits: Waits) -> None:
        """Gives a tuple components, waiting for room.

        Args:
            key: which tuple.
            parts: the components by their places.
            components: how many there are in all.
            waits: what the session waits for.

        Raises:
            ResourceExhaustedError: they are larger than all the room there is.
            ValueError: the tuple has one of them, or is there already.
        """
        size = sum(array.nbytes for array in parts.values())
        check_size(size, self._memory_limit)
        for i in parts:
            _check_place(i, components)
        kept = {i: np.array(array) for i, array in parts.items()}

        def step() -> bool:
            known = self._incomplete.get(key, {})
            if key in self._whole:
                raise ValueError(f"key = {key} is in the staging area already")
            for i in kept:
                if i in known:
                    raise ValueError(
                        f"The tensor for index '{i}' for key '{key}' was already initialized"
                    )
            completes = len(known) + len(kept) == components
            full = completes and self._capacity and len(self._whole) >= self._capacity
            if full or (self._memory_limit and self._bytes + size > self._memory_limit):
                return False
            self._bytes += size
            merged = {**self._incomplete.pop(key, {}), **kept}
            (self._whole if completes else self._incomplete)[key] = merged
            self._moves += 1
            return True

        attempt = Attempt(step, lambda: None)
        self._serve(self._putting, attempt, waits, None, "Stage operation was cancelled")

    def get(self, key: int | None, indices: Sequence[int], waits: Waits) -> tuple[int, list[Array]]:
        """Takes components of a tuple out, waiting for it; the last one ends it.

        Args:
            key: which tuple; None for the first.
            indices: which components.
            waits: what the session waits for.

        Returns:
            The key and the components.
        """
        taken: list[tuple[int, list[Array]]] = []
        rest: list[Parts] = []

        def take(found: int) -> None:
            parts = self._whole[found]
            arrays = self._looked_up(found, indices)
            for i, array in zip(indices, arrays, strict=True):
                parts[i] = None
                self._bytes -= array.nbytes
            if all(array is None for array in parts.values()):
                del self._whole[found]
            taken.append((found, arrays))
            rest.append(parts)
            self._moves += 1

        def give_up() -> None:
            for found, arrays in taken:
                parts = self._whole.setdefault(found, rest[0])
                for i, array in zip(indices, arrays, strict=True):
                    parts[i] = array
                    self._bytes += array.nbytes

        self._wait_for(key, take, give_up, waits, "Unstage")
        return taken[0]

    def peek(self, key: int, indices: Sequence[int], waits: Waits) -> list[Array]:
        """Components of a tuple, waiting for it; they stay."""
        taken: list[Array] = []

        def look(found: int) -> None:
            taken.extend(self._looked_up(found, indices))

        self._wait_for(key, look, lambda: None, waits, "StagePeek")
        return taken

    def clear(self) -> None:
        """Drops all tuples."""
        with self._lock:
            self._whole.clear()
            self._incomplete.clear()
            self._bytes = 0
            self._moves += 1
            self._flush()

    def _wait_for(
        self,
        key: int | None,
        done_with: Callable[[int], None],
        give_up: Callable[[], None],
        waits: Waits,
        what: str,
    ) -> None:
        def step() -> bool:
            if not self._whole or (key is not None and key not in self._whole):
                return False
            done_with(self._first() if key is None else key)
            return True

        attempt = Attempt(step, give_up)
        self._serve(self._taking, attempt, waits, None, f"{what} operation was cancelled")

    def _first(self) -> int:
        return min(self._whole) if self._ordered else next(iter(self._whole))

    def _looked_up(self, key: int, indices: Sequence[int]) -> list[Array]:
        parts: list[Any] = []
        for i in indices:
            _check_place(i, len(self._whole[key]))
            if self._whole[key][i] is None:
                raise ValueError(f"Tensor at index '{i}' for key '{key}' has already been removed.")
            parts.append(self._whole[key][i])
        if len(set(indices)) < len(indices):
            raise ValueError(f"indices = {list(indices)} must differ from each other")
        return parts


def _check_place(i: int, components: int) -> None:
    if not 0 <= i < components:
        raise ValueError(f"indices must be in [0, {components}), got {i}")
