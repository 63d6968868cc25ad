"""Sums and maxima of sparse tensors along axes: dense, or sparse again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, normal_axes, reduced, shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..array.ranges import range as arange
from ..array.shapes import size
from ..common.allocation import check_size, new_zeros
from ..common.call_forms import renamed
from ..common.elementwise import NUMBERS, REALS
from ..common.public_function import same_arguments
from ..common.shared_docs import shared_docs
from .sparse_components import (
    as_sparse,
    check_indices,
    check_shapes,
    grouped,
    numbered,
    parts_named,
)

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {
    "td": ("sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse"),
    "td.sparse": (
        "reduce_max=sparse_reduce_max reduce_max_sparse=sparse_reduce_max_sparse "
        "reduce_sum=sparse_reduce_sum reduce_sum_sparse=sparse_reduce_sum_sparse"
    ),
}

_INPUTS = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
_PARTS = "output_indices: int64, output_values: T, output_shape: int64"
_NAMES = parts_named("input")


def _dense(op_type: str, ufunc: np.ufunc, dtypes: str) -> OpDef:
    """A row of the table of ops with a dense result, in which 0 stands where nothing is stored."""
    op = OpDef(op_type, f"{_INPUTS} -> output: T", f"keep_dims: bool = false, T: {{{dtypes}}}")

    @op.shape
    def shape(c: ShapeContext) -> TensorShape:
        check_shapes(c, _NAMES)
        whole, axes = shape_from_value(c, "input_shape"), c.const("reduction_axes")
        if axes is None:
            return reduced(whole, None, c.attr("keep_dims"))
        if whole.sizes is None:
            return UNKNOWN_SHAPE
        return reduced(whole, axes.ravel().tolist(), c.attr("keep_dims"))

    @op.view_kernel
    def kernel(c: KernelContext) -> Kernel:
        keep_dims = c.attr("keep_dims")

        def reduce(indices: Array, values: Array, whole: Array, axes: Array) -> Array:
            left = _left(indices, values, whole, axes)
            sizes = check_size([int(whole[i]) for i in left], values.dtype)
            rows, totals = _totals(ufunc, indices[:, left], values)
            result = new_zeros(sizes, values.dtype)
            if left:
                result[tuple(rows.T)] = totals
            elif len(totals):
                result[...] = totals[0]
            return result.reshape(_shape_of(whole, left)) if keep_dims else result

        return reduce

    return op


def _sparse(op_type: str, ufunc: np.ufunc, dtypes: str) -> OpDef[Results]:
    """A row of the table of ops with a sparse result, whose indices are in order."""
    attrs = f"keep_dims: bool = false, T: {{{dtypes}}}"
    op: OpDef[Results] = OpDef(op_type, f"{_INPUTS} -> {_PARTS}", attrs)

    @op.shape
    def shape(c: ShapeContext) -> list[TensorShape]:
        check_shapes(c, _NAMES)
        rank = (c.shape("input_shape", rank=1).sizes or (None,))[0]
        axes = c.const("reduction_axes")
        if not c.attr("keep_dims"):
            rank = _number_left(rank, axes) if isinstance(rank, int) else None
        return [TensorShape.of((None, rank)), TensorShape([None]), TensorShape.of((rank,))]

    @op.fresh_kernel
    def kernel(c: KernelContext) -> Kernel:
        keep_dims = c.attr("keep_dims")

        def reduce(
            indices: Array, values: Array, whole: Array, axes: Array
        ) -> tuple[Array, Array, Array]:
            left = _left(indices, values, whole, axes)
            rows, totals = _totals(ufunc, indices[:, left], values)
            if not keep_dims:
                return rows, totals, whole[left]
            kept = np.zeros((len(rows), len(whole)), np.int64)
            kept[:, left] = rows
            return kept, totals, _shape_of(whole, left)

        return reduce

    return op


def _number_left(rank: int, axes: Array | None) -> int | None:
    return None if axes is None else rank - len(set(normal_axes(axes.ravel(), rank)))


def _left(indices: Array, values: Array, whole: Array, axes: Array) -> list[int]:
    """The axes that stay, if the parts of the sparse tensor fit together."""
    check_indices(indices, values, whole, _NAMES)
    gone = normal_axes(axes.ravel(), len(whole), "reduction_axes")
    return [i for i in range(len(whole)) if i not in gone]


def _shape_of(whole: Array, left: Sequence[int]) -> Array:
    """The shape of a result that keeps all axes."""
    sizes = np.ones_like(whole)
    sizes[left] = whole[left]
    return sizes


def _totals(ufunc: np.ufunc, rows: Array, values: Array) -> tuple[Array, Array]:
    """Each row of indices once, in order, and what its values come to."""
    if not len(values):
        return rows, values.copy()
    order, firsts = grouped(numbered(rows)[0])
    if order is not None:
        values, rows = values[order], rows[order]
    return rows[firsts], ufunc.reduceat(values, firsts, dtype=values.dtype)


SPARSE_REDUCE_SUM = _dense("SparseReduceSum", np.add, NUMBERS)
SPARSE_REDUCE_MAX = _dense("SparseReduceMax", np.maximum, REALS)
SPARSE_REDUCE_SUM_SPARSE = _sparse("SparseReduceSumSparse", np.add, NUMBERS)
SPARSE_REDUCE_MAX_SPARSE = _sparse("SparseReduceMaxSparse", np.maximum, REALS)


def _inputs(sp_input: Any, axis: Any) -> tuple[Any, ...]:
    sparse = as_sparse(sp_input)
    if axis is None:
        rank = sparse.dense_shape.shape.with_rank(1)[0].value
        axis = arange(size(sparse.dense_shape)) if rank is None else np.arange(rank, dtype=np.int32)
    return sparse.indices, sparse.values, sparse.dense_shape, axis


_documented = shared_docs(
    {
        "sp_input": "a SparseTensor of numbers.",
        "axis": "the axes, as for `td.reduce_sum`; by default all.",
        "keepdims": "whether the axes stay, with size 1.",
        "reduction_axes": "the older name of `axis`.",
        "keep_dims": "the older name of `keepdims`.",
    },
    raises="TypeError: `sp_input` is not a SparseTensor. An axis out of range is a ValueError.",
)


@_documented
@renamed(reduction_axes="axis", keep_dims="keepdims")
def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The sums of a sparse tensor along axes, as a dense tensor.

    Returns:
        A Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, 3], [2, 3])
        ...     print(session.run(td.sparse_reduce_sum(x, 1)))
        [3 3]
    """
    return SPARSE_REDUCE_SUM(*_inputs(sp_input, axis), keep_dims=bool(keepdims))


@_documented
@renamed(reduction_axes="axis", keep_dims="keepdims")
@same_arguments(sparse_reduce_sum)
def sparse_reduce_max(*arguments: Any) -> Tensor:
    """The largest of the values that a sparse tensor stores along axes, as a dense tensor.

    Elements that are not stored do not count, though they are 0; where none is stored, the result
    is 0.

    Returns:
        A Tensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 2, -3], [2, 3])
        ...     print(session.run(td.sparse_reduce_max(x, 1)))
        [ 2 -3]
    """
    sp_input, axis, keepdims, _reduction_axes, _keep_dims = arguments
    return SPARSE_REDUCE_MAX(*_inputs(sp_input, axis), keep_dims=bool(keepdims))


@_documented
@renamed(reduction_axes="axis", keep_dims="keepdims")
def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """The sums of a sparse tensor along axes, as a sparse tensor.

    Returns:
        A SparseTensor, which stores a sum wherever there is a value to add up.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, 2, 3], [3, 3])
        ...     session.run(td.sparse_reduce_sum_sparse(x, 1)).indices.tolist()
        [[0], [2]]
    """
    parts = SPARSE_REDUCE_SUM_SPARSE(*_inputs(sp_input, axis), keep_dims=bool(keepdims))
    return SparseTensor(*parts)


@_documented
@renamed(reduction_axes="axis", keep_dims="keepdims")
@same_arguments(sparse_reduce_sum_sparse)
def sparse_reduce_max_sparse(*arguments: Any) -> SparseTensor:
    """The largest of the values that a sparse tensor stores along axes, as a sparse tensor.

    Returns:
        A SparseTensor, which stores a value wherever there is one to choose from.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, 2, 3], [3, 3])
        ...     session.run(td.sparse_reduce_max_sparse(x, 1)).values.tolist()
        [2, 3]
    """
    sp_input, axis, keepdims, _reduction_axes, _keep_dims = arguments
    parts = SPARSE_REDUCE_MAX_SPARSE(*_inputs(sp_input, axis), keep_dims=bool(keepdims))
    return SparseTensor(*parts)
