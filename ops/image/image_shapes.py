"""Rank, rows and columns of images."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ..array.shapes import ensure_shape, shape


def as_image(image: Any) -> tuple[Tensor, int]:
    """A tensor that holds an image or a batch of them, and its rank; an unknown rank becomes 3.

    Raises:
        ValueError: it holds neither.
    """
    x = convert_to_tensor(image, name="image")
    rank = x.shape.ndims
    if rank is None:
        return ensure_shape(x, [None] * 3), 3
    if rank not in (3, 4):
        raise ValueError(
            "image must have shape [rows, columns, channels] or [batch, rows, columns, channels], "
            f"got {x.shape}"
        )
    return x, rank


def rows_and_columns(image: Tensor) -> tuple[Any, Any]:
    """The rows and columns of what `as_image` gave: ints where they are known, else tensors."""
    static_sizes = image.shape.as_list()[-3:-1]
    if None not in static_sizes:
        return static_sizes[0], static_sizes[1]
    sizes = shape(image)
    rows, columns = (
        sizes[i - 3 + len(image.shape)] if size is None else size
        for i, size in enumerate(static_sizes)
    )
    return rows, columns
