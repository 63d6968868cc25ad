"""Functions applied to the slices of tensors in a loop, where a run decides how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...graph.convert import convert_to_tensor
from ..array.constants import constant
from ..array.shapes import shape
from ..indexing.gathering import gather
from ..kit.structures import flat, packed
from ..lists.list_ops import TENSOR_LIST_RESERVE, TENSOR_LIST_SET_ITEM
from ..lists.list_tensors import TENSOR_LIST_STACK
from ..math.arithmetic import add, subtract
from ..math.comparison import less
from .building import built_while

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...graph.node import Tensor


def mapped_rows(fn: Callable[[Any], Any], elems: Any, dtype: Any, scope: str) -> Any:
    """What `fn` makes of each slice of `elems`, stacked.

    Args:
        fn: from a structure of slices to a tensor, or a structure of them.
        elems: the tensors.
        dtype: the structure of dtypes that `fn` gives; by default those of `elems`.
        scope: the name scope, with "/" at its end.
    """
    tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
    wanted = packed(elems, [tensor.dtype for tensor in tensors]) if dtype is None else dtype
    number = _number(tensors)
    lists = [_reserved(number, item) for item in flat(wanted)]

    def body(i: Tensor, *lists: Tensor) -> Any:
        results = flat(fn(packed(elems, [gather(tensor, i) for tensor in tensors])))
        return add(i, 1), *_set(lists, i, results, flat(wanted))

    _, *lists = built_while(lambda i, *_: less(i, number), body, [constant(0), *lists], scope)
    return packed(wanted, _stacked(lists, flat(wanted)))


def folded_rows(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any,
    scope: str,
    *,
    reverse: bool = False,
    every: bool = False,
) -> Any:
    """The result of `fn` on a result so far and a slice, for one slice after the other.

    Args:
        fn: from the result so far and a structure of slices to the next result.
        elems: the tensors.
        initializer: the first result; None for the first slice.
        scope: the name scope, with "/" at its end.
        reverse: whether the last slice comes first.
        every: whether all results are wanted, stacked, and not just the last.
    """
    tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
    number = _number(tensors)

    def row(i: Any) -> Any:
        place = subtract(subtract(number, 1), i) if reverse else i
        return packed(elems, [gather(tensor, place) for tensor in tensors])

    begun = 0 if initializer is not None else 1
    first = row(constant(0)) if initializer is None else initializer
    state = [convert_to_tensor(leaf) for leaf in flat(first)]
    dtypes = [tensor.dtype.base_dtype for tensor in state]
    lists = [_reserved(number, dtype) for dtype in dtypes] if every else []
    if begun and every:
        place = subtract(number, 1) if reverse else constant(0)
        lists = _set(lists, place, state, dtypes)

    def body(i: Tensor, *rest: Tensor) -> Any:
        so_far = packed(first, rest[: len(state)])
        results = flat(fn(so_far, row(i)))
        place = subtract(subtract(number, 1), i) if reverse else i
        return add(i, 1), *results, *_set(rest[len(state) :], place, results, dtypes)

    start = [constant(begun), *state, *lists]
    ends = built_while(lambda i, *_: less(i, number), body, start, scope)
    if every:
        return packed(first, _stacked(ends[1 + len(state) :], dtypes))
    return packed(first, ends[1 : 1 + len(state)])


def _number(tensors: list[Any]) -> Tensor:
    return gather(shape(tensors[0]), 0)


def _reserved(number: Any, dtype: Any) -> Any:
    return TENSOR_LIST_RESERVE(constant(-1), number, element_dtype=dtype)


def _set(lists: Any, i: Any, items: Any, dtypes: Any) -> list[Any]:
    return [
        TENSOR_LIST_SET_ITEM(handle, i, convert_to_tensor(item, dtype), element_dtype=dtype)
        for handle, item, dtype in zip(lists, items, dtypes, strict=False)
    ]


def _stacked(lists: Any, dtypes: Any) -> list[Any]:
    return [
        TENSOR_LIST_STACK(handle, constant(-1), element_dtype=dtype)
        for handle, dtype in zip(lists, dtypes, strict=True)
    ]
