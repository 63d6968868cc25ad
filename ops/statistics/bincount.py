"""Counts of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, int32
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import check_size, new_zeros
from ..math.arithmetic import add, maximum, minimum
from ..math.reductions import reduce_max

public = {"td, td.math": "bincount"}

BINCOUNT = OpDef(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    "T: {int32, int64, float32, float64}",
)


@BINCOUNT.shape
def _bincount_shape(c: ShapeContext) -> TensorShape:
    c.shape("size", rank=0)
    size = c.scalar("size")
    if isinstance(size, int) and size < 0:
        raise ValueError(f"size = {size} is negative")
    return TensorShape.of((size,))


@BINCOUNT.fresh_kernel
def _bincount_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def bincount(arr: Array, size: Array, weights: Array) -> Array:
        if size.ndim:
            raise ValueError(f"size must have rank 0, got shape {list(size.shape)}")
        number = int(size)
        if number < 0:
            raise ValueError(f"size = {number} is negative")
        if weights.size and weights.shape != arr.shape:
            raise ValueError(
                "weights must be empty or have the shape of arr, got "
                f"{list(weights.shape)} and {list(arr.shape)}"
            )
        if (arr < 0).any():
            raise ValueError(f"arr must not be negative, got {arr.min()}")
        check_size((number,), dtype)
        inside = arr < number
        bins = new_zeros((number,), dtype)
        np.add.at(bins, arr[inside], weights[inside] if weights.size else dtype.type(1))
        return bins

    return bincount


def bincount(
    arr: Any,
    weights: TensorLike | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """How often each number occurs, from 0 to the greatest.

    Args:
        arr: an int32 tensor of numbers that are at least 0.
        weights: what each occurrence counts, of the shape of `arr`; by default 1.
        minlength: how many counts there are at least.
        maxlength: how many counts there are at most; greater numbers are left out.
        dtype: of the counts, where there are no weights: int32, int64, float32 or float64.
        name: a name for the ops.

    Returns:
        A vector of counts, of `dtype` or that of `weights`. A negative number is an
        InvalidArgumentError at the run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.bincount([1, 1, 3], minlength=6)))
        [0 2 0 1 0 0]
    """
    with name_scope(name, "bincount"):
        arr = convert_to_tensor(arr, int32)
        size = maximum(add(maximum(reduce_max(arr), -1), 1), 0 if minlength is None else minlength)
        if maxlength is not None:
            size = minimum(size, maxlength)
        if weights is None:
            weights = convert_to_tensor(np.zeros(0, as_dtype(dtype).numpy_dtype))
        return BINCOUNT(arr, size, weights)
