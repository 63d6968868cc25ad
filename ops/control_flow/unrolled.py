"""Unrolled loops: the graph gets the ops of every iteration, with static shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ..array.stack import stack, unstack
from ..common.structures import check_alike, flat, packed
from .components import leaf_of, packed_components, tensors_of, with_leaves
from .cond_and_case import known_pred
from .variable_reuse import Rounds

_MOST_ROUNDS = 10_000


def unrolled_while(
    cond: Callable[..., Any], body: Callable[..., Any], structure: Any, most: int | None
) -> Any:
    """The variables in `structure` after the last iteration; see `while_loop`."""
    state = packed(structure, [leaf_of(leaf) for leaf in flat(with_leaves(structure))])
    rounds = Rounds(get_default_graph())
    number = 0
    while most is None or number < most:
        with rounds.round(number):
            value = known_pred(cond(*state), "while_loop")
            if value is None:
                raise NotImplementedError(
                    "while_loop with unroll=True needs a condition that is known while the graph "
                    f"is built; in iteration {number + 1} it is not"
                )
            if not value:
                break
            state = _next(body(*state), state)
        number += 1
        if number > _MOST_ROUNDS:
            raise ValueError(f"while_loop does not end within {_MOST_ROUNDS} iterations")
    return state


def _next(result: Any, state: Any) -> Any:
    """The variables after an iteration, in the structure of those before."""
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    check_alike(list(state), with_leaves(results))
    leaves = []
    for new, old in zip(flat(with_leaves(results)), flat(state), strict=True):
        leaf = leaf_of(new, tensors_of(old)[0].dtype.base_dtype)
        for tensor, before in zip(tensors_of(leaf), tensors_of(old), strict=True):
            convert_to_tensor(tensor, before.dtype.base_dtype)
        leaves.append(leaf)
    tensors = [tensor for leaf in leaves for tensor in tensors_of(leaf)]
    return packed_components(state, leaves, tensors)


def rows_of(elems: Any) -> list[Any]:
    """The structure `elems` for each index of the first dimension of its tensors."""
    tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
    sizes = {tensor.shape.with_rank_at_least(1)[0].value for tensor in tensors}
    if len(sizes) != 1 or None in sizes:
        shapes = ", ".join(str(tensor.shape) for tensor in tensors)
        raise ValueError(
            "with unroll=True the first dimension of elems must be known, and the same in all, "
            f"got {shapes}"
        )
    columns = [unstack(tensor) for tensor in tensors]
    return [packed(elems, row) for row in zip(*columns, strict=True)]


def unrolled_map(fn: Callable[[Any], Any], elems: Any, dtype: Any) -> Any:
    """Applies `fn` to each slice and stacks the results; see `map_fn`."""
    rounds = Rounds(get_default_graph())
    results = []
    for number, row in enumerate(rows_of(elems)):
        with rounds.round(number):
            results.append(fn(row))
    if not results:
        raise ValueError("elems has no slices to map")
    dtypes = None if dtype is None else flat(dtype)
    columns = []
    for i, column in enumerate(zip(*map(flat, results), strict=True)):
        wanted = None if dtypes is None else dtypes[i]
        columns.append(stack([convert_to_tensor(item, wanted) for item in column]))
    return packed(results[0], columns)


def unrolled_fold(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any,
    *,
    reverse: bool = False,
    every: bool = False,
) -> Any:
    """The last result of `fn`, or with `every` all of them, stacked; see `foldl` and `scan`."""
    rows = rows_of(elems)
    rows = rows[::-1] if reverse else rows
    results = _results(fn, rows, initializer)
    if not every:
        return results[-1]
    kept = results if initializer is None else results[1:]
    kept = kept[::-1] if reverse else kept
    columns = [stack(list(column)) for column in zip(*map(flat, kept), strict=True)]
    return packed(results[0], columns)


def _results(fn: Callable[[Any, Any], Any], rows: list[Any], initializer: Any) -> list[Any]:
    """The first result, and that after each further slice."""
    if initializer is None:
        if not rows:
            raise ValueError("there are no slices, and no initializer to begin with")
        first, *rows = rows
    else:
        first = packed(initializer, [convert_to_tensor(leaf) for leaf in flat(initializer)])
    results = [first]
    rounds = Rounds(get_default_graph())
    for number, row in enumerate(rows):
        with rounds.round(number):
            results.append(fn(results[-1], row))
    return results
