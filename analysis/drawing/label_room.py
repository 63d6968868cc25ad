"""Room for the labels of lines: where none covers another, a box or a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING

from .layout import Place

if TYPE_CHECKING:
    from .layout import Point

_CELL = 80.0  # what is near is looked for in cells of this size
_HEIGHT, _ABOVE, _GAP = 10.0, 8.0, 3.0
_SHIFTS = (0.0, -7.0, 9.0)  # from the middle of a bend
_BEYOND = 120.0
_BENDS = 8  # the most points of a bend that are kept free
_SLIM = 6.0  # of a bend, to be kept free as one
_MOST_PLACES = 8  # along a line that are tried for its label


class Room:
    """The occupied parts of a picture.

    Args:
        taken: what stands there.
        routes: the points of lines, which run down, or bend in between.
        width: how wide the picture is; labels may make it somewhat wider.

    Attributes:
        width: how wide it is with its labels.
    """

    def __init__(
        self, taken: Iterable[Place], routes: Iterable[Sequence[Point]], width: float
    ) -> None:
        self.width = width
        self._most = width + _BEYOND
        self._cells: dict[tuple[int, int], list[Place]] = {}
        for place in taken:
            self._take(place)
        for route in routes:
            for place in _line(route):
                self._take(place)

    def beside(self, points: Sequence[Point], width: float) -> Point | None:
        """Start of a line's label: beside the first of some points with enough room.

        Labels that are written take their room. None where there is no room.
        """
        for (x, y), shift in product(points[:_MOST_PLACES], _SHIFTS):
            for left in (x + _GAP, x - _GAP - width):
                place = Place(left, y + shift - _ABOVE, width, _HEIGHT)
                if left >= 0 and left + width <= self._most and self._is_free(place):
                    self._take(place)
                    self.width = max(self.width, left + width + _GAP)
                    return left, y + shift
        return None

    def _take(self, place: Place) -> None:
        for cell in _cells(place):
            self._cells.setdefault(cell, []).append(place)

    def _is_free(self, place: Place) -> bool:
        left, top, width, height = place
        right, bottom = left + width, top + height
        for cell in _cells(place):
            for x, y, across, down in self._cells.get(cell, ()):
                if x < right and left < x + across and y < bottom and top < y + down:
                    return False
        return True


def _line(route: Sequence[Point]) -> Iterator[Place]:
    """Area that a line occupies, as small cells along it."""
    for (x, y), (x1, y1) in pairwise(route):
        if x == x1:
            yield Place(x - 0.5, min(y, y1), 1.0, abs(y1 - y))
            continue
        before = x, y
        steps = min(_BENDS, 1 + int(abs(x1 - x) / _SLIM))
        for step in range(1, steps + 1):
            t = step / steps
            across = t * t * (3 - 2 * t)  # its handles lie half way down
            down = 1.5 * t * (1 - t) + t**3
            point = x + (x1 - x) * across, y + (y1 - y) * down
            left, top = min(before[0], point[0]), min(before[1], point[1])
            yield Place(left, top, abs(point[0] - before[0]), abs(point[1] - before[1]))
            before = point


def _cells(place: Place) -> list[tuple[int, int]]:
    """The cells that a place is in."""
    x, y, width, height = place
    left, right = int(x / _CELL), int((x + width) / _CELL)
    top, bottom = int(y / _CELL), int((y + height) / _CELL)
    if left == right and top == bottom:
        return [(left, top)]
    columns = range(left, right + 1)
    return [(column, row) for column in columns for row in range(top, bottom + 1)]
