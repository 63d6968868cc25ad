"""Checks of the three components of sparse tensors, and the order of indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...shape_inference.context import ShapeContext
from ...shape_inference.protocols import Array

_MOST_PLACES = (1 << 63) - 1
PLAIN = ("indices", "values", "shape")
SPARSE_ARGS = {"sp_input": "a SparseTensor.", "name": "a name for the op."}


def as_sparse(value: Any) -> SparseTensor:
    """A sparse tensor, or the value of one, as a sparse tensor.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    raise TypeError(f"expected a SparseTensor, got {value!r}")


def parts_named(prefix: str) -> tuple[str, str, str]:
    """The names of the arguments that hold the parts of one of several sparse tensors."""
    return f"{prefix}_indices", f"{prefix}_values", f"{prefix}_shape"


def check_shapes(c: ShapeContext, names: Sequence[str] = PLAIN) -> None:
    """Checks that the parts that arguments hold may fit together.

    Raises:
        ValueError: they do not.
    """
    indices = c.shape(names[0], rank=2)
    values, shape = (c.shape(name, rank=1) for name in names[1:])
    if indices.sizes is not None and values.sizes is not None and shape.sizes is not None:
        c.merged(f"{names[0]} and {names[1]}", [indices[:1], values])
        c.merged(f"{names[0]} and {names[2]}", [indices[1:], shape])


def check_indices(
    indices: Array,
    values: Array,
    shape: Array,
    names: Sequence[str] = PLAIN,
    dimensions: int | None = None,
) -> None:
    """Checks that parts fit together, and that indices are inside of the shape.

    Args:
        indices: where the values stand.
        values: the values.
        shape: the dense shape.
        names: what errors call the three.
        dimensions: along how many of the first dimensions indices have to be inside; along all of
            them if None. Negative numbers count from the end.

    Raises:
        ValueError: they do not, or are not.
    """
    if (
        (indices.ndim, values.ndim, shape.ndim) != (2, 1, 1)
        or len(values) != len(indices)
        or len(shape) != indices.shape[1]
    ):
        raise ValueError(
            f"{names[0]}, {names[1]} and {names[2]} must be of shapes [n,rank], [n] and [rank], "
            f"got {list(indices.shape)}, {list(values.shape)} and {list(shape.shape)}"
        )
    if shape.size and shape.min() < 0:
        raise ValueError(f"{names[2]} must not be negative, got {shape.tolist()}")
    # Column by column: NumPy's loops over rows as short as these take many times as long.
    if len(indices) and any(
        column.min() < 0 or column.max() >= size
        for column, size in zip(indices.T[:dimensions], shape[:dimensions].tolist(), strict=True)
    ):
        outside = (indices < 0) | (indices >= shape)
        place = int(outside[:, :dimensions].any(1).argmax())
        raise ValueError(
            f"{names[0]}[{place}] = {indices[place].tolist()} is not inside of the shape "
            f"{shape.tolist()}"
        )


def numbered(*several: Array) -> list[Array]:
    """For each list of indices a number for each row, in the order of the rows of all lists.

    So indices of tensors of any size can be compared as single numbers, equal where the rows are.
    """
    whole = np.concatenate(several)
    if not whole.size:
        return [np.zeros(len(rows), np.intp) for rows in several]
    lows = [int(column.min()) for column in whole.T]
    sizes = [int(column.max()) - low + 1 for column, low in zip(whole.T, lows, strict=True)]
    if math.prod(sizes) > _MOST_PLACES:
        numbers = np.unique(whole, axis=0, return_inverse=True)[1].reshape(-1)
    else:
        numbers = np.zeros(len(whole), np.int64)
        for column, low, size in zip(whole.T, lows, sizes, strict=True):
            numbers *= size
            numbers += column - low
    return np.split(numbers, np.cumsum([len(rows) for rows in several])[:-1])


def ranked(*several: Array) -> list[Array]:
    """The same, where the numbers of all rows are 0, 1, 2 and so on."""
    ranks = np.unique(np.concatenate(numbered(*several)), return_inverse=True)[1]
    return np.split(ranks.reshape(-1), np.cumsum([len(rows) for rows in several])[:-1])


def grouped(numbers: Array) -> tuple[Array | None, Array]:
    """The order that brings equal numbers together (None: they are), and where each begins."""
    order = None
    if (numbers[1:] < numbers[:-1]).any():
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
    return order, np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))


def merged(a: Array, b: Array) -> tuple[Array, Array]:
    """The order in which TensorFlow takes elements at the places `a`, then `b`.

    Of the first elements left of both, the one at the smaller place comes next; of equals that of
    `a`, and that of `b` behind it: such a pair meets. Neither need be in order.

    Returns:
        The order, and the positions in it of the second elements of pairs.
    """
    if (a[1:] > a[:-1]).all() and (b[1:] > b[:-1]).all():
        places = np.concatenate([a, b])
        order = np.argsort(places, kind="stable")
        places = places[order]
        return order, np.flatnonzero(places[1:] == places[:-1]) + 1
    i, j = 0, 0
    taken: list[int] = []
    second: list[int] = []
    first, other, start = a.tolist(), b.tolist(), len(a)
    while i < len(first) and j < len(other):
        mine, its = first[i], other[j]
        if mine <= its:
            taken.append(i)
            i += 1
        if its <= mine:
            if mine == its:
                second.append(len(taken))
            taken.append(start + j)
            j += 1
    taken += [*range(i, start), *range(start + j, start + len(b))]
    return np.array(taken, np.intp), np.array(second, np.intp)


def check_order(ranks: Array, indices: Array, name: str) -> None:
    """Checks that indices, whose places are `ranks`, are in order and none is repeated.

    Raises:
        ValueError: they are not.
    """
    late = ranks[1:] <= ranks[:-1]
    if late.any():
        place = int(late.argmax()) + 1
        what = "is repeated" if ranks[place] == ranks[place - 1] else "is out of order"
        raise ValueError(
            f"{name}[{place}] = {indices[place].tolist()} {what}; td.sparse_reorder puts them in "
            "order"
        )
