"""The gradient of StridedSlice: zeros, but for the places that the slice took.

There is no public function; graphs that TensorFlow differentiated hold it.
"""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.split_parts import NotSplittable, Partition, SplitContext
from ...shape_inference.split_rules import following
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size
from .strided_slicing import MASKS, items_of, numpy_index

STRIDED_SLICE_GRAD = OpDef(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
    "T: type, Index: {int32, int64}, " + ", ".join(f"{mask}: int32 = 0" for mask in MASKS),
)


@STRIDED_SLICE_GRAD.split
def _strided_slice_grad_split(c: SplitContext) -> Partition:
    if (c.needed("strides") < 0).any():
        raise NotSplittable("it may turn the order round")
    return following("dy")(c)


@STRIDED_SLICE_GRAD.shape
def _strided_slice_grad_shape(c: ShapeContext) -> TensorShape:
    return shape_from_value(c, "shape")


@STRIDED_SLICE_GRAD.fresh_kernel
def _strided_slice_grad_kernel(c: KernelContext) -> Kernel:
    masks = [c.attr(mask) for mask in MASKS]
    dtype = c.output_dtype.numpy_dtype

    def strided_slice_grad(
        shape: Array, begin: Array, end: Array, strides: Array, dy: Array
    ) -> Array:
        result = np.zeros(check_size(shape.tolist(), dtype), dtype)
        index = numpy_index(items_of(masks, (begin, end, strides)))
        if result[index].shape != dy.shape:
            raise ValueError(
                f"dy must have the shape of the slice, {list(result[index].shape)}, got "
                f"{list(dy.shape)}"
            )
        result[index] = dy
        return result

    return strided_slice_grad
