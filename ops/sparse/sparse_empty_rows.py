"""Filling of empty rows of sparse tensors, with TensorFlow's gradient op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from .sparse_components import as_sparse, check_indices, check_shapes

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {"td": "sparse_fill_empty_rows", "td.sparse": "fill_empty_rows=sparse_fill_empty_rows"}

SPARSE_FILL_EMPTY_ROWS: OpDef[Results] = OpDef(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, "
    "output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    "T: type",
)
SPARSE_FILL_EMPTY_ROWS_GRAD: OpDef[Results] = OpDef(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
    "T: type",
)
_PARTS = ("indices", "values", "dense_shape")


@SPARSE_FILL_EMPTY_ROWS.shape
def _fill_empty_rows_shape(c: ShapeContext) -> list[TensorShape]:
    check_shapes(c, _PARTS)
    c.shape("default_value", rank=0)
    rows = (shape_from_value(c, "dense_shape").sizes or (None,))[:1]
    number, rank = c.shape("indices", rank=2).sizes or (None, None)
    indices_shape = TensorShape.of((None, rank))
    return [indices_shape, TensorShape([None]), TensorShape.of(rows), TensorShape.of((number,))]


@SPARSE_FILL_EMPTY_ROWS.fresh_kernel
def _fill_empty_rows_kernel(c: KernelContext) -> Kernel:

    def fill(
        indices: Array, values: Array, shape: Array, default: Array
    ) -> tuple[Array, Array, Array, Array]:
        check_indices(indices, values, shape, _PARTS)
        if not len(shape):
            raise ValueError("dense_shape must have rows, got []")
        if default.ndim:
            raise ValueError(f"default_value must be a scalar, got shape {list(default.shape)}")
        rows = int(shape[0])
        check_size((rows + len(indices), len(shape)), indices.dtype)
        check_size((rows + len(indices),), values.dtype)
        empty = np.ones(rows, np.bool_)
        empty[indices[:, 0]] = False
        if not empty.any() and (indices[1:, 0] >= indices[:-1, 0]).all():
            return indices.copy(), values.copy(), empty, np.arange(len(indices))
        added = np.zeros((int(empty.sum()), len(shape)), np.int64)
        added[:, 0] = np.flatnonzero(empty)
        whole = np.concatenate([indices, added])
        order = np.argsort(whole[:, 0], kind="stable")
        places = np.empty(len(whole), np.int64)
        places[order] = np.arange(len(whole))
        filled = np.concatenate([values, np.full(len(added), default, values.dtype)])
        return whole[order], filled[order], empty, places[: len(indices)].copy()

    return fill


@SPARSE_FILL_EMPTY_ROWS_GRAD.shape
def _fill_empty_rows_grad_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("grad_values", rank=1)
    return [c.shape("reverse_index_map", rank=1), TensorShape([])]


@SPARSE_FILL_EMPTY_ROWS_GRAD.fresh_kernel
def _fill_empty_rows_grad_kernel(c: KernelContext) -> Kernel:

    def fill_grad(places: Array, gradient: Array) -> tuple[Array, Array]:
        if places.ndim != 1 or gradient.ndim != 1:
            raise ValueError(
                "reverse_index_map and grad_values must be vectors, got shapes "
                f"{list(places.shape)} and {list(gradient.shape)}"
            )
        outside = (places < 0) | (places >= len(gradient))
        if outside.any():
            first = int(outside.argmax())
            raise ValueError(
                f"reverse_index_map[{first}] = {places[first]} is not in [0, {len(gradient)})"
            )
        added = np.ones(len(gradient), np.bool_)
        added[places] = False
        return gradient[places], np.asarray(gradient[added].sum(dtype=gradient.dtype))

    return fill_grad


def sparse_fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Fills the empty rows of a sparse tensor with a default value.

    As in TensorFlow 1.15: an empty row gets `default_value` at its beginning.

    Args:
        sp_input: a SparseTensor.
        default_value: a scalar of the dtype of `sp_input`.
        name: a name for the op.

    Returns:
        The SparseTensor, whose rows are in order, and a bool vector that marks which rows were
        empty.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
        ValueError: `default_value` is not a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
        ...     filled, empty = session.run(td.sparse_fill_empty_rows(x, -1))
        ...     print(filled.values, empty)
        [ 5 -1  6] [False  True False]
    """
    x = as_sparse(sp_input)
    default = convert_to_tensor(default_value, x.values.dtype, "default_value")
    with name_scope(name, "SparseFillEmptyRows", [x.values]):
        indices, values, empty, _ = SPARSE_FILL_EMPTY_ROWS(
            x.indices, x.values, x.dense_shape, default
        )
        return SparseTensor(indices, values, x.dense_shape), empty
