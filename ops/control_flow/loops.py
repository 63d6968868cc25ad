"""Loops: unrolled where the number of rounds is known while the graph is built.

Then the graph gets the ops of every round, and shapes and values are followed through all of them;
variables that the first round gets from `td.get_variable` are shared by the others. Where a run
decides how many rounds there are, the graph gets a `While` of two functions.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.stacking import stack, unstack
from ..kit.structures import flat, packed
from ..variable_scopes.variable_scope import get_variable_scope, variable_scope
from ..variables.variable_kinds import scopes_of
from .building import built_while
from .conditionals import decided, known_pred
from .rows import folded_rows, mapped_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

public = {"td": "foldl foldr map_fn scan while_loop"}

_MOST_ROUNDS = 10_000


class _Rounds:
    """The rounds of a loop: the first makes variables, the others find them by the same names."""

    def __init__(self) -> None:
        self._scopes = scopes_of(get_default_graph())
        self._opened = set(self._scopes.opened)

    @contextmanager
    def round(self, number: int) -> Iterator[None]:
        """Round `number`, from 0 on."""
        if number == 0:
            yield
            return
        opened = self._scopes.opened
        self._scopes.opened = set(self._opened)
        try:
            with variable_scope(get_variable_scope(), reuse=True, auxiliary_name_scope=False):
                yield
        finally:
            self._scopes.opened = opened


def _rows(elems: Any) -> list[Any]:
    """The structure `elems` for each index of the first dimension of its tensors."""
    tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
    sizes = {tensor.shape.with_rank_at_least(1)[0].value for tensor in tensors}
    if len(sizes) != 1 or None in sizes:
        shapes = ", ".join(str(tensor.shape) for tensor in tensors)
        raise ValueError(
            f"the first dimension of elems must be known, and the same in all, got {shapes}"
        )
    columns = [unstack(tensor) for tensor in tensors]
    return [packed(elems, row) for row in zip(*columns, strict=True)]


def _as_structure(elems: Any) -> Any:
    """`elems`, where a list of plain numbers is one tensor and no structure of several."""
    if isinstance(elems, list) and not any(isinstance(leaf, Tensor) for leaf in flat(elems)):
        return convert_to_tensor(elems)
    return elems


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """What a function makes of each slice along the first dimension, stacked.

    Args:
        fn: from a slice (or a structure of slices, as `elems` is) to a tensor, or a structure.
        elems: a tensor, or tensors in tuples, lists and dicts, of one size in their first
            dimension, which must not be 0 where it is known.
        dtype: the dtype, or structure of dtypes, of the result; by default what `fn` gives.
        parallel_iterations: accepted for TensorFlow's sake, like those after it.
        back_prop: accepted.
        swap_memory: accepted.
        infer_shape: accepted.
        name: a name for the scope of the ops.

    Returns:
        A Tensor, or a structure of them.

    Raises:
        ValueError: the first dimensions differ, or there is nothing to map.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.map_fn(lambda row: td.reduce_sum(row), [[1, 2], [3, 4]])))
        [3 7]
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape
    with name_scope(name, "map") as scope:
        if _size_is_open(elems := _as_structure(elems)):
            return mapped_rows(fn, elems, dtype, scope)
        results = []
        rounds = _Rounds()
        for number, row in enumerate(_rows(_as_structure(elems))):
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


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """A function applied to a result so far and the next slice, from the first slice on.

    Args:
        fn: from the result so far and a slice to the next result.
        elems: as for `map_fn`.
        initializer: the first result; by default the first slice.
        parallel_iterations: accepted for TensorFlow's sake, like those after it.
        back_prop: accepted.
        swap_memory: accepted.
        name: a name for the scope of the ops.

    Returns:
        The last result.

    Raises:
        ValueError: the first dimensions differ, or there is nothing to begin with.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.foldl(lambda total, x: total * 10 + x, [1, 2, 3]))
        np.int32(123)
    """
    del parallel_iterations, back_prop, swap_memory
    with name_scope(name, "foldl") as scope:
        if _size_is_open(elems := _as_structure(elems)):
            return folded_rows(fn, elems, initializer, scope)
        return _results(fn, _rows(_as_structure(elems)), initializer)[-1]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """A function applied to a result so far and the next slice, from the last slice on.

    Args and results are those of `foldl`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.foldr(lambda total, x: total * 10 + x, [1, 2, 3]))
        np.int32(321)
    """
    del parallel_iterations, back_prop, swap_memory
    with name_scope(name, "foldr") as scope:
        if _size_is_open(elems := _as_structure(elems)):
            return folded_rows(fn, elems, initializer, scope, reverse=True)
        return _results(fn, _rows(_as_structure(elems))[::-1], initializer)[-1]


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The results of `foldl` after every slice, stacked.

    Args:
        fn: from the result so far and a slice to the next result.
        elems: as for `map_fn`.
        initializer: the result before the first slice; by default the first slice is the first
            result.
        parallel_iterations: accepted for TensorFlow's sake, like those after it.
        back_prop: accepted.
        swap_memory: accepted.
        infer_shape: accepted.
        reverse: whether to begin with the last slice.
        name: a name for the scope of the ops.

    Returns:
        A Tensor, or a structure of them.

    Raises:
        ValueError: the first dimensions differ, or there is nothing to begin with.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.scan(lambda total, x: total + x, [1, 2, 3])))
        [1 3 6]
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape
    with name_scope(name, "scan") as scope:
        if _size_is_open(elems := _as_structure(elems)):
            return folded_rows(fn, elems, initializer, scope, reverse=reverse, every=True)
        rows = _rows(_as_structure(elems))
        results = _results(fn, rows[::-1] if reverse else rows, initializer)
        results = results[::-1] if reverse else results
        if initializer is not None:
            results = results[:-1] if reverse else results[1:]
        columns = [stack(list(column)) for column in zip(*map(flat, results), strict=True)]
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
    rounds = _Rounds()
    for number, row in enumerate(rows):
        with rounds.round(number):
            results.append(fn(results[-1], row))
    return results


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Applies a function to tensors for as long as a condition on them holds.

    Where the condition is known for each round while the graph is built, as that on a counter is,
    the loop is unrolled; otherwise the run decides, and the functions are called once.

    Args:
        cond: from the tensors to a bool Tensor of rank 0.
        body: from the tensors to those of the next round.
        loop_vars: the first tensors: a list or tuple, in which structures may be nested.
        shape_invariants: of each tensor, the shape that it has in every round of a loop that a
            run decides; by default that which it begins with.
        parallel_iterations: accepted, like those after it.
        back_prop: accepted.
        swap_memory: accepted.
        name: a name for the scope of the ops.
        maximum_iterations: the most rounds.
        return_same_structure: whether a list of one tensor is returned as a list.

    Returns:
        The tensors after the last round, in the structure of `loop_vars`.

    Raises:
        NotImplementedError: the condition is known for some rounds only.
        TypeError: `cond` or `body` cannot be called, or `body` changes a dtype.
        ValueError: there are no tensors, `body` returns another number of them, or the loop does
            not end within 10,000 rounds.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [])
        ...     _, power = td.while_loop(
        ...         lambda i, y: i < 5, lambda i, y: (i + 1, y * x), [td.constant(0), 1.0]
        ...     )
        ...     session.run(power, {x: 2})
        np.float32(32.0)
    """
    del parallel_iterations, back_prop, swap_memory
    if not flat(loop_vars):
        raise ValueError("while_loop needs loop_vars")
    structure = loop_vars if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    most = None
    if maximum_iterations is not None:
        most = constant_value(convert_to_tensor(maximum_iterations))
    with name_scope(name, "while") as scope:
        state = packed(structure, [convert_to_tensor(leaf) for leaf in flat(structure)])
        open_end = maximum_iterations is not None and most is None
        if open_end or not _begins_decided(cond, state):
            args = cond, body, state, scope, shape_invariants, maximum_iterations
            state = built_while(*args)
            return state[0] if len(state) == 1 and not return_same_structure else state
        number = 0
        rounds = _Rounds()
        while most is None or number < most:
            with rounds.round(number):
                if not decided(cond(*state), "while_loop"):
                    break
                state = _next(body(*state), state)
            number += 1
            if number > _MOST_ROUNDS:
                raise ValueError(f"while_loop does not end within {_MOST_ROUNDS} rounds")
    return state[0] if len(state) == 1 and not return_same_structure else state


def _begins_decided(cond: Callable[..., Any], state: Any) -> bool:
    """Whether the condition of the first round is known while the graph is built."""
    graph = get_default_graph()
    if graph.outer is not None:
        return False
    start = graph.version
    try:
        return known_pred(cond(*state), "while_loop") is not None
    finally:
        graph.truncate(start)


def _size_is_open(elems: Any) -> bool:
    """Whether a run decides how many slices there are."""
    tensors = [convert_to_tensor(leaf) for leaf in flat(elems)]
    return get_default_graph().outer is not None or any(
        tensor.shape.rank is None or (tensor.shape.rank and tensor.shape[0].value is None)
        for tensor in tensors
    )


def _next(result: Any, state: Any) -> Any:
    """The tensors that a round has made, in the structure of those before."""
    made, before = flat(result), flat(state)
    if len(made) != len(before):
        raise ValueError(f"body must return {len(before)} tensors, got {len(made)}")
    return packed(
        state,
        [convert_to_tensor(new, old.dtype) for new, old in zip(made, before, strict=True)],
    )
