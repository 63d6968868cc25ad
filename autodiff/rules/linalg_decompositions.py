"""Gradients of `ops/linalg`: decompositions of matrices.

Where two eigenvalues or singular values are equal, what depends only on their vectors is not
defined; as in TensorFlow, the quotients there are taken to be 0.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import zeros_like
from ...ops.array.diag import matrix_diag, matrix_diag_part, matrix_set_diag
from ...ops.array.reshape import expand_dims
from ...ops.linalg.decompositions import self_adjoint_eig, svd
from ...ops.linalg.matmul import matmul
from ...ops.linalg.matrix_functions import adjoint
from ...ops.linalg.solve import MATRIX_TRIANGULAR_SOLVE
from ...ops.math.arithmetic import reciprocal, square
from ...ops.math.complex_numbers import real
from ..common.rule_tables import gradient_of, undefined
from ..common.static_facts import constant_like
from .linalg_systems import band, half, matrix_sizes


def _safe_reciprocal(x: Tensor) -> Tensor:
    return x * reciprocal(square(x) + constant_like(1e-20, x))


def _inverse_gaps(values: Tensor) -> Tensor:
    """1 / (v[j] - v[i]) for each pair, and 0 on the diagonal."""
    gaps = expand_dims(values, -2) - expand_dims(values, -1)
    return matrix_set_diag(_safe_reciprocal(gaps), zeros_like(values))


@gradient_of("SelfAdjointEigV2", "BatchSelfAdjointEigV2")
def _self_adjoint_eig(
    op: Operation, for_values: Tensor | None, for_vectors: Tensor | None
) -> Tensor:
    """V (diag(de) + F V^H dV) V^H, reduced to the lower half, which the op reads."""
    values, vectors = op.outputs
    if not op.get_attr("compute_v"):
        vectors = self_adjoint_eig(op.inputs[0])[1]
        for_vectors = None
    middle: Any = None if for_values is None else matrix_diag(for_values)
    if for_vectors is not None:
        turned = _inverse_gaps(values) * matmul(vectors, for_vectors, adjoint_a=True)
        middle = turned if middle is None else middle + turned
    whole = matmul(vectors, matmul(middle, vectors, adjoint_b=True))
    lower = band(whole + adjoint(whole), -1, 0)
    return matrix_set_diag(lower, half(matrix_diag_part(lower)))


@gradient_of("Qr")
def _qr(op: Operation, for_q: Tensor | None, for_r: Tensor | None) -> Tensor:
    q, r = op.outputs
    rows, columns = (
        (q.shape.as_list()[-2:-1] + r.shape.as_list()[-1:]) if q.shape.rank else (None,) * 2
    )
    if rows is None or columns is None:
        raise LookupError(f"No gradient defined for {op.name!r}: Qr of matrices of unknown sizes")
    if rows > columns and q.shape.as_list()[-1] == rows:
        raise LookupError(
            f"No gradient defined for {op.name!r}: Qr with full_matrices=True of more rows than "
            "columns"
        )
    dq = zeros_like(q) if for_q is None else for_q
    dr = zeros_like(r) if for_r is None else for_r
    if rows >= columns:
        return _of_tall(q, r, dq, dr)
    # The columns behind the square part are Q^H A, just so.
    behind = dr[..., rows:]
    dq = dq + matmul(op.inputs[0][..., rows:], behind, adjoint_b=True)
    square_part = _of_tall(q, r[..., :rows], dq, dr[..., :rows])
    return concat([square_part, matmul(q, behind)], -1)


def _over(x: Tensor, r: Tensor) -> Tensor:
    """`x R^-H`."""
    return adjoint(MATRIX_TRIANGULAR_SOLVE(r, adjoint(x), lower=False, adjoint=False))


def _of_tall(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
    turned, scaled = matmul(q, dq, adjoint_a=True), matmul(r, dr, adjoint_b=True)
    lower = band(turned - adjoint(turned) + scaled - adjoint(scaled), -1, 0)
    total = matmul(q, dr + _over(lower, r)) + _over(dq - matmul(q, turned), r)
    if not q.dtype.is_complex:
        return total
    diagonal = matrix_diag_part(scaled - adjoint(turned))
    phases = matrix_diag(diagonal - cast(real(diagonal), q.dtype.base_dtype))
    return total + _over(matmul(q, adjoint(phases)), r)


@gradient_of("Svd", "BatchSvd")
def _svd(op: Operation, for_s: Any, for_u: Tensor | None, for_v: Tensor | None) -> Tensor:
    a = op.inputs[0]
    dtype = a.dtype.base_dtype
    if not op.get_attr("compute_uv"):
        _, u, v = svd(a, compute_uv=True)
        return matmul(u, matmul(matrix_diag(cast(for_s, dtype)), v, adjoint_b=True))
    s, u, v = op.outputs
    rows, columns = matrix_sizes(a)
    if rows is None or columns is None:
        raise LookupError(f"No gradient defined for {op.name!r}: Svd of matrices of unknown sizes")
    if op.get_attr("full_matrices") and abs(rows - columns) > 1:
        raise LookupError(
            f"No gradient defined for {op.name!r}: Svd with full_matrices=True of matrices whose "
            "rows and columns differ by more than 1"
        )
    ds = zeros_like(s) if for_s is None else for_s
    du = zeros_like(u) if for_u is None else for_u
    dv = zeros_like(v) if for_v is None else for_v
    s, ds = cast(s, dtype), cast(ds, dtype)
    if rows > columns:
        return adjoint(_of_wide(s, v, u, ds, dv, du, columns))
    return _of_wide(s, u, v, ds, du, dv, rows)


def _of_wide(
    s: Tensor, u: Tensor, v: Tensor, ds: Tensor, du: Tensor, dv: Tensor, rows: int
) -> Tensor:
    """The gradient of a matrix with no more rows than columns."""
    full, inner = v, v.shape.as_list()[-2]
    v, rest, dv, d_rest = v[..., :rows], full[..., rows:], dv[..., :rows], dv[..., rows:]
    values, gaps = matrix_diag(s), _inverse_gaps(square(s))
    inverse = matrix_diag(_safe_reciprocal(s))
    of_u = gaps * matmul(u, du, adjoint_a=True)
    along_v = matmul(v, dv, adjoint_a=True)
    of_v = gaps * along_v
    middle = (
        matrix_diag(ds)
        + matmul(of_u + adjoint(of_u), values)
        + matmul(values, of_v + adjoint(of_v))
    )
    if u.dtype.is_complex:
        phases = matrix_diag(matrix_diag_part(along_v))
        middle = middle + half(matmul(inverse, adjoint(phases) - phases))
    total = matmul(u, matmul(middle, v, adjoint_b=True))
    if inner == rows:
        return total
    outside = adjoint(dv) - matmul(matmul(dv, v, adjoint_a=True), v, adjoint_b=True)
    if full.shape.as_list()[-1] != rows:
        across = matmul(v, d_rest, adjoint_a=True)
        outside = outside - matmul(across, rest, adjoint_b=True)
    return total + matmul(matmul(u, inverse), outside)


undefined(
    "only graphs of older TensorFlow hold it, which had none of the second order",
    "CholeskyGrad",
    "BatchCholeskyGrad",
)
