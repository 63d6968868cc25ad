"""A few elements of an array as a line of text, in TensorFlow's way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...shape_inference.protocols import Array


def summary(array: Array, most: int) -> str:
    """The first elements, row by row, in brackets.

    Args:
        array: of any dtype and shape.
        most: how many elements to show; all of them, where it is negative.

    Example:
        >>> import numpy as np
        >>> from tensordraft.ops.kit.array_text import summary
        >>> summary(np.array([[1, 2], [3, 4]]), 3), summary(np.array([0.5]), -1)
        ('[[1 2][3...]...]', '[0.5]')
    """
    most = array.size if most < 0 else most
    shown = iter(array.ravel()[:most].tolist())
    text = _row(array.shape, shown, [most], array) if array.size and most else ""
    return f"[{text}{'...' if array.size > most else ''}]"


def _row(shape: tuple[int, ...], shown: Iterator[Any], left: list[int], array: Array) -> str:
    """What is shown of the next part of `array`, which has this shape; `left` counts down."""
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
