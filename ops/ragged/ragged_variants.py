"""Ragged tensors as single values, of which arrays consist: what loops over their rows make.

`tf.map_fn` of TensorFlow 2 takes a ragged tensor apart into a vector of such values, one a row,
and puts those that its function gives together again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR, UNKNOWN_SHAPE
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import check_size
from .ragged_rows import check_nested

if TYPE_CHECKING:
    from ...graph.op_def import Results

RAGGED_TENSOR_TO_VARIANT = OpDef(
    "RaggedTensorToVariant",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
    "RAGGED_RANK: int >= 0, Tvalues: type, Tsplits: {int32, int64} = int64, batched_input: bool",
    traits=Traits(misstated=(0,)),
)
RAGGED_TENSOR_FROM_VARIANT: OpDef[Results] = OpDef(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> "
    "output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
    "input_ragged_rank: int >= -1, output_ragged_rank: int >= 0, Tvalues: type, "
    "Tsplits: {int32, int64} = int64",
)


class RaggedVariant:
    """A ragged tensor, or one without rows of different lengths, as an element of an array.

    Args:
        splits: where rows begin and end, the outermost first.
        values: their values.
    """

    __slots__ = ("splits", "values")

    def __init__(self, splits: Sequence[Array], values: Array) -> None:
        self.splits = tuple(splits)
        self.values = values

    def __len__(self) -> int:
        return len(self.splits[0]) - 1 if self.splits else len(self.values)

    def row(self, index: int) -> RaggedVariant:
        """One of its rows, without the dimension of rows."""
        if not self.splits:
            return RaggedVariant((), self.values[index])
        begin, end = (int(place) for place in self.splits[0][index : index + 2])
        inner = []
        for splits in self.splits[1:]:
            part = splits[begin : end + 1]
            inner.append(part - part[0])
            begin, end = int(part[0]), int(part[-1])
        return RaggedVariant(inner, self.values[begin:end])


@RAGGED_TENSOR_TO_VARIANT.shape
def _to_variant_shape(c: ShapeContext) -> TensorShape:
    splits = [shape.with_rank(1) for shape in c.shapes("rt_nested_splits")]
    batched = c.attr("batched_input")
    values = c.shape("rt_dense_values", min_rank=1 if splits or batched else 0)
    if not batched:
        return SCALAR
    if not splits:
        return UNKNOWN_SHAPE if values.sizes is None else values[:1]
    ends: Any = splits[0].sizes
    return TensorShape.of((None if ends is None or ends[0] is None else ends[0] - 1,))


@RAGGED_TENSOR_TO_VARIANT.kernel
def _to_variant_kernel(c: KernelContext) -> Kernel:
    depth, batched = c.attr("RAGGED_RANK"), c.attr("batched_input")

    def to_variant(*parts: Array) -> Array:
        splits, values = parts[:depth], parts[depth]
        if depth:
            check_nested(splits, values, "rt_nested_splits")
        elif batched and not values.ndim:
            raise ValueError("rt_dense_values must have rank 1 or more, got a scalar")
        whole = RaggedVariant(splits, values)
        rows = [whole.row(i) for i in range(len(whole))] if batched else [whole]
        encoded = np.empty(len(rows), object)
        for i, row in enumerate(rows):
            encoded[i] = row
        return encoded if batched else encoded.reshape(())

    return to_variant


@RAGGED_TENSOR_FROM_VARIANT.shape
def _from_variant_shape(c: ShapeContext) -> list[TensorShape]:
    rank = c.shape("encoded_ragged").rank
    depth, inner = c.attr("output_ragged_rank"), c.attr("input_ragged_rank")
    if rank is not None:
        _inner_depth(rank, depth, inner)
    return [TensorShape([None])] * depth + [UNKNOWN_SHAPE]


def _inner_depth(rank: int, depth: int, inner: int) -> int:
    """Number of row splits of each element, for an array of a rank."""
    inner_rank = depth - rank if inner < 0 else inner
    if inner_rank < 0 or inner_rank + rank != depth:
        raise ValueError(
            f"output_ragged_rank must be input_ragged_rank plus the rank of encoded_ragged, got "
            f"{depth}, {inner} and {rank}"
        )
    return inner_rank


@RAGGED_TENSOR_FROM_VARIANT.kernel
def _from_variant_kernel(c: KernelContext) -> Kernel:
    depth, inner = c.attr("output_ragged_rank"), c.attr("input_ragged_rank")
    dtype, kind = c.attr("Tvalues").numpy_dtype, c.attr("Tsplits").numpy_dtype

    def from_variant(encoded: Array) -> Any:
        each = _inner_depth(encoded.ndim, depth, inner)
        rows = [_checked(row, each, dtype, kind) for row in encoded.ravel()]
        if not encoded.ndim:
            results = (*rows[0].splits, rows[0].values)
        else:
            results = (*_outer(encoded.shape, rows, kind), *_joined(rows, each, dtype, kind))
        return results if depth else results[0]

    return from_variant


def _checked(row: Any, depth: int, dtype: np.dtype[Any], kind: np.dtype[Any]) -> RaggedVariant:
    """An element, if it is a ragged tensor of this kind."""
    if not isinstance(row, RaggedVariant):
        raise ValueError("encoded_ragged must hold ragged tensors, got another variant")
    if row.values.dtype != dtype or any(splits.dtype != kind for splits in row.splits):
        raise ValueError(
            f"encoded_ragged must hold values of {dtype} and splits of {kind}, got values of "
            f"{row.values.dtype}"
        )
    if len(row.splits) != depth:
        raise ValueError(
            f"the elements of encoded_ragged must have {depth} splits, got {len(row.splits)}"
        )
    return row


def _outer(sizes: Sequence[int], rows: list[RaggedVariant], kind: np.dtype[Any]) -> list[Array]:
    """The splits of the dimensions of an array of rows, the last of which are those of the rows."""
    result = []
    for axis in range(1, len(sizes)):
        number = math.prod(sizes[:axis])
        check_size((number + 1,), kind)
        result.append((np.arange(number + 1) * sizes[axis]).astype(kind))
    if any(not row.splits and not row.values.ndim for row in rows):
        raise ValueError("the elements of encoded_ragged must have rank 1 or more, got a scalar")
    lengths = np.array([0, *map(len, rows)], np.int64)
    return [*result, np.cumsum(lengths).astype(kind)]


def _joined(
    rows: list[RaggedVariant], depth: int, dtype: np.dtype[Any], kind: np.dtype[Any]
) -> list[Array]:
    """The inner splits and the values of rows, one row behind the other."""
    if not rows:
        return [*[np.zeros(1, kind)] * depth, np.zeros(0, dtype)]
    result = []
    for i in range(depth):
        parts, end = [np.zeros(1, kind)], 0
        for row in rows:
            parts.append((row.splits[i][1:] + end).astype(kind))
            end += int(row.splits[i][-1])
        result.append(np.concatenate(parts))
    shapes = {row.values.shape[1:] for row in rows}
    if len(shapes) > 1:
        raise ValueError(
            "the values in encoded_ragged must have one inner shape, got "
            f"{' and '.join(str(list(shape)) for shape in sorted(shapes))}"
        )
    return [*result, np.concatenate([row.values for row in rows])]
