"""Text for the terminal: tables, tensor types and counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..shape_inference.tensor_shape import TensorShape


def printable(text: str) -> str:
    """`text` with control and unprintable characters escaped."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def table(rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Formats rows of cells as lines with aligned columns, two blanks apart.

    Example:
        >>> from tensordraft.cli.text import table
        >>> print(table([("name", "size"), ("a long one", "7")]))
        name        size
        a long one  7
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def comma_separated(text: str) -> list[str]:
    """The names in an option that takes several."""
    return [name.strip() for name in text.split(",") if name.strip()]


def json_shape(shape: TensorShape) -> list[int | str | None] | None:
    """A shape for JSON: sizes, names of sizes, null for a size or a rank that is unknown."""
    if shape.sizes is None:
        return None
    texts = [size if isinstance(size, int) else str(size) for size in shape.sizes]
    return [None if "?" in str(text) else text for text in texts]


def json_value(array: np.ndarray[Any, Any]) -> Any:
    """The elements of `array` for JSON, as nested lists."""
    if array.dtype.kind == "V":
        array = array.astype(np.float32)  # bfloat16
    return _json_items(array.tolist())


def _json_items(item: Any) -> Any:
    match item:
        case list():
            return [_json_items(part) for part in item]
        case bytes():
            return item.decode("utf-8", "backslashreplace")
        case complex():
            return [_json_items(item.real), _json_items(item.imag)]
        case float() if not math.isfinite(item):
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(item)]
        case _:
            return item
