"""Linear algebra: `td.linalg`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.array import (
    array_forms as _array_forms,
    diagonals as _diagonals,
    matrix_diagonals as _matrix_diagonals,
)
from ..ops.array.array_forms import matrix_transpose as matrix_transpose
from ..ops.linalg import (
    decompositions as _decompositions,
    linear_systems as _linear_systems,
    square_matrices as _square_matrices,
)
from ..ops.linalg.decompositions import (
    qr as qr,
    svd as svd,
)
from ..ops.linalg.einsum import einsum as einsum
from ..ops.linalg.linear_systems import cholesky_solve as cholesky_solve
from ..ops.linalg.matmul import (
    cross as cross,
    matmul as matmul,
)
from ..ops.linalg.matrix_functions import (
    adjoint as adjoint,
    eye as eye,
    matvec as matvec,
    norm as norm,
    tensordot as tensordot,
    trace as trace,
)
from ..ops.linalg.square_matrices import (
    cholesky as cholesky,
    logdet as logdet,
    slogdet as slogdet,
)
from ..ops.statistics.clipping import global_norm as global_norm
from ..ops.statistics.norms import l2_normalize as l2_normalize

band_part = _diagonals.matrix_band_part
det = _square_matrices.matrix_determinant
diag = _matrix_diagonals.matrix_diag
diag_part = _matrix_diagonals.matrix_diag_part
eigh = _decompositions.self_adjoint_eig
eigvalsh = _decompositions.self_adjoint_eigvals
inv = _square_matrices.matrix_inverse
lstsq = _linear_systems.matrix_solve_ls
set_diag = _matrix_diagonals.matrix_set_diag
solve = _linear_systems.matrix_solve
tensor_diag = _diagonals.diag
tensor_diag_part = _diagonals.diag_part
transpose = _array_forms.matrix_transpose
triangular_solve = _linear_systems.matrix_triangular_solve


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
