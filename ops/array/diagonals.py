"""Diagonals of tensors as a whole, and bands of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import new_zeros

public = {
    "td": "diag diag_part matrix_band_part",
    "td.linalg": "band_part=matrix_band_part tensor_diag=diag tensor_diag_part=diag_part",
}

_TYPES = "T: {bfloat16, half, float32, float64, int32, int64, complex64, complex128}"
DIAG = OpDef("Diag", "diagonal: T -> output: T", _TYPES, traits=Move(symbolic=False))
DIAG_PART = OpDef(
    "DiagPart", "input: T -> diagonal: T", _TYPES, traits=Move(views=True, symbolic=False)
)
MATRIX_BAND_PART = OpDef(
    "MatrixBandPart",
    "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    "T: type, Tindex: {int32, int64} = int64",
    traits=Move(symbolic=False, splits="...__,*,*->...__"),
)
# Under its name of TensorFlow before 0.12.
BATCH_MATRIX_BAND_PART = OpDef(
    "BatchMatrixBandPart",
    "input: T, num_lower: int64, num_upper: int64 -> band: T",
    "T: type",
    traits=Move(symbolic=False),
)

_BAND_ROWS = 64


@DIAG.shape
def _diag_shape(c: ShapeContext) -> TensorShape:
    sizes = c.shape("diagonal", min_rank=1).sizes
    return UNKNOWN_SHAPE if sizes is None else TensorShape.of((*sizes, *sizes))


@DIAG.fresh_kernel
def _diag_kernel(c: KernelContext) -> Kernel:

    def diag(diagonal: Array) -> Array:
        if not diagonal.ndim:
            raise ValueError("diagonal must have rank at least 1, got shape ()")
        result = new_zeros((*diagonal.shape, *diagonal.shape), diagonal.dtype)
        result.reshape(-1)[:: diagonal.size + 1] = diagonal.ravel()
        return result

    return diag


def _half(c: ShapeContext | KernelContext, sizes: Any) -> tuple[Any, ...]:
    """The first half of the sizes, which the second half repeats.

    Raises:
        ValueError: they are not of that kind.
    """
    if not sizes or len(sizes) % 2:
        raise ValueError(f"input must have an even rank, other than 0, got {len(sizes)}")
    half = len(sizes) // 2
    return tuple(
        c.same_size(f"sizes {i} and {i + half} of input", sizes[i], sizes[i + half])
        for i in range(half)
    )


@DIAG_PART.shape
def _diag_part_shape(c: ShapeContext) -> TensorShape:
    sizes = c.shape("input").sizes
    return UNKNOWN_SHAPE if sizes is None else TensorShape.of(_half(c, sizes))


@DIAG_PART.view_kernel
def _diag_part_kernel(c: KernelContext) -> Kernel:
    def diag_part(x: Array) -> Array:
        if not x.ndim:
            return x  # which TensorFlow refuses only where the rank is known earlier
        half = _half(c, x.shape)
        return x.reshape(-1)[:: math.prod(half) + 1].reshape(half)

    return diag_part


@MATRIX_BAND_PART.shape
@BATCH_MATRIX_BAND_PART.shape
def _matrix_band_part_shape(c: ShapeContext) -> TensorShape:
    c.shape("num_lower", rank=0)
    c.shape("num_upper", rank=0)
    return c.shape("input")  # a rank below 2 is an error of the run


@MATRIX_BAND_PART.fresh_kernel
@BATCH_MATRIX_BAND_PART.fresh_kernel
def _matrix_band_part_kernel(c: KernelContext) -> Kernel:
    zero: Any = b"" if c.output_dtype.name == "string" else 0
    zeros = np.asarray(zero, c.output_dtype.numpy_dtype)

    def matrix_band_part(x: Array, num_lower: Array, num_upper: Array) -> Array:
        if x.ndim < 2:
            raise ValueError(f"input must have rank at least 2, got shape {list(x.shape)}")
        rows, columns = x.shape[-2:]
        for name, number, most in (
            ("num_lower", num_lower, rows),
            ("num_upper", num_upper, columns),
        ):
            if number.ndim:
                raise ValueError(f"{name} must have rank 0, got shape {list(number.shape)}")
            if number > most:
                raise ValueError(f"{name} = {number} is more than the {most} of input")
        lower, upper = int(num_lower), int(num_upper)
        result = x.copy()
        for start in range(0, rows, _BAND_ROWS):
            part = result[..., start : start + _BAND_ROWS, :]
            row = np.arange(start, min(start + _BAND_ROWS, rows))[:, None]
            if lower >= 0:  # what none of these rows keeps, and what some of them do
                first, last = (min(max(at - lower, 0), columns) for at in (start, int(row[-1, 0])))
                part[..., :first] = zero
                np.copyto(part[..., first:last], zeros, where=np.arange(first, last) < row - lower)
            if upper >= 0:
                first, last = (min(at + upper + 1, columns) for at in (start, int(row[-1, 0])))
                np.copyto(part[..., first:last], zeros, where=np.arange(first, last) > row + upper)
                part[..., last:] = zero
        return result

    return matrix_band_part


def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with a given diagonal, and zeros elsewhere: `result[i..., i...] = diagonal[i...]`.

    Args:
        diagonal: a tensor of numbers, of rank at least 1.
        name: a name for the op.

    Returns:
        A Tensor of twice the rank.

    Raises:
        ValueError: `diagonal` has rank 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.diag([1, 2])))
        [[1 0]
         [0 2]]
    """
    return DIAG(diagonal, name=name)


def diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor as a whole: `result[i...] = input[i..., i...]`.

    Args:
        input: a tensor of numbers, of even rank, whose shape is some sizes twice.
        name: a name for the op.

    Returns:
        A Tensor of half the rank.

    Raises:
        ValueError: the shape is no such one.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.diag_part([[1, 2], [3, 4]])))
        [1 4]
    """
    return DIAG_PART(input, name=name)


def matrix_band_part(
    input: TensorLike, num_lower: Any, num_upper: Any, name: str | None = None
) -> Tensor:
    """Matrices with zeros outside of a band around the diagonal.

    Args:
        input: a tensor of any dtype, of rank at least 2: matrices in its last two dimensions.
        num_lower: how many diagonals below the main one are kept; all, if it is negative.
        num_upper: how many diagonals above the main one are kept; all, if it is negative.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `input`. Numbers of diagonals greater than the size of
        the matrices are an InvalidArgumentError at the run.

    Raises:
        ValueError: `input` has a lower rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.matrix_band_part([[1, 2], [3, 4]], -1, 0)))
        [[1 0]
         [3 4]]
    """
    return MATRIX_BAND_PART(input, num_lower, num_upper, name=name)
