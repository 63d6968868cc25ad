"""Loops that apply functions to the slices of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.constants import constant
from ..common.structures import check_alike, flat, packed
from ..math.arithmetic import add, subtract
from ..math.comparison import less
from .building import built_while
from .slices import Slices, Stacks


def mapped_rows(fn: Callable[[Any], Any], elems: Any, dtype: Any, **settings: Any) -> Any:
    """Applies `fn` to each slice of `elems` and stacks the results.

    Args:
        fn: from a structure of slices to a tensor, or a structure of them.
        elems: the tensors.
        dtype: the structure of dtypes that `fn` gives; by default those of `elems`.
        settings: those of `built_while` that only the op keeps.
    """
    slices = Slices(elems)
    wanted = slices.dtypes if dtype is None else dtype
    results = Stacks(flat(wanted), slices.number)

    def body(i: Tensor, lists: Any) -> Any:
        result = fn(slices.at(i))
        check_alike(wanted, result)
        return add(i, 1), results.put(lists, i, flat(result))

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
    slices = Slices(elems)

    def place(i: Any) -> Any:
        return subtract(subtract(slices.number, 1), i) if reverse else i

    begun = 0 if initializer is not None else 1
    first = slices.at(place(constant(0))) if initializer is None else initializer
    state = [convert_to_tensor(leaf) for leaf in flat(first)]
    results = Stacks([tensor.dtype.base_dtype for tensor in state], slices.number)
    lists = results.empty() if every else []
    if begun and every:
        lists = results.put(lists, place(constant(0)), state)

    def body(i: Tensor, so_far: Any, lists: Any) -> Any:
        result = fn(so_far, slices.at(place(i)))
        check_alike(first, result)
        return add(i, 1), result, results.put(lists, place(i), flat(result)) if every else []

    start = (constant(begun), packed(first, state), lists)
    with name_scope(None, "while") as inner:
        _, last, lists = built_while(
            lambda i, *_: less(i, slices.number), body, start, inner, **settings
        )
    return packed(first, results.stacked(lists)) if every else last
