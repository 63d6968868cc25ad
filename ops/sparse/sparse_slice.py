"""Slices of sparse tensors, with TensorFlow's gradient op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.elementwise import NUMBERS
from .sparse_components import as_sparse, check_indices, check_shapes, ranked

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td": "sparse_slice", "td.sparse": "slice=sparse_slice"}

SPARSE_SLICE: OpDef[Results] = OpDef(
    "SparseSlice",
    "indices: int64, values: T, shape: int64, start: int64, size: int64 "
    "-> output_indices: int64, output_values: T, output_shape: int64",
    "T: type",
)
SPARSE_SLICE_GRAD = OpDef(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 "
    "-> val_grad: T",
    f"T: {{{NUMBERS}}}",
)


@SPARSE_SLICE.shape
def _sparse_slice_shape(c: ShapeContext) -> list[TensorShape]:
    check_shapes(c)
    names = ("shape", "start", "size")
    shape = c.merged("shape, start and size", [c.shape(name, rank=1) for name in names])
    rank = (shape.sizes or (None,))[0]
    return [TensorShape.of((None, rank)), TensorShape([None]), shape]


@SPARSE_SLICE.kernel
def _sparse_slice_kernel(c: KernelContext) -> Kernel:

    def sliced(
        indices: Array, values: Array, shape: Array, start: Array, size: Array
    ) -> tuple[Array, Array, Array]:
        check_indices(indices, values, shape)
        for name, numbers in (("start", start), ("size", size)):
            if numbers.shape != shape.shape:
                raise ValueError(f"{name} must have {len(shape)} numbers, got {numbers.tolist()}")
            if numbers.size and numbers.min() < 0:
                raise ValueError(f"{name} must not be negative, got {numbers.tolist()}")
        sizes = np.clip(shape - np.minimum(start, shape), 0, size)
        inside = np.ones(len(indices), np.bool_)
        for column, first, end in zip(indices.T, start, start + sizes, strict=True):
            inside &= (column >= first) & (column < end)
        kept = np.flatnonzero(inside)
        return indices.take(kept, 0) - start, values[kept], sizes

    return sliced


@SPARSE_SLICE_GRAD.shape
def _sparse_slice_grad_shape(c: ShapeContext) -> TensorShape:
    c.shape("backprop_val_grad", rank=1)
    c.shape("input_start", rank=1)
    c.shape("output_indices", rank=2)
    return TensorShape.of((c.shape("input_indices", rank=2).sizes or (None,))[:1])


@SPARSE_SLICE_GRAD.fresh_kernel
def _sparse_slice_grad_kernel(c: KernelContext) -> Kernel:

    def slice_grad(gradient: Array, indices: Array, start: Array, taken: Array) -> Array:
        if indices.ndim != 2 or taken.ndim != 2 or start.shape != indices.shape[1:]:
            raise ValueError(
                "input_indices, input_start and output_indices must be of shapes [n,rank], [rank] "
                f"and [m,rank], got {list(indices.shape)}, {list(start.shape)} and "
                f"{list(taken.shape)}"
            )
        if gradient.shape != taken.shape[:1]:
            raise ValueError(
                f"backprop_val_grad must have shape {list(taken.shape[:1])}, got "
                f"{list(gradient.shape)}"
            )
        before, after = ranked(indices - start, taken)
        each = np.zeros(max([*before, *after], default=-1) + 1, gradient.dtype)
        each[after] = gradient
        return each[before]

    return slice_grad


def sparse_slice(
    sp_input: Any, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """A part of a sparse tensor, as a sparse tensor.

    As in TensorFlow 1.15, a slice that reaches over an end ends there.

    Args:
        sp_input: a SparseTensor.
        start: where the slice begins, an int64 vector.
        size: the sizes of the slice, an int64 vector.
        name: a name for the op.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
        ValueError: `start` or `size` have not a number for each dimension.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 0], [1, 2]], [5, 6], [2, 3])
        ...     session.run(td.sparse_slice(x, [1, 1], [1, 2])).indices.tolist()
        [[0, 1]]
    """
    x = as_sparse(sp_input)
    return SparseTensor(*SPARSE_SLICE(x.indices, x.values, x.dense_shape, start, size, name=name))
