"""`td.nn.embedding_lookup`: rows of a table, which may be partitioned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...shape_inference.tensor_shape import TensorShape
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import constant
from ..array.identity import identity
from ..array.ranges import range as numbers
from ..array.reshape import reshape
from ..array.shapes import shape, size
from ..array.stack import stack
from ..indexing.dynamic_partition import PARALLEL_DYNAMIC_STITCH, dynamic_partition
from ..indexing.gather import gather
from ..math.arithmetic import maximum
from ..math.reductions import reduce_sum
from ..math.where import where
from ..statistics.clip import clip_by_norm

public = {"td.nn": "embedding_lookup"}


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """The rows of a table whose numbers are given.

    Args:
        params: the table; or its parts along the first dimension, as a list of tensors or a
            PartitionedVariable, of which only the rows that are looked up are read.
        ids: an int32 or int64 tensor of numbers of rows.
        partition_strategy: how the rows are spread over several parts: "mod", row `i` of `n` parts
            is in part `i % n`; "div", the parts follow one another, the first of them a row longer
            where the rows cannot be divided evenly. A PartitionedVariable is made for "div".
        name: a name for the scope of the ops.
        validate_indices: accepted for TensorFlow's sake: numbers are always checked.
        max_norm: the most that the norm of a row may be: longer ones are scaled down.

    Returns:
        A Tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
        ValueError: there are no parts, or the strategy is another.
        InvalidArgumentError: when it runs, a number is out of range.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     table = td.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        ...     print(session.run(td.nn.embedding_lookup(table, [2, 0])))
        [[4. 5.]
         [0. 1.]]
    """
    several = isinstance(params, (list, tuple)) or hasattr(params, "_get_variable_list")
    parts = list(params) if several else [params]
    if not parts:
        raise ValueError("params must hold at least one tensor")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"partition_strategy must be mod or div, got {partition_strategy!r}")
    with name_scope(name, "embedding_lookup") as scope:
        number = convert_to_tensor(ids, name="ids")
        if len(parts) == 1:
            rows = identity(gather(parts[0], number))
        else:
            # A variable stays one, so that only some rows of it are read.
            tables = [
                part if hasattr(part, "sparse_read") else convert_to_tensor(part, name="params")
                for part in parts
            ]
            rows = _from_parts(tables, number, partition_strategy, scope)
        if max_norm is None:
            return rows
        if number.shape.rank is None or rows.shape.rank is None:
            raise ValueError("max_norm needs ids and params of known rank")
        axes = [*range(number.shape.rank, rows.shape.rank)]
        return clip_by_norm(rows, max_norm, axes)


def _from_parts(parts: Sequence[Any], ids: Tensor, strategy: str, name: str) -> Tensor:
    """Rows of several parts: each is asked for its own, and these are put in order again."""
    flat = reshape(ids, [-1])
    order = numbers(size(flat))
    owner, place = (_dealt if strategy == "mod" else _in_blocks)(parts, flat)
    owner = cast(owner, "int32")
    wanted = dynamic_partition(place, owner, len(parts))
    places = dynamic_partition(order, owner, len(parts))
    found = [gather(part, some) for part, some in zip(parts, wanted, strict=True)]
    rows = PARALLEL_DYNAMIC_STITCH(places, found, name=name)
    row: TensorShape = reduce(
        lambda known, part: known.merge_with(part.shape[1:]), parts[1:], parts[0].shape[1:]
    )
    sizes: Any = row.as_list() if row.is_fully_defined() else shape(parts[0])[1:]
    result = reshape(rows, concat([shape(ids), sizes], 0))
    result.set_shape(ids.shape.concatenate(row))
    return result


def _dealt(parts: Sequence[Any], ids: Tensor) -> tuple[Tensor, Tensor]:
    """In which part a row is, and where in it, if rows are dealt out to the parts in turn."""
    return ids % len(parts), ids // len(parts)


def _in_blocks(parts: Sequence[Any], ids: Tensor) -> tuple[Tensor, Tensor]:
    """The same, if parts follow one another: the first ones have a row more than the others."""
    lengths = [part.shape.as_list()[0] for part in parts]
    if None in lengths:
        counted = [
            shape(part)[0] if length is None else constant(length)
            for part, length in zip(parts, lengths, strict=True)
        ]
        total = reduce_sum(cast(stack(counted), ids.dtype))
    else:
        total = constant(sum(lengths), ids.dtype)
    least = total // len(parts)
    longer = total % len(parts)
    owner = maximum(ids // (least + 1), (ids - longer) // least)
    place = where(owner < longer, ids % (least + 1), (ids - longer) % least)
    return owner, place
