"""Checks and shape rules shared by ops on square matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime import errors
from ...shape_inference.context import OpContext, ShapeContext
from ...shape_inference.protocols import Array
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape

_MOST_MATRICES = 1 << 28
OLDER_MATRIX_TYPES = "T: {float32, float64}"
MATRIX_TYPES = "T: {half, float32, float64, complex64, complex128}"


def check_matrices(name: str, x: Array) -> None:
    """Checks that `x` has the rank of a matrix.

    Raises:
        ValueError: it has a lower one.
        ResourceExhaustedError: there are too many matrices.
    """
    if x.ndim < 2:
        raise ValueError(f"{name} must have rank at least 2, got shape {list(x.shape)}")
    # LAPACK is called for each matrix, even an empty one.
    if math.prod(x.shape[:-2]) > _MOST_MATRICES:
        message = f"{name} may hold at most {_MOST_MATRICES} matrices, got shape {list(x.shape)}"
        raise errors.ResourceExhaustedError(None, None, message)


def wide(x: Array) -> Array:
    """`x` in a dtype that LAPACK knows."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def equal_sides(c: OpContext, name: str, sizes: Any) -> tuple[Any, ...]:
    """The sizes of square matrices, of which the last two are the same.

    Raises:
        ValueError: they are known to differ.
    """
    side = c.same_size(f"the last two sizes of {name}", sizes[-2], sizes[-1])
    return (*sizes[:-2], side, side)


def square_shape(c: ShapeContext, name: str) -> TensorShape:
    """The shape of argument `name`, which holds square matrices."""
    sizes: Any = c.shape(name, min_rank=2).sizes
    return UNKNOWN_SHAPE if sizes is None else TensorShape.of(equal_sides(c, name, sizes))


def checked_square(c: OpContext, x: Array, name: str = "input") -> Array:
    """`x` in a dtype that LAPACK knows, if it holds square matrices."""
    check_matrices(name, x)
    equal_sides(c, name, x.shape)
    return wide(x)


def or_refused(function: Callable[..., Any], clause: str) -> Callable[..., Any]:
    """NumPy's `function`, with `clause` as the error if a matrix has no such result."""

    def solved(*inputs: Array) -> Any:
        try:
            return function(*inputs)
        except np.linalg.LinAlgError:
            raise ValueError(clause) from None

    return solved
