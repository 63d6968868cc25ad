"""Conversion of IndexedSlices to a dense tensor."""

from __future__ import annotations

from typing import Any

from ...graph.constant_value import constant_value_as_shape
from ...graph.convert import convert_to_tensor, register_tensor_conversion_function
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from ..math.segments import unsorted_segment_sum


def dense(
    value: IndexedSlices, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    """The tensor that holds the rows of `value`, summed where they meet, and zeros elsewhere.

    Raises:
        ValueError: the dense shape is unknown.
    """
    if value.dense_shape is None:
        raise ValueError("an IndexedSlices without dense_shape does not make a dense tensor")
    whole = constant_value_as_shape(value.dense_shape)
    rows = value.dense_shape[0] if whole.rank is None or whole[0].value is None else whole[0].value
    tensor = unsorted_segment_sum(value.values, value.indices, rows, name=name)
    tensor.set_shape(whole)
    return tensor if dtype is None else convert_to_tensor(tensor, dtype)


register_tensor_conversion_function(IndexedSlices, dense)
