"""Matrix rank and Moore–Penrose pseudo-inverse, by singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from ..array.reshape import expand_dims
from ..array.shapes import shape
from ..math.arithmetic import maximum, multiply
from ..math.comparison import greater
from ..math.division import truediv
from ..math.reductions import reduce_max, reduce_sum
from ..math.where import where_v2
from .decompositions import svd
from .matmul import matmul

public = {"td.linalg": "matrix_rank pinv"}


def matrix_rank(
    a: TensorLike, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Rank of each matrix: the number of its nonzero singular values.

    Args:
        a: a tensor of floats, `[..., m, n]`.
        tol: greatest value that counts as zero; by default the dtype's precision, times the greater
            of m and n, times the matrix's greatest singular value, as in NumPy.
        validate_args: accepted for TensorFlow's sake: shapes are always checked.
        name: a name for the scope of the ops.

    Returns:
        An int32 Tensor `[...]`.

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])))
        1
    """
    with name_scope(name, "matrix_rank", [a]):
        x = convert_to_tensor(a, name="a")
        values: Any = svd(x, compute_uv=False)
        if tol is None:
            tol = multiply(_precision(x, 1.0), reduce_max(values, -1, keepdims=True))
        return reduce_sum(cast(greater(values, tol), "int32"), -1)


def pinv(
    a: TensorLike, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Moore–Penrose pseudo-inverse of matrices.

    Args:
        a: a tensor of floats, `[..., m, n]`.
        rcond: singular values that are no greater than so many of the greatest count as zero: a
            number, or a tensor `[...]`; by default ten times the dtype's precision, times the
            greater of m and n. NumPy's default is another.
        validate_args: accepted for TensorFlow's sake: shapes are always checked.
        name: a name for the scope of the ops.

    Returns:
        A Tensor `[..., n, m]`.

    Raises:
        ValueError: the rank is below 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.linalg.pinv([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]])).round(3))
        [[0.5  0.   0.  ]
         [0.   0.   0.25]]
    """
    with name_scope(name, "pinv", [a]):
        x = convert_to_tensor(a, name="a")
        values, left, right = svd(x)
        share = _precision(x, 10.0) if rcond is None else convert_to_tensor(rcond, x.dtype)
        least = multiply(expand_dims(share, -1), reduce_max(values, -1, keepdims=True))
        kept = where_v2(greater(values, least), values, np.array(np.inf, x.dtype.numpy_dtype))
        scaled = truediv(right, expand_dims(kept, -2))
        return matmul(scaled, left, adjoint_b=True)


def _precision(x: Tensor, times: float) -> Tensor:
    """Rounding error of singular values, relative to the greatest."""
    sizes = shape(x)
    each = times * float(np.finfo(x.dtype.numpy_dtype).eps)
    return multiply(
        cast(maximum(sizes[-2], sizes[-1]), x.dtype), np.array(each, x.dtype.numpy_dtype)
    )
