"""The orders in which C++'s standard library leaves what compares as equal.

`std::priority_queue` and `std::sort` are not stable: where TensorFlow uses them on boxes with equal
scores, which box comes first follows from how GNU's library moves elements about. These are its
steps: binary heaps whose holes sink to the bottom, and quicksort by the median of three down to
parts of 16, which an insertion sort then sorts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...shape_inference.protocols import Array

_SHORT = 16


def _have_ties(keys: Array) -> bool:
    """Whether two of some numbers are equal, other than minus infinity."""
    counted = keys[keys > -np.inf]
    return len(np.unique(counted)) < len(counted)


def popped_from_queue(keys: Array) -> Array:
    """The places of numbers in the order in which a priority queue gives them, greatest first."""
    if not _have_ties(keys):
        return np.argsort(-keys)
    values = keys.tolist()
    heap: list[int] = []
    for place in range(len(values)):
        heap.append(place)
        _rise(heap, len(heap) - 1, place, values)
    order = []
    while heap:
        order.append(heap[0])
        last = heap.pop()
        if heap:
            _sink(heap, last, values)
    return np.array(order)


def _rise(heap: list[int], hole: int, item: int, values: list[float]) -> None:
    while hole and values[heap[(hole - 1) // 2]] < values[item]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = item


def _sink(heap: list[int], item: int, values: list[float]) -> None:
    """Moves the hole at the top down to the bottom, and lets `item` rise from there."""
    hole, size = 0, len(heap)
    while (child := 2 * hole + 2) <= size:
        if child == size or values[heap[child]] < values[heap[child - 1]]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    _rise(heap, hole, item, values)


def sorted_downwards(keys: Array) -> Array:
    """The places of numbers in the order in which `std::sort` leaves them, greatest first."""
    places = list(range(len(keys)))
    values = keys.tolist()
    if len(values) > _SHORT and _have_ties(keys):
        _sort_coarsely(places, values)
    coarse = np.array(places, np.intp)
    return coarse[np.argsort(-keys[coarse], kind="stable")]


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
