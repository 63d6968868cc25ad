"""Lower triangular matrices as linear operators."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import DType
from ...shape_inference.tensor_shape import TensorShape
from ..array.diag import matrix_band_part, matrix_diag_part
from ..array.reshape import expand_dims, squeeze
from ..math.arithmetic import abs as magnitude, add
from ..math.exponentials import log
from ..math.reductions import reduce_prod, reduce_sum
from .matmul import matmul
from .matrix_functions import adjoint as adjoint_of
from .solve import matrix_triangular_solve

public = {
    "td.linalg": "LinearOperatorLowerTriangular",
    "td.contrib.linalg": "LinearOperatorLowerTriangular LinearOperatorTriL",
}


class LinearOperatorLowerTriangular:
    """A batch of lower triangular matrices, as what is done with them.

    Args:
        tril: a tensor of floats or complex numbers, [..., n, n]; what stands above the diagonal
            counts as 0.
        is_non_singular: what is known of the matrices: kept, and not checked, as the next ones.
        is_self_adjoint: see above.
        is_positive_definite: see above.
        is_square: see above; they are.
        name: a name for the scopes of the ops.

    Raises:
        ValueError: `tril` has no square matrices, or `is_square` is False.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ones = td.linalg.LinearOperatorLowerTriangular(td.ones([2, 2]))
        ...     print(session.run(ones.to_dense()))
        [[1. 0.]
         [1. 1.]]
    """

    def __init__(
        self,
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError("is_square must not be False: lower triangular matrices are square")
        self.name = name
        self.is_non_singular = is_non_singular
        self.is_self_adjoint = is_self_adjoint
        self.is_positive_definite = is_positive_definite
        self.is_square = True
        with name_scope(name):
            matrices = convert_to_tensor(tril, name="tril")
            sizes = matrices.shape.with_rank_at_least(2)
            sizes[-1:].assert_is_compatible_with(sizes[-2:-1])
            self._tril = matrix_band_part(matrices, -1, 0)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._tril.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape [..., n, n]."""
        return self._tril.shape

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrices, with 0 above the diagonals."""
        return self._tril

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The diagonals [..., n]."""
        with name_scope(f"{self.name}/{name}"):
            return matrix_diag_part(self._tril)

    def trace(self, name: str = "trace") -> Tensor:
        """The sums of the diagonals."""
        with name_scope(f"{self.name}/{name}"):
            return reduce_sum(matrix_diag_part(self._tril), -1)

    def determinant(self, name: str = "determinant") -> Tensor:
        """The determinants: the products of the diagonals."""
        with name_scope(f"{self.name}/{name}"):
            return reduce_prod(matrix_diag_part(self._tril), -1)

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithms of the magnitudes of the determinants."""
        with name_scope(f"{self.name}/{name}"):
            return reduce_sum(log(magnitude(matrix_diag_part(self._tril))), -1)

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The matrices plus `x`."""
        with name_scope(f"{self.name}/{name}"):
            return add(self._tril, x)

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Tensor:
        """The products with matrices [..., n, k].

        Args:
            x: the matrices.
            adjoint: whether the operator's matrices are transposed and conjugated.
            adjoint_arg: whether those of `x` are.
            name: a name for the scope of the ops.
        """
        with name_scope(f"{self.name}/{name}"):
            return matmul(self._tril, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The products with vectors [..., n]; `adjoint` as for `matmul`."""
        with name_scope(f"{self.name}/{name}"):
            return squeeze(self.matmul(expand_dims(x, -1), adjoint), [-1])

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Tensor:
        """Solves for the matrices whose products with the operator are `rhs`, [..., n, k].

        Args:
            rhs: the right-hand sides.
            adjoint: whether the operator's matrices are transposed and conjugated.
            adjoint_arg: whether those of `rhs` are.
            name: a name for the scope of the ops.
        """
        with name_scope(f"{self.name}/{name}"):
            right = convert_to_tensor(rhs, self._tril.dtype)
            right = adjoint_of(right) if adjoint_arg else right
            return matrix_triangular_solve(self._tril, right, adjoint=adjoint)


LinearOperatorTriL = LinearOperatorLowerTriangular
"""The name of `LinearOperatorLowerTriangular` until TensorFlow 1.4."""
