"""Loops over the first dimension of tensors, unrolled: its size has to be known.

TensorFlow makes a loop inside the graph; here the graph gets the ops of every round, so it is as
long as the loop, and shapes and values are followed through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.convert import convert_to_tensor
from ..graph.functions import name_scope
from ..graph.node import Tensor
from .stacking import stack, unstack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _flat(structure: Any) -> list[Any]:
    """The leaves of nested tuples, lists and dicts."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in _flat(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in _flat(item)]
    return [structure]


def _packed(structure: Any, leaves: Sequence[Any]) -> Any:
    """The structure with other leaves."""
    rest = list(leaves)

    def take(part: Any) -> Any:
        if isinstance(part, dict):
            taken = {key: take(part[key]) for key in sorted(part)}
            return {key: taken[key] for key in part}
        if isinstance(part, (list, tuple)):
            return getattr(part, "_make", type(part))([take(item) for item in part])
        return rest.pop(0)

    return take(structure)


def _rows(elems: Any) -> list[Any]:
    """The structure `elems` for each index of the first dimension of its tensors."""
    tensors = [convert_to_tensor(leaf) for leaf in _flat(elems)]
    sizes = {tensor.shape.with_rank_at_least(1)[0].value for tensor in tensors}
    if len(sizes) != 1 or None in sizes:
        shapes = ", ".join(str(tensor.shape) for tensor in tensors)
        raise ValueError(
            f"the first dimension of elems must be known, and the same in all, got {shapes}"
        )
    columns = [unstack(tensor) for tensor in tensors]
    return [_packed(elems, row) for row in zip(*columns, strict=True)]


def _as_structure(elems: Any) -> Any:
    """`elems`, where a list of plain numbers is one tensor and no structure of several."""
    if isinstance(elems, list) and not any(isinstance(leaf, Tensor) for leaf in _flat(elems)):
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
            dimension, which has to be known and not 0.
        dtype: the dtype, or structure of dtypes, of the result; by default what `fn` gives.
        parallel_iterations: accepted for TensorFlow's sake, like those after it.
        back_prop: accepted.
        swap_memory: accepted.
        infer_shape: accepted.
        name: a name for the scope of the ops.

    Returns:
        A Tensor, or a structure of them.

    Raises:
        ValueError: the first dimension is not known.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.map_fn(lambda row: td.reduce_sum(row), [[1, 2], [3, 4]])))
        [3 7]
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape
    with name_scope(name, "map"):
        results = [fn(row) for row in _rows(_as_structure(elems))]
        if not results:
            raise ValueError("elems has no slices to map")
        dtypes = None if dtype is None else _flat(dtype)
        columns = []
        for i, column in enumerate(zip(*map(_flat, results), strict=True)):
            wanted = None if dtypes is None else dtypes[i]
            columns.append(stack([convert_to_tensor(item, wanted) for item in column]))
        return _packed(results[0], columns)


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
        ValueError: the first dimension is not known, or there is nothing to begin with.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.foldl(lambda total, x: total * 10 + x, [1, 2, 3]))
        np.int32(123)
    """
    del parallel_iterations, back_prop, swap_memory
    with name_scope(name, "foldl"):
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
    with name_scope(name, "foldr"):
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
        ValueError: the first dimension is not known, or there is nothing to begin with.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.scan(lambda total, x: total + x, [1, 2, 3])))
        [1 3 6]
    """
    del parallel_iterations, back_prop, swap_memory, infer_shape
    with name_scope(name, "scan"):
        rows = _rows(_as_structure(elems))
        results = _results(fn, rows[::-1] if reverse else rows, initializer)
        results = results[::-1] if reverse else results
        if initializer is not None:
            results = results[:-1] if reverse else results[1:]
        columns = [stack(list(column)) for column in zip(*map(_flat, results), strict=True)]
        return _packed(results[0], columns)


def _results(fn: Callable[[Any, Any], Any], rows: list[Any], initializer: Any) -> list[Any]:
    """The first result, and that after each further slice."""
    if initializer is None:
        if not rows:
            raise ValueError("there are no slices, and no initializer to begin with")
        first, *rows = rows
    else:
        first = _packed(initializer, [convert_to_tensor(leaf) for leaf in _flat(initializer)])
    results = [first]
    for row in rows:
        results.append(fn(results[-1], row))
    return results
