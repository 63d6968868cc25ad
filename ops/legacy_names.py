"""Names of releases before 1.0 for functions that take batches by themselves now."""

from __future__ import annotations

from typing import Any

from ..graph.node import Tensor
from .array.diag import matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag
from .array.transpose import matrix_transpose
from .linalg.cholesky import cholesky
from .linalg.decompositions import self_adjoint_eig, self_adjoint_eigvals, svd
from .linalg.determinants_and_inverses import matrix_determinant, matrix_inverse
from .linalg.matmul import matmul
from .linalg.solve import cholesky_solve, matrix_solve, matrix_solve_ls, matrix_triangular_solve
from .math.arithmetic import abs as magnitude, reciprocal
from .signals.fft import fft, fft2d, fft3d, ifft, ifft2d, ifft3d

public = {
    "td": (
        "batch_cholesky=cholesky batch_cholesky_solve=cholesky_solve batch_fft=fft "
        "batch_fft2d=fft2d batch_fft3d=fft3d batch_ifft=ifft batch_ifft2d=ifft2d "
        "batch_ifft3d=ifft3d batch_matmul batch_matrix_band_part=matrix_band_part "
        "batch_matrix_determinant=matrix_determinant batch_matrix_diag=matrix_diag "
        "batch_matrix_diag_part=matrix_diag_part batch_matrix_inverse=matrix_inverse "
        "batch_matrix_set_diag=matrix_set_diag batch_matrix_solve=matrix_solve "
        "batch_matrix_solve_ls=matrix_solve_ls batch_matrix_transpose=matrix_transpose "
        "batch_matrix_triangular_solve=matrix_triangular_solve "
        "batch_self_adjoint_eig=self_adjoint_eig batch_self_adjoint_eigvals=self_adjoint_eigvals "
        "batch_svd=svd complex_abs=magnitude inv=reciprocal"
    )
}

__all__ = [
    "batch_matmul",
    "cholesky",
    "cholesky_solve",
    "fft",
    "fft2d",
    "fft3d",
    "ifft",
    "ifft2d",
    "ifft3d",
    "magnitude",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_inverse",
    "matrix_set_diag",
    "matrix_solve",
    "matrix_solve_ls",
    "matrix_transpose",
    "matrix_triangular_solve",
    "reciprocal",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
    "svd",
]


def batch_matmul(
    x: Any, y: Any, adj_x: bool | None = None, adj_y: bool | None = None, name: str | None = None
) -> Tensor:
    """The products of matrices in two batches, as of before 1.0: `td.matmul` does it.

    Args:
        x: a tensor of matrices.
        y: a tensor of as many matrices.
        adj_x: whether the adjoints of `x` are taken.
        adj_y: whether the adjoints of `y` are taken.
        name: a name for the op.

    Example:
        >>> with td.Graph().as_default():
        ...     td.batch_matmul(td.ones([5, 2, 3]), td.ones([5, 4, 3]), adj_y=True).shape.as_list()
        [5, 2, 4]
    """
    return matmul(x, y, adjoint_a=bool(adj_x), adjoint_b=bool(adj_y), name=name)
