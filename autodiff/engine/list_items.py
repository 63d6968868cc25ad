"""Gradients of single items of tensor lists, kept apart until all are known.

So a loop that reads an item of a list in each iteration changes one item of its gradient in each
round, and makes no list of zeros for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...graph.node import Tensor
from ...ops.array.constants import zeros_like
from ...ops.lists.list_ops import (
    TENSOR_LIST_ELEMENT_SHAPE,
    TENSOR_LIST_GET_ITEM,
    TENSOR_LIST_LENGTH,
    TENSOR_LIST_RESERVE,
    TENSOR_LIST_SET_ITEM,
)
from ...ops.math.add_n import add_n
from ..common.static_facts import shape_of


class ListItem(NamedTuple):
    """The gradient of a list where only one item has one.

    Args:
        handle: the list.
        place: the index of the item.
        item: its gradient.
    """

    handle: Tensor
    place: Tensor
    item: Tensor


def list_total(lists: Sequence[Tensor], items: Sequence[ListItem]) -> Tensor:
    """The sum of gradients of a list."""
    dtype = items[0].item.dtype.base_dtype
    fresh = not lists
    total = zero_list(items[0].handle, dtype) if fresh else add_n(list(lists))
    for _, index, item in items:
        if not fresh:
            before = TENSOR_LIST_GET_ITEM(total, index, shape_of(item), element_dtype=dtype)
            item = add_n([before, item])
        total = TENSOR_LIST_SET_ITEM(total, index, item, element_dtype=dtype)
        fresh = False
    return total


def zero_list(handle: Tensor, dtype: object) -> Tensor:
    """A list as long as another one, of zeros of a dtype."""
    if getattr(dtype, "name", "") == "variant":
        return zeros_like(handle)
    shape = TENSOR_LIST_ELEMENT_SHAPE(handle, shape_type="int32")
    return TENSOR_LIST_RESERVE(shape, TENSOR_LIST_LENGTH(handle), element_dtype=dtype)
