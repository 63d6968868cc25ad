"""What ops of sparse tensors share: checks of their three parts, and the order of indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.sparse_tensor import SparseTensor, SparseTensorValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...shape_inference.context import ShapeContext
    from ...shape_inference.protocols import Array

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
    indices: Array, values: Array, shape: Array, names: Sequence[str] = PLAIN
) -> None:
    """Checks that parts fit together, and that indices are inside of the shape.

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
    outside = ((indices < 0) | (indices >= shape)).any(1)
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(
            f"{names[0]}[{place}] = {indices[place].tolist()} is not inside of the shape "
            f"{shape.tolist()}"
        )


def ranked(*several: Array) -> list[Array]:
    """For each list of indices the places of its rows in the order of all of them.

    So indices of tensors of any size can be compared as single numbers.
    """
    whole = np.concatenate(several)
    if whole.shape[1] == 0:
        return [np.zeros(len(rows), np.intp) for rows in several]
    ranks = np.unique(whole, axis=0, return_inverse=True)[1].reshape(-1)
    return np.split(ranks, np.cumsum([len(rows) for rows in several])[:-1])


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
