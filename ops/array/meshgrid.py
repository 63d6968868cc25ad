"""Coordinate grids: meshgrid."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..math.arithmetic import multiply
from .constants import ones
from .reshape import reshape
from .shapes import size

public = {"td": "meshgrid"}


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of an N-D grid, one array for each axis, from the coordinates along the axes.

    Args:
        args: N vectors of one numeric dtype, of sizes n0, n1, ...
        indexing: "ij" for results of shape [n0, n1, n2, ...], "xy" for [n1, n0, n2, ...].
        name: a name for the ops.

    Returns:
        A list of N Tensors; the i-th varies along the axis of the i-th vector.

    Raises:
        ValueError: `indexing` is something else.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     for grid in session.run(td.meshgrid([1, 2, 3], [4, 5])):
        ...         print(grid)
        [[1 2 3]
         [1 2 3]]
        [[4 4 4]
         [5 5 5]]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}")
    with name_scope(name, "meshgrid", args):
        vectors = [convert_to_tensor(arg) for arg in args]
        axes = list(range(len(vectors)))
        if indexing == "xy":
            axes[:2] = axes[1::-1]
        columns = [
            reshape(vector, [-1 if i == axis else 1 for i in range(len(axes))])
            for vector, axis in zip(vectors, axes, strict=True)
        ]
        sizes = [size(vectors[axis]) for axis in axes]
        grid: Any = ones(sizes, vectors[0].dtype.base_dtype) if vectors else None
        return [multiply(column, grid, name="mul") for column in columns]
