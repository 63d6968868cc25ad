"""Summary of an array as a line of text, in TensorFlow's format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...shape_inference.protocols import Array


def summary(array: Array, most: int) -> str:
    """The first elements, row by row, in brackets.

    Args:
        array: of any dtype and shape.
        most: how many elements to show; all of them, where it is negative.

    Example:
        >>> from tensordraft.ops.common.array_text import summary
        >>> summary(np.array([[1, 2], [3, 4]]), 3), summary(np.array([0.5]), -1)
        ('[[1 2][3...]...]', '[0.5]')
    """
    most = array.size if most < 0 else most
    shown = iter(array.ravel()[:most].tolist())
    text = _row(array.shape, shown, [most], array) if array.size and most else ""
    return f"[{text}{'...' if array.size > most else ''}]"


def _row(shape: tuple[int, ...], shown: Iterator[Any], left: list[int], array: Array) -> str:
    """Summarizes the next part of `array`, which has this shape; `left` counts down."""
    if not shape:
        left[0] -= 1
        return _element(next(shown), array)
    if len(shape) > 1:
        rows = []
        for _ in range(shape[0]):
            if left[0] <= 0:
                break
            rows.append(f"[{_row(shape[1:], shown, left, array)}]")
        return "".join(rows)
    number = min(shape[0], left[0])
    left[0] -= number
    text = " ".join(_element(next(shown), array) for _ in range(number))
    inner = array.ndim > 1
    return text + ("..." if inner and number < shape[0] else "")


def _element(item: Any, array: Array) -> str:
    if isinstance(item, bytes):
        return item.decode(errors="backslashreplace")
    if isinstance(item, bool):
        return str(int(item))
    if not isinstance(item, float):
        return str(item)
    short = f"{item:g}"
    return short if array.dtype.type(short) == item or item != item else f"{item:.9g}"


def layout(array: Array, ends: int) -> str:
    """Elements row by row, each row in brackets, the rows of a matrix on lines of their own.

    Args:
        array: of any dtype and shape.
        ends: how many elements to show at either end of each dimension; all of them, where it is
            negative.

    Example:
        >>> from tensordraft.ops.common.array_text import layout
        >>> print(layout(np.arange(10).reshape(2, 5), 1))
        [[0 ... 4]
         [5 ... 9]]
    """
    if not array.ndim:
        return _quoted(array.item(), array)
    return _laid_out(array, array.shape, ends if ends >= 0 else max(array.shape), 0)


def _laid_out(part: Array, shape: tuple[int, ...], ends: int, depth: int) -> str:
    count, last = len(part), len(shape) - 1
    places: list[int | None] = [*range(min(ends, count))]
    places += [None] if count > 2 * ends else []
    places += range(max(ends, count - ends), count)
    between = " " if depth == last else "\n" * (last - depth) + " " * (depth + 1)
    texts = [
        "..."
        if place is None
        else _quoted(part[place : place + 1].tolist()[0], part)
        if depth == last
        else _laid_out(part[place], shape, ends, depth + 1)
        for place in places
    ]
    return f"[{between.join(texts)}]"


def _quoted(item: Any, array: Array) -> str:
    return f'"{_element(item, array)}"' if isinstance(item, bytes) else _element(item, array)
