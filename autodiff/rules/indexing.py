"""Gradients of `ops/indexing`: gradients of gathered elements are scattered back and summed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.constant_value import constant_value
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.concat import concat
from ...ops.array.constants import zeros_like
from ...ops.array.pad import pad
from ...ops.array.ranges import range as arange
from ...ops.array.reshape import reshape, squeeze
from ...ops.array.shapes import shape, size
from ...ops.array.stack import stack
from ...ops.array.transpose import transpose
from ...ops.indexing.dynamic_partition import dynamic_partition, dynamic_stitch
from ...ops.indexing.gather import gather
from ...ops.indexing.gather_nd import SCATTER_ND, gather_nd
from ...ops.indexing.slice import slice
from ...ops.indexing.strided_slice import MASKS, STRIDED_SLICE, STRIDED_SLICE_GRAD
from ...ops.indexing.tensor_scatter import (
    TENSOR_SCATTER_ADD,
    TENSOR_SCATTER_UPDATE,
    TENSOR_STRIDED_SLICE_UPDATE,
)
from ...ops.math.arithmetic import add, multiply, subtract
from ...ops.math.comparison import equal
from ...ops.math.division import floormod
from ...ops.math.reductions import reduce_prod
from ...ops.math.segments import unsorted_segment_sum
from ...protos.dtypes import int32
from ..common.rule_tables import gradient_of, not_differentiable, undefined
from ..common.static_facts import known_sizes, same_shape, shape_of

not_differentiable("OneHot", "Empty")


# Slices ------------------------------------------------------------------------------------------


@gradient_of("Slice")
def _slice(op: Operation, gradient: Tensor) -> Any:
    x, begin, _ = op.inputs

    def for_input() -> Tensor:
        if same_shape(x, op.outputs[0]):  # a slice of all begins at 0
            return gradient
        dtype = begin.dtype
        sizes, taken = known_sizes(x), known_sizes(op.outputs[0])
        if sizes is not None and taken is not None:
            left: Any = np.subtract(sizes, taken).astype(dtype.numpy_dtype)
        else:
            left = subtract(shape(x, out_type=dtype), shape(gradient, out_type=dtype))
        back = pad(gradient, stack([begin, subtract(left, begin)], 1))
        back.set_shape(x.shape)
        return back

    return for_input, None, None


@gradient_of("StridedSlice")
def _strided_slice(op: Operation, gradient: Tensor) -> Any:
    x, *spec = op.inputs
    masks = {name: op.get_attr(name) for name in MASKS}
    if spec[0].dtype.size < int32.size:
        spec = [cast(item, int32) for item in spec]
    index = spec[0].dtype
    back = STRIDED_SLICE_GRAD(shape_of(x, index.numpy_dtype), *spec, gradient, **masks, Index=index)
    return back, None, None, None


@gradient_of("StridedSliceGrad")
def _strided_slice_grad(op: Operation, gradient: Tensor) -> Any:
    masks = {name: op.get_attr(name) for name in MASKS}
    taken = STRIDED_SLICE(gradient, *op.inputs[1:4], **masks)
    return None, None, None, None, taken


# Rows and elements by number ---------------------------------------------------------------------


@gradient_of("Gather")
def _gather(op: Operation, gradient: Tensor) -> Any:
    return rows_of(op.inputs[0], op.inputs[1], gradient), None


def rows_of(params: Tensor, indices: Tensor, gradient: Tensor) -> IndexedSlices:
    """The gradient of `params`, of which rows were gathered: slices, with repeated rows in it."""
    whole = shape_of(params)
    return slices_of(whole, params.shape, indices, gradient)


def slices_of(whole: Any, static: Any, indices: Tensor, gradient: Tensor) -> IndexedSlices:
    """Slices of a tensor of shape `whole`, of which `static` is known before the run."""
    sizes = static.sizes
    if indices.shape.rank != 1:
        if sizes is not None and all(isinstance(item, int) and item for item in sizes[1:]):
            gradient = reshape(gradient, [-1, *map(int, sizes[1:])])
        else:
            number = reshape(size(indices), [1])
            gradient = reshape(gradient, concat([number, whole[1:]], 0))
        indices = reshape(indices, [-1])
    return IndexedSlices(gradient, indices, whole)


@gradient_of("GatherV2")
def _gather_v2(op: Operation, gradient: Tensor) -> Any:
    params, indices, axis = op.inputs
    place = constant_value(axis)
    batch = op.get_attr("batch_dims") if "batch_dims" in op.attrs else 0
    if place == 0 and not batch:
        return rows_of(params, indices, gradient), None, None
    return lambda: _gathered_along(params, indices, axis, batch, gradient), None, None


def _gathered_along(
    params: Tensor, indices: Tensor, axis: Tensor, batch: int, gradient: Tensor
) -> Tensor:
    """Scatters gradients of gathered slices back and sums them, batch and axis first.

    `params` is [batch..., outer..., n, inner...], the gradient [batch..., outer..., indices...,
    inner...]: they become rows of [outer * inner], numbered by batch and index.
    """
    if batch < 0:
        if indices.shape.rank is None:
            raise ValueError(
                f"with batch_dims = {batch} the gradient needs indices of a known rank"
            )
        batch += indices.shape.rank
    sizes = shape(params)
    number = size(sizes)
    axis = floormod(cast(axis, sizes.dtype), number)
    outer, inner = slice(sizes, [0], reshape(axis, [1])), slice(sizes, reshape(axis + 1, [1]), [-1])
    length = gather(sizes, axis)
    lead = sizes[:batch]
    batches = reduce_prod(lead, 0)
    # Each row of indices counts in the part of its batch.
    flat = cast(reshape(indices, stack([batches, -1])), sizes.dtype)
    flat = reshape(add(flat, multiply(reshape(arange(batches), [-1, 1]), length)), [-1])
    taken = shape(indices)[batch:]
    per = reduce_prod(taken, 0)
    rest, tail = reduce_prod(outer[batch:], 0), reduce_prod(inner, 0)
    rows = transpose(reshape(gradient, stack([batches, rest, per, tail])), [0, 2, 1, 3])
    total = unsorted_segment_sum(
        reshape(rows, stack([multiply(batches, per), rest, tail])),
        flat,
        multiply(batches, length),
    )
    back = transpose(reshape(total, stack([batches, length, rest, tail])), [0, 2, 1, 3])
    return reshape(back, sizes)


@gradient_of("GatherNd")
def _gather_nd(op: Operation, gradient: Tensor) -> Any:
    params, indices = op.inputs
    whole = shape_of(params, indices.dtype.numpy_dtype)
    policy = {name: op.get_attr(name) for name in ("bad_indices_policy",) if name in op.attrs}
    strict = b"IGNORE" not in policy.values()
    if strict and indices.shape.rank == 2 and indices.shape.as_list()[-1] == 1:
        return IndexedSlices(gradient, squeeze(indices, [-1]), whole), None
    return SCATTER_ND(indices, gradient, whole, **policy), None


@gradient_of("ScatterNd")
def _scatter_nd(op: Operation, gradient: Tensor) -> Any:
    return None, lambda: gather_nd(gradient, op.inputs[0]), None


# Partitions --------------------------------------------------------------------------------------


@gradient_of("DynamicPartition")
def _dynamic_partition(op: Operation, *gradients: Tensor | None) -> Any:
    data, partitions = op.inputs

    def for_data() -> Tensor:
        parts = [
            zeros_like(out) if gradient is None else gradient
            for out, gradient in zip(op.outputs, gradients, strict=True)
        ]
        numbers = reshape(arange(size(partitions)), shape_of(partitions))
        places = dynamic_partition(numbers, partitions, op.get_attr("num_partitions"))
        stitched = dynamic_stitch(places, parts)
        return reshape(stitched, shape_of(data))

    return for_data, None


@gradient_of("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(op: Operation, gradient: Tensor) -> list[Any]:
    number = len(op.inputs) // 2
    taken = [lambda some=some: gather(gradient, some) for some in op.inputs[:number]]
    return [*[None for _ in taken], *taken]


# Changed elements --------------------------------------------------------------------------------


@gradient_of("TensorScatterUpdate")
def _tensor_scatter_update(op: Operation, gradient: Tensor) -> Any:
    _, indices, updates = op.inputs

    def for_tensor() -> Tensor:
        return TENSOR_SCATTER_UPDATE(gradient, indices, zeros_like(updates))

    return for_tensor, None, lambda: gather_nd(gradient, indices)


@gradient_of("TensorScatterAdd", "ScatterNdNonAliasingAdd")
def _tensor_scatter_add(op: Operation, gradient: Tensor) -> Any:
    return gradient, None, lambda: gather_nd(gradient, op.inputs[1])


@gradient_of("TensorScatterSub")
def _tensor_scatter_sub(op: Operation, gradient: Tensor) -> Any:
    return gradient, None, lambda: -gather_nd(gradient, op.inputs[1])


@gradient_of("TensorScatterMax", "TensorScatterMin")
def _tensor_scatter_extreme(op: Operation, gradient: Tensor) -> Any:
    """To all that are the extreme of their place, in equal parts."""
    tensor, indices, updates = op.inputs
    result = op.outputs[0]
    stayed = cast(equal(result, tensor), gradient.dtype)
    won = cast(equal(gather_nd(result, indices), updates), gradient.dtype)
    share = gradient / TENSOR_SCATTER_ADD(stayed, indices, won)
    return share * stayed, None, lambda: gather_nd(share, indices) * won


@gradient_of("TensorStridedSliceUpdate")
def _slice_update(op: Operation, gradient: Tensor) -> Any:
    _, begin, end, strides, value = op.inputs
    masks = {mask: op.get_attr(mask) for mask in MASKS}

    def for_input() -> Tensor:
        zeros = zeros_like(value)
        return TENSOR_STRIDED_SLICE_UPDATE(gradient, begin, end, strides, zeros, **masks)

    def for_value() -> Tensor:
        return STRIDED_SLICE(gradient, begin, end, strides, **masks)

    return for_input, None, None, None, for_value


undefined("models that are saved hold it, and are not trained", "XlaDynamicUpdateSlice")
