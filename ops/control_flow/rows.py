"""Functions applied to the slices of tensors, one after the other, in a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...shape_inference.dimension import Dimension
from ..array.constants import constant
from ..array.shapes import shape
from ..indexing.gathering import gather
from ..kit.structures import check_alike, flat, packed
from ..lists.list_ops import TENSOR_LIST_RESERVE, TENSOR_LIST_SET_ITEM
from ..lists.list_tensors import TENSOR_LIST_STACK
from ..math.arithmetic import add, subtract
from ..math.comparison import less
from .building import built_while

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.node import Tensor
    from ...shape_inference.tensor_shape import TensorShape


def mapped_rows(fn: Callable[[Any], Any], elems: Any, dtype: Any, **settings: Any) -> Any:
    """What `fn` makes of each slice of `elems`, stacked.

    Args:
        fn: from a structure of slices to a tensor, or a structure of them.
        elems: the tensors.
        dtype: the structure of dtypes that `fn` gives; by default those of `elems`.
        settings: those of `built_while` that only the op keeps.
    """
    slices = _Slices(elems)
    wanted = slices.dtypes if dtype is None else dtype
    results = _Stacks(flat(wanted), slices.number)

    def body(i: Tensor, lists: Any) -> Any:
        made = fn(slices.at(i))
        check_alike(wanted, made)
        return add(i, 1), results.put(lists, i, flat(made))

    start = (constant(0), results.empty())
    with name_scope(None, "while") as inner:
        _, lists = built_while(lambda i, _: less(i, slices.number), body, start, inner, **settings)
    return packed(wanted, results.stacked(lists))


def folded_rows(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any,
    *,
    reverse: bool = False,
    every: bool = False,
    **settings: Any,
) -> Any:
    """The result of `fn` on a result so far and a slice, for one slice after the other.

    Args:
        fn: from the result so far and a structure of slices to the next result.
        elems: the tensors.
        initializer: the first result; None for the first slice.
        reverse: whether the last slice comes first.
        every: whether all results are wanted, stacked, and not just the last.
        settings: those of `built_while` that only the op keeps.
    """
    slices = _Slices(elems)

    def place(i: Any) -> Any:
        return subtract(subtract(slices.number, 1), i) if reverse else i

    begun = 0 if initializer is not None else 1
    first = slices.at(place(constant(0))) if initializer is None else initializer
    state = [convert_to_tensor(leaf) for leaf in flat(first)]
    results = _Stacks([tensor.dtype.base_dtype for tensor in state], slices.number)
    lists = results.empty() if every else []
    if begun and every:
        lists = results.put(lists, place(constant(0)), state)

    def body(i: Tensor, so_far: Any, lists: Any) -> Any:
        made = fn(so_far, slices.at(place(i)))
        check_alike(first, made)
        return add(i, 1), made, results.put(lists, place(i), flat(made)) if every else []

    start = (constant(begun), packed(first, state), lists)
    with name_scope(None, "while") as inner:
        _, last, lists = built_while(
            lambda i, *_: less(i, slices.number), body, start, inner, **settings
        )
    return packed(first, results.stacked(lists)) if every else last


class _Slices:
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


class _Stacks:
    """Lists that a loop fills with the results of its rounds.

    Args:
        dtypes: of each list, the dtype of the elements.
        number: how many elements they have.
    """

    def __init__(self, dtypes: Sequence[Any], number: Tensor) -> None:
        self._dtypes = dtypes
        self._number = number
        self._shapes: list[TensorShape | None] = [None] * len(dtypes)

    def empty(self) -> list[Tensor]:
        """The lists before the first round."""
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
            TENSOR_LIST_STACK(handle, _stated(known), element_dtype=dtype, name="TensorArrayStack")
            for handle, known, dtype in zip(lists, self._shapes, self._dtypes, strict=True)
        ]


def _stated(shape: TensorShape | None) -> Any:
    """What is known of the shape of elements, for an op: it tells the shape where there is none."""
    if shape is None or shape.rank is None:
        return constant(-1)
    return constant([-1 if size is None else size for size in shape.as_list()], "int32")
