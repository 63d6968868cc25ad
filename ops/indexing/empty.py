"""Tensors without defined contents: `empty` and `empty_like`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL
from ..array.shapes import shape
from ..common.allocation import new_array, new_zeros

if TYPE_CHECKING:
    _Change = Callable[[Array, Array, Array], None]

public = {
    "td": "empty empty_like",
}


EMPTY = OpDef(
    "Empty", "shape: int32 -> output: dtype", "dtype: type, init: bool = false", traits=STATEFUL
)


@EMPTY.shape
def _empty_shape(c: ShapeContext) -> TensorShape:
    return shape_from_value(c, "shape", minus_one_is_unknown=True)


@EMPTY.fresh_kernel
def _empty_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    # Arbitrary bytes are not valid bools.
    make = new_zeros if c.attr("init") or dtype == np.bool_ else new_array

    def empty(shape: Array) -> Array:
        if shape.ndim != 1:
            raise ValueError(f"shape must be a vector, got shape {list(shape.shape)}")
        return make(shape.tolist(), dtype)

    return empty


def empty(output_shape: Any, dtype: Any, init: bool = False) -> Tensor:
    """A tensor whose contents are arbitrary, to be filled by in-place ops.

    Args:
        output_shape: the shape, an int32 vector.
        dtype: the dtype.
        init: whether to fill it with zeros (empty strings, False).

    Returns:
        A Tensor of `dtype`. Strings are empty and bools False in any case.

    Raises:
        ValueError: a size is known to be negative.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.empty([2, 3], td.int32, init=True)))
        [[0 0 0]
         [0 0 0]]
    """
    return EMPTY(output_shape, dtype=dtype, init=init)


def empty_like(value: TensorLike, init: bool | None = None) -> Tensor:
    """A tensor of the shape and dtype of `value`, whose contents are arbitrary.

    Args:
        value: a tensor of any dtype.
        init: whether to fill it with zeros (empty strings, False).

    Returns:
        A Tensor. Strings are empty and bools False in any case.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.empty_like([1.5, 2.5], init=True)))
        [0. 0.]
    """
    value = convert_to_tensor(value)
    return EMPTY(shape(value), dtype=value.dtype, init=init)
