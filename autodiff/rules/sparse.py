"""Gradients of `ops/sparse`: with respect to values; indices are fixed."""

from __future__ import annotations

from typing import Any

from ...graph.node import Operation, Tensor
from ...graph.sparse_tensor import SparseTensor
from ...ops.array.concat import concat
from ...ops.array.constants import ones_like
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape
from ...ops.array.shapes import shape, size
from ...ops.array.stack import stack
from ...ops.array.transpose import invert_permutation
from ...ops.indexing.dynamic_partition import dynamic_stitch
from ...ops.indexing.gather import gather
from ...ops.indexing.gather_nd import gather_nd, scatter_nd
from ...ops.linalg.matrix_functions import adjoint
from ...ops.math.arithmetic import minimum
from ...ops.math.complex_numbers import conj
from ...ops.math.division import floordiv, floormod
from ...ops.math.reductions import reduce_sum
from ...ops.sparse.sparse_matmul import SPARSE_TENSOR_DENSE_MAT_MUL
from ...ops.sparse.sparse_reductions import sparse_reduce_sum
from ...ops.sparse.sparse_to_dense import sparse_reorder
from ...protos.dtypes import int64
from ..common.rule_tables import gradient_of, not_differentiable, raw, raw_results, undefined

undefined(
    "counts do not change with what is counted",
    *("DenseCountSparseOutput", "RaggedCountSparseOutput", "SparseCountSparseOutput"),
)


@gradient_of("SparseReorder")
def _sparse_reorder(op: Operation, _: Any, gradient: Tensor) -> Any:
    indices, _values, whole = op.inputs

    def for_values() -> Tensor:
        numbers = arange(shape(indices)[0])
        order = sparse_reorder(SparseTensor(indices, numbers, whole)).values
        return gather(gradient, invert_permutation(order))

    return None, for_values, None


@gradient_of("SparseToDense")
def _sparse_to_dense(op: Operation, gradient: Tensor) -> Any:
    indices, whole, values, _default = op.inputs
    places = indices if indices.shape.rank == 2 else reshape(indices, stack([-1, size(whole)]))

    def for_values() -> Tensor:
        taken = gather_nd(gradient, places)
        return reduce_sum(taken) if values.shape.rank == 0 else taken

    def for_default() -> Tensor:
        return reduce_sum(gradient) - reduce_sum(gather_nd(gradient, places))

    return None, None, for_values, for_default


@gradient_of("SparseReduceSum")
def _sparse_reduce_sum(op: Operation, gradient: Tensor) -> Any:
    indices, _, whole, axes = op.inputs

    def for_values() -> Tensor:
        number = size(whole)
        places = floormod(reshape(axes, [-1]) + number, number)
        kept = dynamic_stitch([arange(number), places], [whole, ones_like(places, int64)])
        return gather_nd(reshape(gradient, kept), floordiv(indices, floordiv(whole, kept)))

    return None, for_values, None, None


@gradient_of("SparseTensorDenseMatMul")
def _sparse_tensor_dense_matmul(op: Operation, gradient: Tensor) -> Any:
    """Matrix: the transposed product; values: products of the rows that each one multiplied."""
    indices, values, whole, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")

    def for_values() -> Tensor:
        rows, columns = indices[:, 0], indices[:, 1]
        if adjoint_a:
            rows, columns = columns, rows
        matrix = adjoint(b) if adjoint_b else b
        products = gather(gradient, rows) * conj(gather(matrix, columns))
        total = reduce_sum(products, 1)
        return conj(total) if adjoint_a else total

    def for_b() -> Tensor:
        product = SPARSE_TENSOR_DENSE_MAT_MUL(
            indices, values, whole, gradient, adjoint_a=not adjoint_a
        )
        return adjoint(product) if adjoint_b else product

    return None, for_values, None, for_b


@gradient_of("SparseAdd")
def _sparse_add(op: Operation, _: Any, gradient: Tensor | None, *unread: Any) -> Any:
    if gradient is None:
        return [None] * 7
    a, b, total = op.inputs[0], op.inputs[3], op.outputs[0]
    for_a, for_b = raw_results("SparseAddGrad")(gradient, a, b, total)
    return None, for_a, None, None, for_b, None, None


@gradient_of("SparseTensorDenseAdd")
def _sparse_tensor_dense_add(op: Operation, gradient: Tensor) -> Any:
    return None, lambda: gather_nd(gradient, op.inputs[0]), None, gradient


@gradient_of("SparseSlice")
def _sparse_slice(op: Operation, _: Any, gradient: Tensor | None, *unread: Any) -> Any:
    if gradient is None:
        return [None] * 5
    indices, start, taken = op.inputs[0], op.inputs[3], op.outputs[0]
    return None, raw("SparseSliceGrad")(gradient, indices, start, taken), None, None, None


@gradient_of("SparseFillEmptyRows")
def _sparse_fill_empty_rows(op: Operation, _: Any, gradient: Tensor | None, *unread: Any) -> Any:
    if gradient is None:
        return [None] * 4
    for_values, for_default = raw_results("SparseFillEmptyRowsGrad")(op.outputs[3], gradient)
    return None, for_values, None, for_default


@gradient_of("SparseDenseCwiseAdd")
def _sparse_dense_add(op: Operation, gradient: Tensor) -> Any:
    return None, gradient, None, lambda: _to_dense(op, gradient)


@gradient_of("SparseDenseCwiseMul")
def _sparse_dense_mul(op: Operation, gradient: Tensor) -> Any:
    values = op.inputs[1]

    def for_values() -> Tensor:
        return gradient * conj(_of_dense(op))

    return None, for_values, None, lambda: _to_dense(op, gradient * conj(values))


@gradient_of("SparseDenseCwiseDiv")
def _sparse_dense_div(op: Operation, gradient: Tensor) -> Any:
    def for_values() -> Tensor:
        return gradient / conj(_of_dense(op))

    def for_dense() -> Tensor:
        return _to_dense(op, -gradient * conj(op.outputs[0] / _of_dense(op)))

    return None, for_values, None, for_dense


def _sizes_of_dense(op: Operation) -> Tensor:
    """The shape of the dense input, which is broadcast, with as many sizes as the sparse one."""
    whole, dense = op.inputs[2:]
    sizes = shape(dense, out_type=int64)
    return concat([ones_like(whole)[: size(whole) - size(sizes)], sizes], 0)


def _of_dense(op: Operation) -> Tensor:
    sizes = _sizes_of_dense(op)
    return gather_nd(reshape(op.inputs[3], sizes), minimum(op.inputs[0], sizes - 1))


def _to_dense(op: Operation, gradient: Tensor) -> Tensor:
    sizes = _sizes_of_dense(op)
    total = scatter_nd(minimum(op.inputs[0], sizes - 1), gradient, sizes)
    return reshape(total, shape(op.inputs[3]))


@gradient_of("SparseSoftmax")
def _sparse_softmax(op: Operation, gradient: Tensor) -> Any:
    indices, _, whole = op.inputs
    y = op.outputs[0]

    def for_values() -> Tensor:
        total = sparse_reduce_sum(SparseTensor(indices, y * gradient, whole), [-1], keepdims=True)
        return y * raw("SparseDenseCwiseAdd")(indices, gradient, whole, -total)

    return None, for_values, None


not_differentiable("SparseConcat", "EditDistance")
undefined(
    "TensorFlow has none either",
    "DeserializeManySparse",
    "DeserializeSparse",
    "SparseReduceMax",
    "SparseReduceMaxSparse",
    "SparseReduceSumSparse",
    "SparseSparseMaximum",
    "SparseSparseMinimum",
    "SparseSplit",
)
undefined(
    "TensorFlow has none of the second order of sparse tensors either",
    "SparseAddGrad",
    "SparseSliceGrad",
    "SparseFillEmptyRowsGrad",
)
