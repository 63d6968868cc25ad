"""What the two factors of a matrix are for: the matrix again, its inverse, solutions of systems."""

from __future__ import annotations

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.broadcast import broadcast_to
from ..array.concat import concat
from ..array.constants import ones_like
from ..array.diagonals import matrix_band_part, matrix_diag_part, matrix_set_diag
from ..array.shapes import shape
from ..common.shared_docs import shared_docs
from ..indexing.gather import gather
from ..sorting.sort import argsort
from .linear_systems import matrix_triangular_solve
from .matmul import matmul
from .matrix_functions import eye

public = {"td.linalg": "lu_matrix_inverse lu_reconstruct lu_solve"}

_described = shared_docs(
    {
        "lower_upper": "both factors in one, `[..., n, n]`, as `td.linalg.lu` has them.",
        "perm": "the order of the rows, `[..., n]`, as `td.linalg.lu` has it.",
        "validate_args": "accepted for TensorFlow's sake: shapes are always checked.",
        "name": "a name for the scope of the ops.",
    },
    raises="ValueError: the shapes do not fit together.",
)


@_described
def lu_reconstruct(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrices that have these factors.

    Returns:
        A Tensor `[..., n, n]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     factors = td.linalg.lu([[1.0, 2.0], [2.0, 6.0]])
        ...     print(session.run(td.linalg.lu_reconstruct(*factors)))
        [[1. 2.]
         [2. 6.]]
    """
    with name_scope(name, "lu_reconstruct", [lower_upper, perm]):
        factors, order = convert_to_tensor(lower_upper), convert_to_tensor(perm)
        rows = matmul(_lower(factors), matrix_band_part(factors, 0, -1))
        return _rows_in(argsort(order), rows)


@_described
def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The solutions X of A X = `rhs`, where the factors of A are known.

    Args:
        rhs: a tensor `[..., n, k]`, whose first dimensions are broadcast against the factors'.

    Returns:
        A Tensor `[..., n, k]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     factors = td.linalg.lu([[1.0, 2.0], [2.0, 6.0]])
        ...     print(session.run(td.linalg.lu_solve(*factors, [[3.0], [8.0]])))
        [[1.]
         [1.]]
    """
    with name_scope(name, "lu_solve", [lower_upper, perm, rhs]):
        factors, order = convert_to_tensor(lower_upper), convert_to_tensor(perm)
        columns = convert_to_tensor(rhs, factors.dtype.base_dtype)
        if columns.shape.rank == 2 and order.shape.rank != 1:  # one right side for all matrices
            columns = broadcast_to(columns, concat([shape(order)[:-1], shape(columns)], 0))
        columns = _rows_in(order, columns)
        halfway = matrix_triangular_solve(_lower(factors), columns)
        return matrix_triangular_solve(factors, halfway, lower=False)


@_described
def lu_matrix_inverse(
    lower_upper: TensorLike,
    perm: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The inverses of the matrices that have these factors.

    Returns:
        A Tensor `[..., n, n]`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     factors = td.linalg.lu([[1.0, 2.0], [2.0, 6.0]])
        ...     print(session.run(td.linalg.lu_matrix_inverse(*factors)))
        [[ 3.  -1. ]
         [-1.   0.5]]
    """
    with name_scope(name, "lu_matrix_inverse", [lower_upper, perm]):
        factors = convert_to_tensor(lower_upper)
        identity = eye(shape(factors)[-1], dtype=factors.dtype.base_dtype)
        return lu_solve(factors, perm, identity)


def _lower(factors: Tensor) -> Tensor:
    """The lower factor, whose diagonal is 1."""
    return matrix_set_diag(matrix_band_part(factors, -1, 0), ones_like(matrix_diag_part(factors)))


def _rows_in(order: Tensor, matrices: Tensor) -> Tensor:
    """The rows of each matrix in the order that a vector of its own gives."""
    if order.shape.rank == 1:
        return gather(matrices, order, axis=-2)
    if order.shape.rank is None:
        raise ValueError("the rank of perm must be known")
    return gather(matrices, order, axis=-2, batch_dims=order.shape.rank - 1)
