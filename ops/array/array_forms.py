"""Further names for what other ops do: multiples, transposed matrices, offsets of a concat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from ...graph.registry import lookup
from ..math.arithmetic import multiply
from .joining import concat
from .ranges import range as range_of
from .shapes import rank
from .transposing import transpose

public = {
    "td": "concat_offset",
    "td, td.linalg": "matrix_transpose",
    "td, td.math": "scalar_mul",
    "td.linalg": "transpose=matrix_transpose",
}


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A tensor, or an IndexedSlices, multiplied by a scalar.

    Args:
        scalar: a number or a tensor of rank 0.
        x: a Tensor or an IndexedSlices.
        name: a name for the op.

    Returns:
        What `x` is.

    Raises:
        ValueError: `scalar` is known not to be of rank 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.scalar_mul(3, td.constant([1, 2]))))
        [3 6]
    """
    factor = convert_to_tensor(scalar, x.dtype.base_dtype, name="scalar")
    if factor.shape.rank not in (0, None):
        raise ValueError(f"scalar must have rank 0, got shape {factor.shape}")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(factor, x.values, name=name), x.indices, x.dense_shape)
    return multiply(factor, x, name=name)


def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """A tensor with its last two dimensions exchanged.

    Args:
        a: a tensor of rank at least 2.
        name: a name for the scope of the ops.
        conjugate: whether complex elements are conjugated.

    Returns:
        A Tensor of the dtype of `a`.

    Raises:
        ValueError: the rank is known to be less than 2.

    Example:
        >>> with td.Graph().as_default():
        ...     td.matrix_transpose(td.zeros([5, 2, 3])).shape.as_list()
        [5, 3, 2]
    """
    with name_scope(name, "matrix_transpose"):
        a = convert_to_tensor(a, name="a")
        known = a.shape.rank
        if known is None:
            size = rank(a)
            order: Any = concat([range_of(size - 2), [size - 1], [size - 2]], 0)
        elif known < 2:
            raise ValueError(f"a must have rank at least 2, got shape {a.shape}")
        else:
            order = [*range(known - 2), known - 1, known - 2]
        return transpose(a, order, conjugate=conjugate)


def concat_offset(concat_dim: Any, shape: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Where each of some tensors begins in their concatenation.

    Args:
        concat_dim: the dimension along which they are joined.
        shape: the shapes of the tensors, int32 vectors.
        name: a name for the op.

    Returns:
        A list of int32 vectors.

    Raises:
        ValueError: there are fewer than two.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(*session.run(td.concat_offset(1, [[2, 3], [2, 5], [2, 1]])))
        [0 0] [0 3] [0 8]
    """
    return lookup("ConcatOffset")(concat_dim, list(shape), name=name)
