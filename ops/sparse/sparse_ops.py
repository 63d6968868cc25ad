"""Sparse tensors: made dense, multiplied and put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size, new_array, new_zeros
from ..common.elementwise import COMPLEX, FLOATS
from ..indexing.gather_nd import Places
from .sparse_parts import as_sparse, check_shapes, parts_named

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {
    "td": ("sparse_reorder sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense"),
    "td.sparse": (
        "matmul=sparse_tensor_dense_matmul reorder=sparse_reorder "
        "sparse_dense_matmul=sparse_tensor_dense_matmul to_dense=sparse_tensor_to_dense"
    ),
}

SPARSE_TO_DENSE = OpDef(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T "
    "-> dense: T",
    "validate_indices: bool = true, T: type, Tindices: {int32, int64}",
)
SPARSE_TENSOR_DENSE_MAT_MUL = OpDef(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
    f"T: {{{FLOATS}, int32, {COMPLEX}}}, Tindices: {{int32, int64}} = int64, "
    "adjoint_a: bool = false, adjoint_b: bool = false",
)
_BLOCK = 1 << 17  # elements
_PARTS = "input_indices: int64, input_values: T, input_shape: int64"
SPARSE_REORDER: OpDef[Results] = OpDef(
    "SparseReorder", f"{_PARTS} -> output_indices: int64, output_values: T", "T: type"
)


@SPARSE_TO_DENSE.shape
def _sparse_to_dense_shape(c: ShapeContext) -> TensorShape:
    c.shape("sparse_indices", max_rank=2)
    c.shape("sparse_values", max_rank=1)
    c.shape("default_value", rank=0)
    return shape_from_value(c, "output_shape")


@SPARSE_TO_DENSE.view_kernel
def _sparse_to_dense_kernel(c: KernelContext) -> Kernel:
    validate = c.attr("validate_indices")

    def sparse_to_dense(indices: Array, shape: Array, values: Array, default: Array) -> Array:
        if indices.ndim > 2 or values.ndim > 1 or default.ndim or shape.ndim != 1:
            raise ValueError(
                "sparse_indices, output_shape, sparse_values and default_value must have ranks of "
                f"at most 2, 1, 1 and 0, got {indices.ndim}, {shape.ndim}, {values.ndim} and "
                f"{default.ndim}"
            )
        rows = indices.reshape(-1, indices.shape[1] if indices.ndim == 2 else 1)
        dense = new_array(shape.tolist(), values.dtype)
        dense[...] = default
        places = _places(rows, dense.shape, "sparse_indices", in_order=validate)
        if values.ndim and len(values) != len(rows):
            raise ValueError(
                f"sparse_values must be one value, or one for each of the {len(rows)} indices, got "
                f"{len(values)}"
            )
        dense.reshape(-1)[places] = values
        return dense

    return sparse_to_dense


def _places(rows: Array, sizes: tuple[int, ...], name: str, *, in_order: bool = False) -> Array:
    """The numbers of the elements that `rows`, indices of shape [n, rank], name.

    Raises:
        ValueError: the rank is another, or an index is out of range; with `in_order`, one does not
            come after the one before it.
    """
    if rows.shape[1] != len(sizes):
        raise ValueError(
            f"{name} must hold {len(sizes)} numbers for each element of a tensor of shape "
            f"{list(sizes)}, got {rows.shape[1]}"
        )
    if not sizes:
        return np.zeros(len(rows), np.intp)
    places = Places(rows, sizes, skip=False).flat().astype(np.intp)
    if in_order and (places[1:] <= places[:-1]).any():
        late = int((places[1:] <= places[:-1]).argmax()) + 1
        what = "is repeated" if places[late] == places[late - 1] else "is out of order"
        raise ValueError(
            f"{name}[{late}] = {rows[late].tolist()} {what}; with validate_indices=False it may be"
        )
    return places


def _sparse(indices: Array, values: Array, shape: Array, name: str) -> Array:
    """The numbers of the elements that a sparse tensor stores.

    Raises:
        ValueError: its three parts do not fit together.
    """
    if indices.ndim != 2 or values.ndim != 1 or shape.ndim != 1 or len(values) != len(indices):
        raise ValueError(
            f"{name}_indices, {name}_values and {name}_shape must be of shapes [n,rank], [n] and "
            f"[rank], got {list(indices.shape)}, {list(values.shape)} and {list(shape.shape)}"
        )
    return _places(indices, check_size(shape.tolist(), np.dtype(np.bool_)), f"{name}_indices")


@SPARSE_TENSOR_DENSE_MAT_MUL.shape
def _mat_mul_shape(c: ShapeContext) -> TensorShape:
    check_shapes(c, parts_named("a"))
    b = c.shape("b", rank=2).sizes
    a = shape_from_value(c, "a_shape").sizes
    if a is not None and len(a) != 2:
        raise ValueError(f"a_shape must hold two sizes, got {len(a)}")
    rows, inner = (a or (None, None))[:: -1 if c.attr("adjoint_a") else 1]
    other, columns = (b or (None, None))[:: -1 if c.attr("adjoint_b") else 1]
    if inner is not None and other is not None:
        c.same_size("the inner sizes of a and b", inner, other)
    return TensorShape.of((rows, columns))


@SPARSE_TENSOR_DENSE_MAT_MUL.view_kernel
def _mat_mul_kernel(c: KernelContext) -> Kernel:
    adjoint_a, adjoint_b = c.attr("adjoint_a"), c.attr("adjoint_b")

    def mat_mul(indices: Array, values: Array, shape: Array, b: Array) -> Array:
        _sparse(indices, values, shape, "a")
        sizes = shape.tolist()
        if len(sizes) != 2 or b.ndim != 2:
            raise ValueError(f"a and b must be matrices, got shapes {sizes} and {list(b.shape)}")
        rows, columns = indices.T
        if adjoint_a:
            rows, columns, values, sizes = columns, rows, values.conj(), sizes[::-1]
        if adjoint_b:
            b = b.conj().T
        if sizes[1] != len(b):
            raise ValueError(
                f"the inner sizes of a and b must be equal, got {sizes[1]} and {len(b)}"
            )
        product = new_zeros((sizes[0], b.shape[1]), b.dtype)
        if b.dtype.itemsize == 2:
            np.add.at(product, rows, values[:, np.newaxis] * b[columns])
            return product
        if (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            rows, columns, values = rows[order], columns[order], values[order]
        step = max(1, _BLOCK // max(1, b.shape[1]))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            added = b[columns[start : start + step]]
            added *= values[start : start + step, np.newaxis]
            firsts = np.flatnonzero(np.append(True, part[1:] != part[:-1]))
            product[part[firsts]] += np.add.reduceat(added, firsts, 0, b.dtype)
        return product

    return mat_mul


@SPARSE_REORDER.shape
def _sparse_reorder_shape(c: ShapeContext) -> list[TensorShape]:
    check_shapes(c, parts_named("input"))
    return [c.shape("input_indices", rank=2), c.shape("input_values", rank=1)]


@SPARSE_REORDER.view_kernel
def _sparse_reorder_kernel(c: KernelContext) -> Kernel:

    def reorder(indices: Array, values: Array, shape: Array) -> tuple[Array, Array]:
        order = np.argsort(_sparse(indices, values, shape, "input"), kind="stable")
        return indices[order], values[order]

    return reorder


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor that holds given values at given indices, and another value everywhere else.

    Args:
        sparse_indices: int32 or int64 tensor of shape [n, rank]; of shape [n] for a vector.
        output_shape: vector of the same dtype: the shape of the result.
        sparse_values: vector of n values, or one value for all indices.
        default_value: what stands everywhere else, of rank 0.
        validate_indices: whether indices that are repeated or not in order are refused; otherwise
            the last of those that are the same counts.
        name: a name for the op.

    Returns:
        A Tensor of shape `output_shape` and the dtype of `sparse_values`.

    Raises:
        InvalidArgumentError: when it runs, an index is outside of `output_shape`, repeated or out
            of order.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.sparse_to_dense([[0, 1], [1, 0]], [2, 3], [5, 6], -1)))
        [[-1  5 -1]
         [ 6 -1 -1]]
    """
    given = (sparse_indices, output_shape, sparse_values, default_value)
    return SPARSE_TO_DENSE(*given, validate_indices=validate_indices, name=name)


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """A sparse tensor as a dense one.

    Args:
        sp_input: a SparseTensor.
        default_value: what stands where it stores nothing; by default zero, or an empty string.
        validate_indices: as for `td.sparse_to_dense`.
        name: a name for the op.

    Returns:
        A Tensor.

    Raises:
        TypeError: `sp_input` is no SparseTensor.
        InvalidArgumentError: as for `td.sparse_to_dense`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     words = td.string_split(["to be", "or"])
        ...     print(session.run(td.sparse_tensor_to_dense(words, "-")))
        [[b'to' b'be']
         [b'or' b'-']]
    """
    sparse = as_sparse(sp_input)
    if default_value is None:
        default_value = "" if sparse.dtype.base_dtype.name == "string" else 0
    parts = (sparse.indices, sparse.dense_shape, sparse.values)
    return sparse_to_dense(*parts, default_value, validate_indices, name)


def sparse_tensor_dense_matmul(
    sp_a: Any,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a sparse matrix and a dense one.

    Args:
        sp_a: a SparseTensor of rank 2.
        b: a matrix of the same dtype.
        adjoint_a: whether `sp_a` is transposed, and conjugated if complex.
        adjoint_b: whether `b` is.
        name: a name for the op.

    Returns:
        A Tensor.

    Raises:
        TypeError: `sp_a` is no SparseTensor.
        ValueError: the inner sizes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     a = td.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
        ...     print(session.run(td.sparse_tensor_dense_matmul(a, [[1.0, 2.0], [3.0, 4.0]])))
        [[6. 8.]
         [3. 6.]]
    """
    a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [a.indices, a.values, b]) as scope:
        parts = (a.indices, a.values, a.dense_shape, convert_to_tensor(b, a.dtype, "b"))
        return SPARSE_TENSOR_DENSE_MAT_MUL(
            *parts, adjoint_a=adjoint_a, adjoint_b=adjoint_b, name=scope
        )


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose values are in the order of their indices, the first index first.

    Args:
        sp_input: a SparseTensor.
        name: a name for the op.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: `sp_input` is no SparseTensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[1, 0], [0, 1]], [6, 5], [2, 2])
        ...     session.run(td.sparse_reorder(x)).values.tolist()
        [5, 6]
    """
    sparse = as_sparse(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    indices, values = SPARSE_REORDER(*parts, name=name)
    return SparseTensor(indices, values, sparse.dense_shape)
