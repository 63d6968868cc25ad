"""Exponentials, logarithms and square roots of matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.parallel_blocks import LARGE_MATRIX, on_one_thread
from .schur import schur
from .square_matrices import MATRIX_TYPES, checked_square, square_shape

public = {
    "td.linalg": "expm logm sqrtm",
}

_ROWS = Traits(splits="...__->...__")
MATRIX_SQUARE_ROOT = OpDef("MatrixSquareRoot", "input: T -> output: T", MATRIX_TYPES, traits=_ROWS)
MATRIX_LOGARITHM = OpDef(
    "MatrixLogarithm", "input: T -> output: T", "T: {complex64, complex128}", traits=_ROWS
)
_NEAR_ONE = 0.25  # how far from the identity a matrix may be whose logarithm is a sum
_NODES = 12  # of that sum
_MOST_ROOTS = 100


@MATRIX_SQUARE_ROOT.shape
@MATRIX_LOGARITHM.shape
def _shape(c: ShapeContext) -> TensorShape:
    return square_shape(c, "input")


def _one_by_one(c: KernelContext, function: Callable[[Array, bool], Array]) -> Kernel:
    """Applies a function of a complex matrix, and of whether it was real, to each."""
    dtype = c.output_dtype.numpy_dtype

    def kernel(x: Array) -> Array:
        matrices = checked_square(c, x)
        side = x.shape[-1]
        if not x.size:
            return x.copy()
        wide = matrices.astype(np.complex128).reshape(-1, side, side)
        result = np.full(wide.shape, np.nan, np.complex128)
        with np.errstate(all="ignore"):
            for i, matrix in enumerate(wide):
                if np.isfinite(matrix).all():
                    result[i] = function(matrix, dtype.kind != "c")
            shaped = result.reshape(x.shape)
            return (shaped if dtype.kind == "c" else shaped.real).astype(dtype)

    return kernel


@MATRIX_SQUARE_ROOT.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _square_root_kernel(c: KernelContext) -> Kernel:
    return _one_by_one(c, _square_root)


def _square_root(matrix: Array, is_real: bool) -> Array:
    """The principal root; not a number where it is none, or of real numbers complex."""
    u, t = schur(matrix)
    values = t.diagonal()
    if is_real and ((values.real < 0) & (abs(values.imag) <= 1e-10 * abs(values.real))).any():
        return np.full_like(matrix, np.nan)
    return np.asarray(u @ _triangular_root(t) @ u.conj().T)


def _triangular_root(t: Array) -> Array:
    """The root of an upper triangular matrix, by columns, as Björck and Hammarling have it."""
    root = np.diag(np.sqrt(t.diagonal()))
    for j in range(1, len(t)):
        for i in range(j - 1, -1, -1):
            partial = root[i, i + 1 : j] @ root[i + 1 : j, j]
            root[i, j] = (t[i, j] - partial) / (root[i, i] + root[j, j])
    return root


@MATRIX_LOGARITHM.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _logarithm_kernel(c: KernelContext) -> Kernel:
    return _one_by_one(c, _logarithm)


def _logarithm(matrix: Array, is_real: bool) -> Array:
    """By roots until little more than the identity is left, whose logarithm is an integral."""
    u, t = schur(matrix)
    if not t.diagonal().all():
        return np.full_like(matrix, np.nan)
    one = np.eye(len(t))
    logs, roots = np.log(t.diagonal()), 0
    while np.linalg.norm(t - one, 1) > _NEAR_ONE and roots < _MOST_ROOTS:
        t, roots = _triangular_root(t), roots + 1
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    change = t - one
    parts = [
        weight / 2 * np.linalg.solve(one + (node + 1) / 2 * change, change)
        for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True)
    ]
    total = sum(parts, np.zeros_like(t)) * 2.0**roots
    np.fill_diagonal(total, logs)
    return np.asarray(u @ total @ u.conj().T)


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """Principal square roots of matrices.

    Args:
        input: square matrices of floats or complex numbers, of shape [..., m, m].
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`: the principal roots, whose eigenvalues are not negative
        in their real parts. A matrix without one is not a number throughout, as is one of real
        numbers whose root is complex.

    Raises:
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     root = session.run(td.linalg.sqrtm([[4.0, 0.0], [5.0, 9.0]]))
        ...     print((root @ root).round(3))
        [[4. 0.]
         [5. 9.]]
    """
    return MATRIX_SQUARE_ROOT(input, name=name)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """Principal logarithms of matrices.

    Args:
        input: square matrices of complex numbers, of shape [..., m, m].
        name: a name for the op.

    Returns:
        A Tensor of the shape of `input`: the principal logarithms. Where an eigenvalue is a
        negative real number, the sign of its imaginary part may be another one than TensorFlow's.

    Raises:
        TypeError: the numbers are not complex.
        ValueError: the matrices are not square.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.logm([[1.0 + 0j, 5.0], [0.0, 1.0]])).real)
        [[0. 5.]
         [0. 0.]]
    """
    return MATRIX_LOGARITHM(input, name=name)


MATRIX_EXPONENTIAL = OpDef("MatrixExponential", "input: T -> output: T", MATRIX_TYPES)


@MATRIX_EXPONENTIAL.shape
def _exponential_shape(c: ShapeContext) -> TensorShape:
    return square_shape(c, "input")


@MATRIX_EXPONENTIAL.fresh_kernel
@on_one_thread(LARGE_MATRIX)
def _exponential_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def exponential(x: Array) -> Array:
        matrices = checked_square(c, x)
        wide = matrices.astype(np.complex128 if matrices.dtype.kind == "c" else np.float64)
        return _exponential(wide).astype(dtype) if x.size else x.copy()

    return exponential


def _exponential(x: Array) -> Array:
    """Matrix exponential by scaling and squaring with a Taylor series."""
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


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """Matrix exponential.

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
