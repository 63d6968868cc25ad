"""Indexed slices where a dense tensor is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor, register_tensor_conversion_function
from ...graph.indexed_slices import IndexedSlices
from ..array.casting import cast
from ..array.squeezing import expand_dims
from .gather_nd import scatter_nd

if TYPE_CHECKING:
    from ...graph.node import Tensor


def dense(
    value: IndexedSlices, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    """The tensor that holds the rows of `value`, and zeros elsewhere.

    Raises:
        ValueError: the slices do not tell the shape of the whole.
    """
    del as_ref
    if value.dense_shape is None:
        raise ValueError("an IndexedSlices without dense_shape does not make a dense tensor")
    indices = expand_dims(value.indices, -1)
    shape = cast(value.dense_shape, value.indices.dtype)
    tensor = scatter_nd(indices, value.values, shape, name=name)
    return tensor if dtype is None else convert_to_tensor(tensor, dtype)


register_tensor_conversion_function(IndexedSlices, dense)
