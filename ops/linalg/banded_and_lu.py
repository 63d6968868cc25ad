"""Matrices with three diagonals, LU decompositions, and the exponentials of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..array.reshape import expand_dims, squeeze
from ..array.stack import stack, unstack
from ..array.transpose import matrix_transpose
from ..common.parallel_blocks import LARGE_MATRIX, on_one_thread
from ..math.complex_numbers import conj
from .square_matrices import MATRIX_TYPES, checked_square, square_shape
from .triangles import decompose

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td.linalg": "expm lu tridiagonal_matmul tridiagonal_solve"}

_TYPES = "T: {float32, float64, complex64, complex128}"
LU: OpDef[Results] = OpDef(
    "Lu",
    "input: T -> lu: T, p: output_idx_type",
    f"{MATRIX_TYPES}, output_idx_type: {{int32, int64}} = int32",
)
MATRIX_EXPONENTIAL = OpDef("MatrixExponential", "input: T -> output: T", MATRIX_TYPES)
TRIDIAGONAL_SOLVE = OpDef(
    "TridiagonalSolve",
    "diagonals: T, rhs: T -> output: T",
    f"partial_pivoting: bool = true, perturb_singular: bool = false, {_TYPES}",
)
TRIDIAGONAL_MAT_MUL = OpDef(
    "TridiagonalMatMul",
    "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T",
    _TYPES,
)
_DIAGONALS = ("superdiag", "maindiag", "subdiag")


@LU.shape
def _lu_shape(c: ShapeContext) -> list[TensorShape]:
    shape = square_shape(c, "input")
    return [shape, shape if shape.rank is None else shape[:-1]]


@LU.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _lu_kernel(c: KernelContext) -> Kernel:
    dtype, index = c.output_dtype.numpy_dtype, c.attr("output_idx_type").numpy_dtype

    def lu(x: Array) -> tuple[Array, Array]:
        matrices = checked_square(c, x).copy()
        side = matrices.shape[-1]
        batch = matrices.reshape(-1, side, side) if x.size else matrices.reshape(0, side, side)
        order = np.broadcast_to(np.arange(side, dtype=index), batch.shape[:-1]).copy()
        decompose(batch, order)
        return batch.reshape(x.shape).astype(dtype, copy=False), order.reshape(x.shape[:-1])

    return lu


@MATRIX_EXPONENTIAL.shape
def _exponential_shape(c: ShapeContext) -> TensorShape:
    return square_shape(c, "input")


@MATRIX_EXPONENTIAL.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _exponential_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def exponential(x: Array) -> Array:
        given = checked_square(c, x)
        wide = given.astype(np.complex128 if given.dtype.kind == "c" else np.float64)
        return _exponential(wide).astype(dtype) if x.size else x.copy()

    return exponential


def _exponential(x: Array) -> Array:
    """By a Taylor series of the matrices halved until they are small, and squared again."""
    norm = np.abs(x).sum(-2).max(initial=0)
    if not np.isfinite(norm):
        return np.full_like(x, np.nan)
    halvings = max(0, int(np.ceil(np.log2(max(norm, 1e-300)))) + 2)
    x = x / 2.0**halvings
    total = term = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for k in range(1, 19):
        term = term @ x / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return np.asarray(total)


@TRIDIAGONAL_SOLVE.shape
def _tridiagonal_solve_shape(c: ShapeContext) -> TensorShape:
    diagonals, rhs = c.shape("diagonals", min_rank=2), c.shape("rhs", min_rank=2)
    if diagonals.sizes is None or rhs.sizes is None:
        return rhs
    c.merged("the rows of diagonals and 3", [diagonals[-2:-1], TensorShape([3])])
    wanted = diagonals[:-2] + diagonals[-1:]
    return c.merged("diagonals and rhs", [wanted, rhs[:-1]]) + rhs[-1:]


@TRIDIAGONAL_SOLVE.fresh_kernel
def _tridiagonal_solve_kernel(c: KernelContext) -> Kernel:
    pivoting = c.attr("partial_pivoting")

    def solve(diagonals: Array, rhs: Array) -> Array:
        wanted = (*rhs.shape[:-2], 3, *rhs.shape[-2:-1])
        if rhs.ndim < 2 or diagonals.shape != wanted:
            raise ValueError(
                "diagonals must have shape [...,3,n] and rhs [...,n,k], got "
                f"{list(diagonals.shape)} and {list(rhs.shape)}"
            )
        with np.errstate(all="ignore"):
            return _solved(diagonals, rhs.copy(), pivoting) if rhs.size else rhs.copy()

    return solve


def _solved(diagonals: Array, x: Array, pivoting: bool) -> Array:
    """Gauss's elimination, in all matrices at once; exchanged rows reach two places further."""
    n = x.shape[-2]
    above, main, below = (diagonals[..., i, :] for i in range(3))
    # Row k of the matrix from its diagonal on; the third column is filled by exchanges alone.
    rows = np.zeros((*main.shape, 3), x.dtype)
    rows[..., 0], rows[..., :-1, 1] = main, above[..., :-1]
    singular = np.zeros(main.shape[:-1], np.bool_)
    for k in range(n - 1):
        here = np.stack([rows[..., k, 0], rows[..., k, 1], rows[..., k, 2]], -1)
        following = np.stack([below[..., k + 1], rows[..., k + 1, 0], rows[..., k + 1, 1]], -1)
        if pivoting:
            swap = (np.abs(following[..., 0]) > np.abs(here[..., 0]))[..., np.newaxis]
            here, following = np.where(swap, following, here), np.where(swap, here, following)
            top, under = x[..., k, :], x[..., k + 1, :]
            pair = np.where(swap, under, top), np.where(swap, top, under)
            x[..., k, :], x[..., k + 1, :] = pair
        singular |= here[..., 0] == 0
        factor = following[..., :1] / here[..., :1]
        following = following - factor * here
        x[..., k + 1, :] -= factor * x[..., k, :]
        rows[..., k, :] = here
        rows[..., k + 1, 0], rows[..., k + 1, 1] = following[..., 1], following[..., 2]
    singular |= rows[..., n - 1, 0] == 0
    for k in reversed(range(n)):
        for i in (1, 2):
            if k + i < n:
                x[..., k, :] -= rows[..., k, i, np.newaxis] * x[..., k + i, :]
        x[..., k, :] /= rows[..., k, :1]
    x[singular] = np.nan
    return x


@TRIDIAGONAL_MAT_MUL.shape
def _tridiagonal_matmul_shape(c: ShapeContext) -> TensorShape:
    rhs = c.shape("rhs", min_rank=2)
    for name in _DIAGONALS:
        diagonal = c.shape(name, min_rank=2)
        if diagonal.sizes is not None and rhs.sizes is not None:
            pair = [diagonal[:-2] + diagonal[-1:], rhs[:-1]]
            c.merged(f"{name} and rhs", pair)
    return rhs


@TRIDIAGONAL_MAT_MUL.fresh_kernel
def _tridiagonal_matmul_kernel(c: KernelContext) -> Kernel:

    def matmul(above: Array, main: Array, below: Array, rhs: Array) -> Array:
        wanted = (*rhs.shape[:-2], 1, *rhs.shape[-2:-1])
        for name, diagonal in zip(_DIAGONALS, (above, main, below), strict=True):
            if rhs.ndim < 2 or diagonal.shape != wanted:
                raise ValueError(
                    f"{name} must have shape {list(wanted)} for rhs of shape {list(rhs.shape)}, "
                    f"got {list(diagonal.shape)}"
                )
        columns = [x[..., 0, :, np.newaxis] for x in (above, main, below)]
        product = np.asarray(columns[1] * rhs)
        product[..., :-1, :] += columns[0][..., :-1, :] * rhs[..., 1:, :]
        product[..., 1:, :] += columns[2][..., 1:, :] * rhs[..., :-1, :]
        return product

    return matmul


class Lu(NamedTuple):
    """What `td.linalg.lu` returns.

    Args:
        lu: both factors in one: above the diagonal and on it the upper one, below it the lower
            one, whose diagonal is 1.
        p: the order of the rows: row `p[i]` has become row `i`.
    """

    lu: Tensor
    p: Tensor


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponentials of matrices.

    Args:
        input: square matrices of floats or complex numbers, of shape [..., m, m].
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`. TensorFlow makes it of many ops; here it is one.

    Raises:
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.expm([[0.0, 5.0], [0.0, 0.0]])))
        [[1. 5.]
         [0. 1.]]
    """
    return MATRIX_EXPONENTIAL(input, name=name)


def lu(input: TensorLike, output_idx_type: Any = "int32", name: str | None = None) -> Lu:
    """The factors of square matrices: a lower and an upper triangular one, and a permutation.

    Args:
        input: a tensor of floats or complex numbers, [..., n, n].
        output_idx_type: int32 or int64: the dtype of the permutation.
        name: a name for the op.

    Returns:
        The Tensors lu [..., n, n] and p [..., n]. A matrix that is not invertible is an
        InvalidArgumentError at the run.

    Raises:
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     factors, order = session.run(td.linalg.lu([[1.0, 2.0], [2.0, 6.0]]))
        ...     print(factors, order)
        [[ 2.   6. ]
         [ 0.5 -1. ]] [1 0]
    """
    return Lu(*LU(input, output_idx_type=output_idx_type, name=name))


def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The products of matrices with three diagonals and dense ones.

    Args:
        diagonals: the diagonals, as for `td.linalg.tridiagonal_solve`, without "matrix".
        rhs: a tensor [..., n, k].
        diagonals_format: "compact" or "sequence".
        name: a name for the op.

    Returns:
        A Tensor [..., n, k].

    Raises:
        ValueError: the format is another, or the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 3.0]]
        ...     print(session.run(td.linalg.tridiagonal_matmul(diagonals, [[1.0], [1.0]])))
        [[3.]
         [5.]]
    """
    parts = [expand_dims(x, -2) for x in _sequence(diagonals, diagonals_format)]
    return TRIDIAGONAL_MAT_MUL(*parts, rhs, name=name)


def tridiagonal_solve(
    diagonals: Any,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Tensor:
    """The solutions of systems of linear equations whose matrices have three diagonals.

    Args:
        diagonals: a tensor [..., 3, n]: what is above the diagonal, with an unread last element;
            the diagonal; what is below it, with an unread first element. As a "sequence", a list
            of these three.
        rhs: a tensor [..., n, k], or [..., n] of one rank less than that.
        diagonals_format: "compact" or "sequence".
        transpose_rhs: whether `rhs` is transposed first.
        conjugate_rhs: whether `rhs` is conjugated first.
        name: a name for the op.
        partial_pivoting: whether rows are exchanged for the sake of precision.

    Returns:
        A Tensor of the shape of `rhs`: NaN where a matrix is not invertible.

    Raises:
        ValueError: the format is another, or the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     diagonals = [[1.0, 0.0], [4.0, 4.0], [0.0, 2.0]]
        ...     print(session.run(td.linalg.tridiagonal_solve(diagonals, [5.0, 6.0])))
        [1. 1.]
    """
    parts = _sequence(diagonals, diagonals_format)
    compact, b = stack(parts, -2), convert_to_tensor(rhs)
    vector = b.shape.rank is not None and compact.shape.rank == b.shape.rank + 1
    if vector:
        b = expand_dims(b, -1)
    elif transpose_rhs:
        b = matrix_transpose(b)
    b = conj(b) if conjugate_rhs else b
    x = TRIDIAGONAL_SOLVE(compact, b, partial_pivoting=partial_pivoting, name=name)
    return squeeze(x, [-1]) if vector else x


def _sequence(diagonals: Any, diagonals_format: str) -> list[Any]:
    """The three diagonals, each [..., n].

    Raises:
        ValueError: they are not given in such a format.
    """
    if diagonals_format == "compact":
        return unstack(convert_to_tensor(diagonals), 3, -2)
    if diagonals_format != "sequence":
        raise ValueError(
            f"diagonals_format must be 'compact' or 'sequence', got {diagonals_format!r}"
        )
    if len(diagonals) != 3:
        raise ValueError(f"diagonals must be three, got {len(diagonals)}")
    return [convert_to_tensor(diagonal) for diagonal in diagonals]
