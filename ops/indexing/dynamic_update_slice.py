"""XlaDynamicUpdateSlice: replaces a part of a tensor from a start known in the run.

Keras writes it for `keras.ops.slice_update`.
"""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape

DYNAMIC_UPDATE_SLICE = OpDef(
    "XlaDynamicUpdateSlice",
    "input: T, update: T, indices: Tindices -> output: T",
    "T: type, Tindices: {int32, int64}",
)


@DYNAMIC_UPDATE_SLICE.shape
def _update_shape(c: ShapeContext) -> TensorShape:
    x, update = c.shape("input"), c.shape("update")
    c.shape("indices", rank=1)
    if x.rank is not None and update.rank is not None:
        _check_sizes(x.as_list(), update.as_list())
    return x


def _check_sizes(sizes: list[int | None], parts: list[int | None]) -> None:
    fits = len(sizes) == len(parts) and not any(
        size is not None and part is not None and part > size
        for size, part in zip(sizes, parts, strict=True)
    )
    if not fits:
        raise ValueError(f"update must fit into input, got shapes {parts} and {sizes}")


@DYNAMIC_UPDATE_SLICE.fresh_kernel
def _update_kernel(c: KernelContext) -> Kernel:

    def updated(x: Array, update: Array, indices: Array) -> Array:
        _check_sizes(list(x.shape), list(update.shape))
        if indices.shape != (x.ndim,):
            raise ValueError(f"indices must have shape [{x.ndim}], got {list(indices.shape)}")
        # A part that would reach out of the tensor begins as far before as it takes.
        most = np.array(x.shape, np.int64) - update.shape
        starts = np.clip(indices.astype(np.int64), 0, most).tolist()
        result = x.copy()
        result[tuple(slice(a, a + n) for a, n in zip(starts, update.shape, strict=True))] = update
        return result

    return updated
