"""Rectangles at random within another one, by TensorFlow's rules and from the same words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...shape_inference.protocols import Array
from ..random.distributions import uniform
from ..random.philox import Philox
from ..random.weighted_classes import unbiased

_F = np.float32


class Rectangle(NamedTuple):
    """Rows and columns of pixels."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> Any:
        """The number of pixels, as float32."""
        return _F((self.right - self.left) * (self.bottom - self.top))

    def shared_with(self, other: Rectangle) -> Rectangle:
        """What lies in both."""
        top, left = max(self.top, other.top), max(self.left, other.left)
        bottom, right = min(self.bottom, other.bottom), min(self.right, other.right)
        return Rectangle(top, left, bottom, right) if top <= bottom and left <= right else _NOTHING


_NOTHING = Rectangle(0, 0, 0, 0)


class Limits(NamedTuple):
    """What a rectangle may be.

    Args:
        aspects: the least and the greatest number of columns by rows.
        areas: the least and the greatest part of the whole.
        attempts: how often to try.
    """

    aspects: Sequence[float]
    areas: Sequence[float]
    attempts: int


class _Draws:
    """Numbers that take one word of a stream each."""

    def __init__(self, stream: Philox) -> None:
        self._words = (word for part in stream.stream() for word in part)

    def share(self) -> Any:
        """A number of [0, 1)."""
        word = np.full((1, 4), next(self._words), np.uint32)
        return uniform(word, np.dtype(np.float32))[0, 0]

    def below(self, bound: int) -> int:
        """An integer of [0, bound)."""
        return int(next(part[0] for part in unbiased(self._pairs(), bound, np.uint32) if len(part)))

    def _pairs(self) -> Iterator[Array]:
        for word in self._words:
            yield np.array([word], np.uint32)


def random_rectangle(
    whole: Rectangle, objects: Sequence[Rectangle], covered: Any, limits: Limits, stream: Philox
) -> Rectangle | None:
    """A rectangle that shows enough of an object; None where no attempt gave one.

    Args:
        whole: what it lies in.
        objects: of one of which it has to show some part.
        covered: which part of it at least.
        limits: what it may be.
        stream: where the draws come from.
    """
    draws = _Draws(stream)
    low, high = map(_F, limits.aspects)
    for _ in range(limits.attempts):
        aspect = draws.share() * (high - low) + low
        found = _attempt(whole, limits.areas, aspect, draws)
        if found is not None and _shows_enough(found, covered, objects):
            return found
    return None


def _shows_enough(found: Rectangle, covered: Any, objects: Sequence[Rectangle]) -> bool:
    return bool(found.area >= 1) and any(
        found.shared_with(item).area / item.area >= covered for item in objects if item.area >= 1
    )


def _nearest(number: Any) -> int:
    """The next integer, as float32 gives it; halves go to the even one."""
    return int(np.rint(_F(number)))


def _attempt(
    whole: Rectangle, areas: Sequence[float], aspect: Any, draws: _Draws
) -> Rectangle | None:
    rows, columns = whole.bottom, whole.right
    if rows < 1 or columns < 1 or areas[0] > areas[1]:
        return None
    least, most = (_F(area) * _F(columns) * _F(rows) for area in areas)
    height, highest = (_nearest(np.sqrt(area / aspect)) for area in (least, most))
    if _nearest(_F(highest) * aspect) > columns:
        highest = int((columns + 0.5 - float(_F(1e-7))) / float(aspect))
        if _nearest(_F(highest) * aspect) > columns:
            highest -= 1
    highest = min(highest, rows)
    height = min(height, highest)
    if height < highest:
        height += draws.below(highest - height + 1)
    width = _nearest(_F(height) * aspect)
    # Rounding may have led out of the limits, by one row.
    if _F(width * height) < least:
        height += 1
        width = _nearest(_F(height) * aspect)
    if _F(width * height) > most:
        height -= 1
        width = _nearest(_F(height) * aspect)
    area = _F(width * height)
    if area < least or area > most or width > columns or height > rows or min(width, height) < 1:
        return None
    top = draws.below(rows - height) if height < rows else 0
    left = draws.below(columns - width) if width < columns else 0
    return Rectangle(top, left, top + height, left + width)
