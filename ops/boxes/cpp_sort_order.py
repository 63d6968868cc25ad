"""Sort orders of C++'s standard library for elements that compare equal.

`std::priority_queue` and `std::sort` are not stable: where TensorFlow uses them on boxes with equal
scores, which box comes first follows from how GNU's library moves elements about. These are its
steps: binary heaps whose holes sink to the bottom, and quicksort by the median of three down to
parts of 16, which an insertion sort then sorts.
"""

from __future__ import annotations

import heapq

import numpy as np

from ...shape_inference.protocols import Array

_SHORT = 16


class _Key(float):
    """A number and its index; only the number is the key."""

    __slots__ = ("place",)
    place: int


def popped_from_queue(keys: Array) -> Array:
    """The places of numbers in the order in which a priority queue gives them, greatest first.

    Python's heaps are the same as C++'s, with the least number first.
    """
    heap: list[_Key] = []
    for place, key in enumerate((-keys).tolist()):
        item = _Key(key)
        item.place = place
        heapq.heappush(heap, item)
    return np.array([heapq.heappop(heap).place for _ in range(len(heap))], np.intp)


def sorted_downwards(keys: Array, most: int) -> Array:
    """The places of numbers in the order in which `std::sort` leaves them, greatest first.

    Args:
        keys: the numbers.
        most: how many of them are asked for.
    """
    order = np.argsort(-keys, kind="stable")
    first = keys[order[: most + 1]]
    first = first[first > -np.inf]
    if len(keys) <= _SHORT or (first[1:] < first[:-1]).all():
        return order[:most]
    places = list(range(len(keys)))
    _sort_coarsely(places, keys.tolist())
    coarse = np.array(places, np.intp)
    return coarse[np.argsort(-keys[coarse], kind="stable")][:most]


def _sort_coarsely(places: list[int], values: list[float]) -> None:
    """Puts nothing after what it belongs before by more than a short part."""
    parts = [(0, len(places))]
    while parts:
        start, end = parts.pop()
        while end - start > _SHORT:
            cut = _cut(places, values, start, end)
            parts.append((cut, end))
            end = cut


def _cut(places: list[int], values: list[float], start: int, end: int) -> int:
    """Parts what is greater than the median of three from what is less."""
    middle, low, high = start + (end - start) // 2, start + 1, end - 1
    a, b, c = (values[places[i]] for i in (low, middle, high))
    if a > b:
        median = middle if b > c else high if a > c else low
    else:
        median = low if a > c else high if b > c else middle
    places[start], places[median] = places[median], places[start]
    pivot, first, last = values[places[start]], start + 1, end
    while True:
        while values[places[first]] > pivot:
            first += 1
        last -= 1
        while pivot > values[places[last]]:
            last -= 1
        if first >= last:
            return first
        places[first], places[last] = places[last], places[first]
        first += 1
