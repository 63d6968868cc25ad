"""`tensordot`: sums of products over chosen axes, as one matrix product."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...shape_inference.rules import normal_axis
from ..array.cast import cast
from ..array.concat import concat
from ..array.ranges import range as numbers_in
from ..array.reshape import reshape
from ..array.shapes import rank, shape
from ..array.transpose import transpose
from ..indexing.gather import gather
from ..math.division import floormod
from ..math.reductions import reduce_prod
from ..sorting.setdiff1d import setdiff1d
from .matmul import matmul

public = {
    "td, td.linalg": "tensordot",
}


def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products of two tensors over some axes of each.

    Args:
        a: a tensor of numbers.
        b: a tensor of the same dtype.
        axes: how many axes, the last of `a` and the first of `b`; or a pair of axes, or of lists
            of axes, of `a` and `b`; or an int32 tensor of two rows.
        name: a name for the scope of the ops.

    Returns:
        A Tensor whose shape is that of `a` and that of `b` without these axes, one after the other.

    Raises:
        ValueError: there are not as many axes of both, one is out of range, or sizes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.tensordot([[1, 2], [3, 4]], [10, 1], 1)))
        [12 34]
    """
    with name_scope(name, "Tensordot", [a, b]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, a.dtype.base_dtype, name="b")
        of_a, of_b = _axes(axes, a, b)
        if isinstance(of_a, list) and isinstance(of_b, list):
            for i, j in zip(of_a, of_b, strict=True):
                a.shape[i].assert_is_compatible_with(b.shape[j])
        free_a, free_b = _others(a, of_a), _others(b, of_b)
        sizes_a, sizes_b = _sizes(a, free_a), _sizes(b, free_b)
        inner = _product(_sizes(a, of_a))
        rows = reshape(_transposed(a, free_a, of_a), [_product(sizes_a), inner])
        columns = reshape(_transposed(b, of_b, free_b), [inner, _product(sizes_b)])
        product = matmul(rows, columns)
        if isinstance(sizes_a, list) and isinstance(sizes_b, list):
            return reshape(product, np.array(sizes_a + sizes_b, np.int32), name=scope)
        sizes = [convert_to_tensor(part, "int32") for part in (sizes_a, sizes_b)]
        return reshape(product, concat(sizes, 0), name=scope)


def _sizes(x: Tensor, axes: Any) -> Any:
    """Sizes along some axes: a list if all are known before a run, else a vector."""
    if isinstance(axes, list) and x.shape.rank is not None:
        sizes = x.shape.as_list()
        known = [sizes[axis] for axis in axes if sizes[axis] is not None]
        if len(known) == len(axes):
            return known
    return gather(shape(x), convert_to_tensor(axes, "int32"))


def _transposed(x: Tensor, first: Any, then: Any) -> Tensor:
    if isinstance(first, list) and isinstance(then, list):
        return transpose(x, np.array(first + then, np.int32))
    return transpose(x, concat([convert_to_tensor(axes, "int32") for axes in (first, then)], 0))


def _others(x: Tensor, axes: Any) -> Any:
    """The other axes of `x`: a list, or a vector if not statically known."""
    if isinstance(axes, list) and x.shape.rank is not None:
        return [i for i in range(x.shape.rank) if i not in axes]
    return setdiff1d(numbers_in(rank(x)), axes).out


def _axes(axes: Any, a: Tensor, b: Tensor) -> tuple[Any, Any]:
    """The axes of both that are summed over: lists, or vectors if not statically known."""
    rank_a, rank_b = a.shape.rank, b.shape.rank
    if isinstance(axes, int):
        most = min([n for n in (rank_a, rank_b) if n is not None], default=axes)
        if not 0 <= axes <= most:
            raise ValueError(f"axes = {axes} is not in [0, {most}]")
        last = numbers_in(rank(a) - axes, rank(a)) if rank_a is None else None
        return last if rank_a is None else [*range(rank_a - axes, rank_a)], [*range(axes)]
    if isinstance(axes, Tensor):
        return _counted(axes[0], a), _counted(axes[1], b)
    one, other = (
        [int(axis) for axis in (part if isinstance(part, (list, tuple)) else [part])]
        for part in (np.asarray(axes).tolist() if isinstance(axes, np.ndarray) else axes)
    )
    if len(one) != len(other):
        raise ValueError(f"there must be as many axes of a as of b, got {one} and {other}")
    return _counted(one, a, "an axis of a"), _counted(other, b, "an axis of b")


def _counted(axes: Any, x: Tensor, name: str = "") -> Any:
    """Axes counted from 0."""
    if isinstance(axes, list) and x.shape.rank is not None:
        return [normal_axis(axis, x.shape.rank, name) for axis in axes]
    if isinstance(axes, list) and min(axes, default=0) >= 0:
        return axes
    number = rank(x)
    axes = cast(reshape(convert_to_tensor(axes, name="axes"), [-1]), "int32")
    return floormod(axes, number)


def _product(sizes: Any) -> Any:
    return math.prod(sizes) if isinstance(sizes, list) else reduce_prod(sizes)
