"""Sparse tensors made dense, and their indices put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size, new_array
from ..indexing.gather_nd import Places
from .sparse_components import as_sparse, check_shapes, parts_named

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {
    "td": "sparse_reorder sparse_tensor_to_dense sparse_to_dense",
    "td.sparse": "reorder=sparse_reorder to_dense=sparse_tensor_to_dense",
}

SPARSE_TO_DENSE = OpDef(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T "
    "-> dense: T",
    "validate_indices: bool = true, T: type, Tindices: {int32, int64}",
)
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
        places = _positions(rows, dense.shape, "sparse_indices", in_order=validate)
        if values.ndim and len(values) != len(rows):
            raise ValueError(
                f"sparse_values must be one value, or one for each of the {len(rows)} indices, got "
                f"{len(values)}"
            )
        dense.reshape(-1)[places] = values
        return dense

    return sparse_to_dense


def _positions(rows: Array, sizes: tuple[int, ...], name: str, *, in_order: bool = False) -> Array:
    """Flat positions of the elements at `rows`, indices of shape [n, rank].

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


def checked_positions(indices: Array, values: Array, shape: Array, name: str) -> Array:
    """Flat positions of the elements that a sparse tensor stores.

    Raises:
        ValueError: its three parts do not fit together.
    """
    if indices.ndim != 2 or values.ndim != 1 or shape.ndim != 1 or len(values) != len(indices):
        raise ValueError(
            f"{name}_indices, {name}_values and {name}_shape must be of shapes [n,rank], [n] and "
            f"[rank], got {list(indices.shape)}, {list(values.shape)} and {list(shape.shape)}"
        )
    return _positions(indices, check_size(shape.tolist(), np.dtype(np.bool_)), f"{name}_indices")


@SPARSE_REORDER.shape
def _sparse_reorder_shape(c: ShapeContext) -> list[TensorShape]:
    check_shapes(c, parts_named("input"))
    return [c.shape("input_indices", rank=2), c.shape("input_values", rank=1)]


@SPARSE_REORDER.view_kernel
def _sparse_reorder_kernel(c: KernelContext) -> Kernel:

    def reorder(indices: Array, values: Array, shape: Array) -> tuple[Array, Array]:
        order = np.argsort(checked_positions(indices, values, shape, "input"), kind="stable")
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
        default_value: value everywhere else, of rank 0.
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
    arguments = (sparse_indices, output_shape, sparse_values, default_value)
    return SPARSE_TO_DENSE(*arguments, validate_indices=validate_indices, name=name)


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """Converts a sparse tensor to a dense one.

    Args:
        sp_input: a SparseTensor.
        default_value: value where nothing is stored; by default zero, or an empty string.
        validate_indices: as for `td.sparse_to_dense`.
        name: a name for the op.

    Returns:
        A Tensor.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
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


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Sorts the entries of a sparse tensor in row-major order.

    Args:
        sp_input: a SparseTensor.
        name: a name for the op.

    Returns:
        A SparseTensor.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.

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
