"""Decompositions of matrices: Cholesky, QR, eigenvalues, singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.symbolic.symbolic import Dim, dim_min
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.parallel_blocks import LARGE_MATRIX, on_one_thread
from .square_matrices import (
    MATRIX_TYPES,
    OLDER_MATRIX_TYPES,
    check_matrices,
    checked_square,
    square_shape,
    wide,
)

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {
    "td": "self_adjoint_eig self_adjoint_eigvals",
    "td, td.linalg": "qr svd",
    "td.linalg": "eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals",
}

QR = OpDef(
    "Qr",
    "input: T -> q: T, r: T",
    f"full_matrices: bool = false, {MATRIX_TYPES}",
    traits=Traits(splits="...__->...__,...__", grows=True),
)
SVD: OpDef[Results] = OpDef(
    "Svd",
    "input: T -> s: T, u: T, v: T",
    f"compute_uv: bool = true, full_matrices: bool = false, {MATRIX_TYPES}",
    traits=Traits(splits="...__->..._,...__,...__", grows=True),
)
SELF_ADJOINT_EIG_V2: OpDef[Results] = OpDef(
    "SelfAdjointEigV2",
    "input: T -> e: T, v: T",
    f"compute_v: bool = true, {MATRIX_TYPES}",
    traits=Traits(splits="...__->..._,...__"),
)
# Under their names of TensorFlow before 0.12.
BATCH_SVD: OpDef[Results] = OpDef(
    "BatchSvd",
    "input: T -> s: T, u: T, v: T",
    "compute_uv: bool = true, full_matrices: bool = false, "
    "T: {float32, float64, complex64, complex128}",
    traits=Traits(grows=True),
)
BATCH_SELF_ADJOINT_EIG_V2: OpDef[Results] = OpDef(
    "BatchSelfAdjointEigV2",
    "input: T -> e: T, v: T",
    f"compute_v: bool = true, {OLDER_MATRIX_TYPES}",
)
SELF_ADJOINT_EIG = OpDef("SelfAdjointEig", "input: T -> output: T", "T: {half, float32, float64}")
BATCH_SELF_ADJOINT_EIG = OpDef("BatchSelfAdjointEig", "input: T -> output: T", OLDER_MATRIX_TYPES)


@QR.shape
def _qr_shape(c: ShapeContext) -> list[TensorShape]:
    sizes = c.shape("input", min_rank=2).sizes
    if sizes is None:
        return [UNKNOWN_SHAPE, UNKNOWN_SHAPE]
    *outer, rows, columns = cast("tuple[Dim, ...]", sizes)
    inner = rows if c.attr("full_matrices") else dim_min(rows, columns)
    return [TensorShape.of((*outer, rows, inner)), TensorShape.of((*outer, inner, columns))]


@QR.view_kernel
@on_one_thread(LARGE_MATRIX)
def _qr_kernel(c: KernelContext) -> Kernel:
    mode: Any = "complete" if c.attr("full_matrices") else "reduced"
    dtype = c.output_dtype.numpy_dtype

    def factors(x: Array) -> tuple[Array, ...]:
        check_matrices("input", x)
        return tuple([np.asarray(part, dtype) for part in np.linalg.qr(wide(x), mode)])

    return factors


@SVD.shape
@BATCH_SVD.shape
def _svd_shape(c: ShapeContext) -> list[TensorShape]:
    sizes: Any = c.shape("input", min_rank=2).sizes
    none = TensorShape.of((0,))
    if sizes is None:
        rest = UNKNOWN_SHAPE if c.attr("compute_uv") else none
        return [UNKNOWN_SHAPE, rest, rest]
    *outer, rows, columns = sizes
    least = dim_min(rows, columns)
    values = TensorShape.of((*outer, least))
    if not c.attr("compute_uv"):
        return [values, none, none]
    full = c.attr("full_matrices")
    return [
        values,
        TensorShape.of((*outer, rows, rows if full else least)),
        TensorShape.of((*outer, columns, columns if full else least)),
    ]


@SVD.view_kernel
@BATCH_SVD.view_kernel
@on_one_thread(LARGE_MATRIX)
def _svd_kernel(c: KernelContext) -> Kernel:
    vectors, full = c.attr("compute_uv"), c.attr("full_matrices")
    dtype = c.output_dtype.numpy_dtype

    def factors(x: Array) -> tuple[Array, Array, Array]:
        check_matrices("input", x)
        if not vectors:
            none = np.zeros(0, dtype)
            return np.asarray(np.linalg.svd(wide(x), compute_uv=False), dtype), none, none.copy()
        u, s, v = np.linalg.svd(wide(x), full)
        v = np.conjugate(v.swapaxes(-1, -2))
        return np.asarray(s, dtype), np.asarray(u, dtype), np.asarray(v, dtype)

    return factors


@SELF_ADJOINT_EIG_V2.shape
@BATCH_SELF_ADJOINT_EIG_V2.shape
def _eig_shape(c: ShapeContext) -> list[TensorShape]:
    shape = square_shape(c, "input")
    values = shape if shape.rank is None else shape[:-1]
    return [values, shape if c.attr("compute_v") else TensorShape.of((0,))]


@SELF_ADJOINT_EIG_V2.view_kernel
@BATCH_SELF_ADJOINT_EIG_V2.view_kernel
@on_one_thread(LARGE_MATRIX)
def _eig_kernel(c: KernelContext) -> Kernel:
    vectors, dtype = c.attr("compute_v"), c.output_dtype.numpy_dtype

    def eigenvalues(x: Array) -> tuple[Array, Array]:
        x = checked_square(c, x)
        if not vectors:
            return np.asarray(np.linalg.eigvalsh(x), dtype), np.zeros(0, dtype)
        values, columns = np.linalg.eigh(x)
        return np.asarray(values, dtype), np.asarray(columns, dtype)

    return eigenvalues


@SELF_ADJOINT_EIG.shape
@BATCH_SELF_ADJOINT_EIG.shape
def _eig_in_one_shape(c: ShapeContext) -> TensorShape:
    sizes: Any = square_shape(c, "input").sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    return TensorShape.of((*sizes[:-2], sizes[-1] + 1, sizes[-1]))


@SELF_ADJOINT_EIG.fresh_kernel
@BATCH_SELF_ADJOINT_EIG.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _eig_in_one_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def eigenvalues_above_vectors(x: Array) -> Array:
        values, columns = np.linalg.eigh(checked_square(c, x))
        whole = np.concatenate([values[..., np.newaxis, :], columns], -2)
        return np.asarray(whole, dtype)

    return eigenvalues_above_vectors


class Qr(NamedTuple):
    """Result of `td.qr`.

    Args:
        q: matrices with orthogonal columns of length 1.
        r: upper triangular matrices.
    """

    q: Tensor
    r: Tensor


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """QR decomposition: a factor with orthonormal columns, and an upper triangular one.

    Args:
        input: a tensor of floats or complex numbers, of shape [..., m, n].
        full_matrices: whether the first factor is square; otherwise it has min(m, n) columns.
        name: a name for the op.

    Returns:
        The Tensors q and r, whose product is `input`. The signs of the columns of q are those of
        LAPACK, where TensorFlow's may differ.

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     q, r = td.qr([[3.0, 1.0], [4.0, 2.0]])
        ...     print(abs(session.run(r)).round(4))
        [[5.  2.2]
         [0.  0.4]]
    """
    return Qr(*QR(input, full_matrices=full_matrices, name=name))


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Singular value decomposition of matrices.

    Args:
        tensor: a tensor of floats or complex numbers, of shape [..., m, n].
        full_matrices: whether the matrices of vectors are square; otherwise they have min(m, n)
            columns.
        compute_uv: whether to return the vectors.
        name: a name for the op.

    Returns:
        The Tensors s [..., min(m, n)], descending, u [..., m, ...] and v [..., n, ...], such that
        `tensor` is `u @ diag(s) @ adjoint(v)`; or only s. NumPy returns them in another order,
        and the adjoint of v. The signs of vectors are those of LAPACK, where TensorFlow's may
        differ.

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)))
        [4. 3.]
    """
    s, u, v = SVD(tensor, full_matrices=full_matrices, compute_uv=compute_uv, name=name)
    return (s, u, v) if compute_uv else s


def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues and eigenvectors of symmetric (Hermitian) matrices.

    Args:
        tensor: a tensor of floats or complex numbers, of shape [..., n, n], of which only the lower
            triangles are read.
        name: a name for the op.

    Returns:
        The eigenvalues, a Tensor [..., n], ascending; and a Tensor [..., n, n] whose columns are
        the eigenvectors. Their signs are those of LAPACK, where TensorFlow's may differ.

    Raises:
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     values, _ = td.self_adjoint_eig([[2.0, 0.0], [0.0, 1.0]])
        ...     print(session.run(values))
        [1. 2.]
    """
    values, vectors = SELF_ADJOINT_EIG_V2(tensor, name=name)
    return values, vectors


def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric (Hermitian) matrices, ascending.

    Args:
        tensor: a tensor of floats or complex numbers, of shape [..., n, n], of which only the lower
            triangles are read.
        name: a name for the op.

    Returns:
        A Tensor [..., n].

    Raises:
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.self_adjoint_eigvals([[2.0, 0.0], [0.0, 1.0]])))
        [1. 2.]
    """
    return SELF_ADJOINT_EIG_V2(tensor, compute_v=False, name=name).e
