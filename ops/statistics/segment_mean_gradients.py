"""The gradients of sums and means of rows that indices choose.

There are no public functions; graphs that TensorFlow differentiated hold these ops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, fresh_vector
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..common.elementwise import FLOATS

if TYPE_CHECKING:
    from ...graph.op_def import Results


def _define(op: str, weight: Callable[[Array], Array] | None) -> None:
    """Two ops that give row number `indices[i]` the gradient of segment `segment_ids[i]`.

    One gives all rows; the other one, of version 2, those that `indices` name, and their numbers.
    `weight` is what a row counts in a segment of so many rows.
    """
    index = "{int32, int64} = int32"
    types = f"T: {{{FLOATS}}}, Tidx: {index}, Tsegmentids: {index}"
    read = "grad: T, indices: Tidx, segment_ids: Tsegmentids"
    dense = OpDef(op, f"{read}, output_dim0: int32 -> output: T", types)
    compact: OpDef[Results] = OpDef(
        f"{op}V2",
        f"{read}, dense_output_dim0: int32 -> output: T, sorted_unique_indices: Tidx",
        types,
    )

    @dense.shape
    def dense_shape(c: ShapeContext) -> TensorShape:
        return _shape(c, "output_dim0")

    @compact.shape
    def compact_shape(c: ShapeContext) -> list[TensorShape]:
        sizes = _shape(c, "dense_output_dim0").sizes
        rows = fresh_vector().sizes or (None,)
        whole = UNKNOWN_SHAPE if sizes is None else TensorShape.of((*rows, *sizes[1:]))
        return [whole, TensorShape.of(rows)]

    @dense.kernel
    def dense_kernel(c: KernelContext) -> Kernel:

        def gradient(grad: Array, indices: Array, ids: Array, number: Array) -> Array:
            _check_all(grad, indices, ids, int(number))
            return _added(weight, grad, indices, ids, int(number))

        return gradient

    @compact.kernel
    def compact_kernel(c: KernelContext) -> Kernel:

        def gradient(grad: Array, indices: Array, ids: Array, number: Array) -> tuple[Array, Array]:
            _check_all(grad, indices, ids, int(number))
            rows, places = np.unique(indices, return_inverse=True)
            return _added(weight, grad, places, ids, len(rows)), rows

        return gradient


def _shape(c: ShapeContext, number_name: str) -> TensorShape:
    c.merged("indices and segment_ids", [c.shape("indices", rank=1), c.shape("segment_ids")])
    c.shape(number_name, rank=0)
    sizes = c.shape("grad", min_rank=1).sizes
    number = c.scalar(number_name)
    if isinstance(number, int) and number < 0:
        raise ValueError(f"{number_name} = {number} must not be negative")
    if sizes is None:
        return UNKNOWN_SHAPE
    return TensorShape.of((TensorShape([number]).sizes or ())[:1] + sizes[1:])


def _check_all(grad: Array, indices: Array, ids: Array, number: int) -> None:
    if grad.ndim < 1 or indices.ndim != 1 or indices.shape != ids.shape:
        raise ValueError(
            "indices and segment_ids must be vectors of one length, got shapes "
            f"{list(indices.shape)} and {list(ids.shape)}"
        )
    _check("segment_ids", ids, len(grad))
    _check("indices", indices, number)


def _added(
    weight: Callable[[Array], Array] | None,
    grad: Array,
    places: Array,
    ids: Array,
    number: int,
) -> Array:
    """So many rows, to which those of the segments are added at `places`."""
    dtype = grad.dtype
    inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
    total = np.zeros(check_size((number, *grad.shape[1:]), dtype), inner)
    rows = grad[ids].astype(inner)
    if weight is not None:
        counts = np.bincount(ids, minlength=len(grad)).astype(inner)
        weights = weight(np.maximum(counts, 1))[ids]
        rows = rows * weights.reshape(-1, *[1] * (grad.ndim - 1)).astype(inner)
    np.add.at(total, places, rows)
    return total.astype(dtype, copy=False)


def _check(name: str, numbers: Array, end: int) -> None:
    wrong = (numbers < 0) | (numbers >= end)
    if wrong.any():
        place = int(wrong.argmax())
        raise ValueError(f"{name}[{place}] = {numbers[place]} is not in [0, {end})")


_define("SparseSegmentSumGrad", None)
_define("SparseSegmentMeanGrad", lambda counts: 1 / counts)
_define("SparseSegmentSqrtNGrad", lambda counts: 1 / np.sqrt(counts))
