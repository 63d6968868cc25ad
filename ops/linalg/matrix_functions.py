"""Composed functions of matrices: identity, trace, norm, tensordot, adjoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import as_dtype
from ...shape_inference.dimension import dimension_value
from ...shape_inference.rules import normal_axis
from ..array.broadcast import broadcast_to
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import constant, ones, zeros
from ..array.diagonals import matrix_diag_part, matrix_set_diag
from ..array.ranges import range as numbers_in
from ..array.reshape import expand_dims, reshape, squeeze
from ..array.shapes import rank, shape
from ..array.transpose import matrix_transpose, transpose
from ..common.call_forms import renamed
from ..indexing.gather import gather
from ..math.arithmetic import abs as size_of, minimum, multiply, pow as power
from ..math.complex_numbers import conj
from ..math.division import floormod, truediv
from ..math.exponentials import sqrt
from ..math.reductions import reduce_max, reduce_prod, reduce_sum
from ..sorting.setdiff1d import setdiff1d
from .matmul import matmul

public = {
    "td, td.linalg": "eye norm tensordot trace",
    "td.linalg": "adjoint matvec normalize",
}


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a tensor of several.

    Args:
        num_rows: the number of rows: an int, a Dimension or a scalar int32 or int64 tensor.
        num_columns: the number of columns, likewise; by default as many.
        batch_shape: the shape of the tensor of matrices; by default there is one.
        dtype: the dtype.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape `batch_shape + [num_rows, num_columns]`.

    Raises:
        ValueError: a size is negative.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.eye(2, 3)))
        [[1. 0. 0.]
         [0. 1. 0.]]
    """
    sizes = [num_rows, num_rows if num_columns is None else num_columns]
    static_sizes = [dimension_value(size) for size in sizes]
    with name_scope(name, "eye"):
        if all(isinstance(size, (int, np.integer)) for size in static_sizes):
            if min(static_sizes) < 0:
                raise ValueError(f"the sizes of a matrix must be at least 0, got {static_sizes}")
            matrix: Tensor = constant(np.eye(*static_sizes, dtype=as_dtype(dtype).numpy_dtype))
        else:
            matrix = matrix_set_diag(zeros(sizes, dtype), ones([minimum(*sizes)], dtype))
        if batch_shape is None:
            return matrix
        if not isinstance(batch_shape, Tensor) and not len(batch_shape):
            return matrix  # an empty list has no dtype that `concat` could take
        return broadcast_to(matrix, concat([batch_shape, sizes], 0))


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Trace: the sum of the diagonal of each matrix.

    Args:
        x: a tensor of numbers, of shape [..., m, n].
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [...].

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.trace([[1, 2], [3, 4]]))
        np.int32(5)
    """
    with name_scope(name, "Trace", [x]) as scope:
        return reduce_sum(matrix_diag_part(convert_to_tensor(x, name="x")), [-1], name=scope)


@renamed(keep_dims="keepdims")
def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        tensor: a tensor of floats or complex numbers.
        ord: "euclidean", or 2 for vectors: the root of the sum of squares; "fro" for matrices: the
            same; a positive number p: the p-th root of the sum of p-th powers; infinity: the
            largest. For matrices 1 and infinity take the largest sum of a column or row.
        axis: the axis along which the vectors stand; a pair of axes for matrices; by default the
            whole tensor is one vector.
        keepdims: whether the axes stay, with size 1.
        name: a name for the scope of the ops.
        keep_dims: the older name of `keepdims`.

    Returns:
        A Tensor of the dtype of `tensor`; of real numbers where that is complex.

    Raises:
        ValueError: `ord` or `axis` is none of these.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.norm([[3.0, 4.0], [6.0, 8.0]], axis=1)))
        [ 5. 10.]
    """
    matrices = isinstance(axis, (list, tuple)) and len(axis) == 2
    if isinstance(axis, (list, tuple)) and len(axis) not in (1, 2):
        raise ValueError(f"axis must be one axis or two, got {axis}")
    allowed: Sequence[Any] = ("euclidean", "fro", 1, math.inf) if matrices else ("euclidean",)
    is_power = not matrices and isinstance(ord, (int, float)) and ord > 0
    if ord not in allowed and not is_power:
        what = "a pair of axes" if matrices else "vectors"
        raise ValueError(f"ord = {ord!r} is not supported for {what}")
    with name_scope(name, "norm", [tensor]):
        x = convert_to_tensor(tensor, name="tensor")
        if ord in ("euclidean", "fro", 2) and not (matrices and ord == 2):
            square = multiply(x, conj(x)) if x.dtype.is_complex else multiply(x, x)
            total = reduce_sum(square, axis, keepdims)
            return sqrt(cast(total, x.dtype.real_dtype))
        size = size_of(x)
        if matrices:
            summed, compared = axis if ord == 1 else axis[::-1]
            total = reduce_max(reduce_sum(size, summed, True), compared, True)
            return total if keepdims else reduce_sum(total, axis)
        if ord == math.inf:
            return reduce_max(size, axis, keepdims)
        powers = power(size, constant(ord, size.dtype))
        return power(reduce_sum(powers, axis, keepdims), 1.0 / ord)


class Normalized(NamedTuple):
    """Result of `td.linalg.normalize`.

    Args:
        normalized: the tensor divided by its norms.
        norm: the norms, with sizes of 1 along the axis.
    """

    normalized: Tensor
    norm: Tensor


def normalize(
    tensor: TensorLike, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Normalized:
    """Vectors or matrices divided by their norms.

    Args:
        tensor: a tensor of floats or complex numbers.
        ord: which norm, as for `td.norm`.
        axis: the axis along which the vectors stand, as for `td.norm`.
        name: a name for the scope of the ops.

    Returns:
        The Tensor divided by its norms, and the norms.

    Raises:
        ValueError: `ord` or `axis` is none of those of `td.norm`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.normalize([3.0, 4.0]).normalized))
        [0.6 0.8]
    """
    with name_scope(name, "normalize", [tensor]):
        x = convert_to_tensor(tensor, name="tensor")
        size = cast(norm(x, ord, axis, keepdims=True), x.dtype)
        return Normalized(truediv(x, size), size)


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


def _product(sizes: Any) -> Any:
    return math.prod(sizes) if isinstance(sizes, list) else reduce_prod(sizes)


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


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Conjugate transpose of matrices.

    Args:
        matrix: a tensor of numbers, of shape [..., m, n].
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [..., n, m].

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.adjoint([[1j, 2.0]])))
        [[0.-1.j]
         [2.-0.j]]
    """
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a matrix and a vector, or of stacks of them.

    Args:
        a: a tensor of numbers, of shape [..., m, n].
        b: a tensor of the same dtype, of shape [..., n]; the dimensions before are broadcast.
        transpose_a: whether to transpose each matrix first.
        adjoint_a: whether to transpose and conjugate each matrix first.
        a_is_sparse: accepted for TensorFlow's sake.
        b_is_sparse: accepted for TensorFlow's sake.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of shape [..., m].

    Raises:
        TypeError: the dtypes differ.
        ValueError: the shapes do not fit, or a matrix is to be both transposed and adjoint.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.matvec([[1, 2], [3, 4]], [1, 1])))
        [3 7]
    """
    with name_scope(name, "MatVec", [a, b]):
        columns = expand_dims(b, -1)
        return squeeze(matmul(a, columns, transpose_a=transpose_a, adjoint_a=adjoint_a), [-1])
