"""Inputs and outputs of loops along the first dimension: slices of tensors, stacked results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.node import Tensor
from ...shape_inference.dimension import Dimension
from ...shape_inference.tensor_shape import TensorShape
from ..array.constants import constant
from ..array.shapes import shape
from ..common.structures import flat, packed
from ..indexing.gather import gather
from ..lists.list_ops import TENSOR_LIST_RESERVE, TENSOR_LIST_SET_ITEM
from ..lists.list_tensors import TENSOR_LIST_STACK

# Where TensorFlow 1.x has the results of its loops.
_STACKED = "TensorArrayStack/TensorArrayGatherV3"


class Slices:
    """The slices of tensors along their first dimension, which is of one size."""

    def __init__(self, elems: Any) -> None:
        self._elems = elems
        self._tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
        self.dtypes = packed(elems, [tensor.dtype.base_dtype for tensor in self._tensors])
        size = Dimension(None)
        for tensor in self._tensors:
            if tensor.shape.rank == 0:
                raise ValueError(
                    f"elements in elems must be 1+ dimensional Tensors, not scalars: {tensor!r}"
                )
            if tensor.shape.rank is not None:
                size = size.merge_with(tensor.shape[0])
        self.number: Tensor = gather(shape(self._tensors[0]), 0)

    def at(self, i: Any) -> Any:
        """The structure of the slices at an index."""
        return packed(self._elems, [gather(tensor, i) for tensor in self._tensors])


class Stacks:
    """Lists that a loop fills with the results of its iterations.

    Args:
        dtypes: of each list, the dtype of the elements.
        number: how many elements they have.
        batch: the first size of each element, where it is not known before the run.
    """

    def __init__(self, dtypes: Sequence[Any], number: Tensor, batch: Tensor | None = None) -> None:
        self._dtypes = dtypes
        self._number = number
        self._batch = batch
        self._shapes: list[TensorShape | None] = [None] * len(dtypes)

    def empty(self) -> list[Tensor]:
        """The lists before the first iteration."""
        return [
            TENSOR_LIST_RESERVE(constant(-1), self._number, element_dtype=dtype)
            for dtype in self._dtypes
        ]

    def put(self, lists: Any, i: Any, items: Sequence[Any]) -> list[Tensor]:
        """The lists with an item more in each."""
        made = []
        for k, (handle, item, dtype) in enumerate(zip(lists, items, self._dtypes, strict=True)):
            tensor = convert_to_tensor(item, dtype)
            self._shapes[k] = tensor.shape
            made.append(TENSOR_LIST_SET_ITEM(handle, i, tensor, element_dtype=dtype))
        return made

    def stacked(self, lists: Any) -> list[Tensor]:
        """The items of each list in one tensor."""
        return [
            TENSOR_LIST_STACK(handle, self._stated(known), element_dtype=dtype, name=_STACKED)
            for handle, known, dtype in zip(lists, self._shapes, self._dtypes, strict=True)
        ]

    def _stated(self, shape: TensorShape | None) -> Any:
        """The static shape of elements, which is also the shape when there are none."""
        if shape is None or shape.rank is None:
            return constant(-1)
        sizes = [-1 if size is None else size for size in shape.as_list()]
        if self._batch is None or not sizes or sizes[0] != -1:
            return constant(sizes, "int32")
        return convert_to_tensor([self._batch, *sizes[1:]])
