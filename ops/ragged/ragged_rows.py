"""Ragged tensors made of numbers and of rows of other ones: RaggedRange and RaggedGather."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from ..indexing.gather import in_range, out_of_range
from ..strings.unicode import check_splits

if TYPE_CHECKING:
    from ...graph.op_def import Results

RAGGED_RANGE: OpDef[Results] = OpDef(
    "RaggedRange",
    "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
    "T: {bfloat16, float32, float64, int32, int64} = int32, Tsplits: {int32, int64} = int64",
)
RAGGED_GATHER: OpDef[Results] = OpDef(
    "RaggedGather",
    "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, "
    "indices: Tindices -> output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, "
    "output_dense_values: Tvalues",
    "Tvalues: type, Tindices: {int32, int64}, Tsplits: {int32, int64} = int64, "
    "PARAMS_RAGGED_RANK: int >= 1, OUTPUT_RAGGED_RANK: int >= 0",
)
_RANGE_INPUTS = ("starts", "limits", "deltas")


@RAGGED_RANGE.shape
def _range_shape(c: ShapeContext) -> list[TensorShape]:
    rows = [c.shape(name, max_rank=1) for name in _RANGE_INPUTS]
    vectors = [shape for shape in rows if shape.rank == 1]
    if not vectors:
        number = 1 if all(shape.rank == 0 for shape in rows) else None
    else:
        sizes = c.merged("starts, limits and deltas", vectors).sizes
        number = sizes[0] if sizes else None  # type: ignore[assignment]
    return [TensorShape.of((None if number is None else number + 1,)), TensorShape([None])]


@RAGGED_RANGE.fresh_kernel
def _range_kernel(c: KernelContext) -> Kernel:
    dtype, splits_dtype = c.attr("T").numpy_dtype, c.attr("Tsplits").numpy_dtype

    def ragged_range(starts: Array, limits: Array, deltas: Array) -> tuple[Array, Array]:
        bounds = (starts, limits, deltas)
        lengths = {len(x) for x in bounds if x.ndim == 1}
        if max(x.ndim for x in bounds) > 1 or len(lengths) > 1:
            raise ValueError(
                "starts, limits and deltas must be scalars or vectors of one length, got shapes "
                f"{', '.join(str(list(x.shape)) for x in bounds)}"
            )
        rows: Any = [np.broadcast_to(x, tuple(lengths or {1})).tolist() for x in bounds]
        counts = [_count(*row) for row in zip(*rows, range(len(rows[0])), strict=True)]
        ends = np.cumsum([0, *counts], dtype=np.int64)
        if sum(counts) > np.iinfo(splits_dtype).max:
            raise ValueError(f"{sum(counts)} values are more than {splits_dtype} can count")
        check_size([sum(counts)], dtype)
        values = [
            (start + np.arange(count) * delta).astype(dtype)
            for start, delta, count in zip(rows[0], rows[2], counts, strict=True)
        ]
        joined = np.concatenate([np.zeros(0, dtype), *values])
        return ends.astype(splits_dtype), joined

    return ragged_range


def _count(start: Any, limit: Any, delta: Any, row: int) -> int:
    """Number of values in a row.

    Raises:
        ValueError: the step is 0, or the range is infinite.
    """
    if delta == 0:
        raise ValueError(f"deltas[{row}] must not be 0")
    if isinstance(delta, int):
        return len(range(start, limit, delta))
    number = np.ceil((limit - start) / delta)
    if not np.isfinite(number):
        raise ValueError(f"row {row} from {start} to {limit} by {delta} has no end")
    return max(0, int(number))


@RAGGED_GATHER.shape
def _gather_shape(c: ShapeContext) -> list[TensorShape]:
    indices, values = c.shape("indices"), c.shape("params_dense_values", min_rank=1)
    for splits in c.shapes("params_nested_splits"):
        splits.with_rank(1)
    number = c.attr("OUTPUT_RAGGED_RANK")
    if indices.rank is not None and indices.rank - 1 + c.attr("PARAMS_RAGGED_RANK") != number:
        raise ValueError(
            f"OUTPUT_RAGGED_RANK must be {indices.rank - 1 + c.attr('PARAMS_RAGGED_RANK')} for "
            f"indices of rank {indices.rank}, got {number}"
        )
    some = TensorShape([None])
    return [*[some] * number, some + values[1:]]


@RAGGED_GATHER.fresh_kernel
def _gather_kernel(c: KernelContext) -> Kernel:
    depth, number = c.attr("PARAMS_RAGGED_RANK"), c.attr("OUTPUT_RAGGED_RANK")
    splits_dtype = c.attr("Tsplits").numpy_dtype

    def gather(*parts: Array) -> tuple[Array, ...]:
        splits, (values, indices) = parts[:depth], parts[depth:]
        check_nested(splits, values, "params_nested_splits")
        if not indices.ndim or indices.ndim - 1 + depth != number:
            raise ValueError(
                f"indices must have rank {number - depth + 1} for OUTPUT_RAGGED_RANK = {number}, "
                f"got shape {list(indices.shape)}"
            )
        rows = indices.ravel()
        if not in_range(rows, len(splits[0]) - 1):
            raise out_of_range("indices", indices, len(splits[0]) - 1)
        outer = [
            np.arange(int(np.prod(indices.shape[: i + 1])) + 1) * indices.shape[i + 1]
            for i in range(indices.ndim - 1)
        ]
        inner = []
        for ends in splits:
            lengths = np.diff(ends)[rows]
            inner.append(np.cumsum(np.append(0, lengths), dtype=np.int64))
            check_size([int(inner[-1][-1])], np.dtype(np.int64))
            within = np.arange(inner[-1][-1]) - np.repeat(inner[-1][:-1], lengths)
            rows = np.repeat(ends[rows], lengths) + within
        check_size([len(rows), *values.shape[1:]], values.dtype)
        found = [part.astype(splits_dtype) for part in (*outer, *inner)]
        return (*found, values[rows])

    return gather


def check_nested(splits: Sequence[Array], values: Array, name: str) -> None:
    """Checks that splits, the outermost first, fit each other and the values.

    Raises:
        ValueError: they do not.
    """
    if not values.ndim:
        raise ValueError("the dense values must have rank at least 1, got a scalar")
    counts = [*(len(inner) - 1 for inner in splits[1:]), len(values)]
    for i, (ends, count) in enumerate(zip(splits, counts, strict=True)):
        check_splits(ends, count, f"{name}[{i}]")
