"""`td.nn.embedding_lookup_sparse`: embeddings combined for each row of sparse ids."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import constant, zeros_like
from ..array.reshape import reshape
from ..array.shapes import shape
from ..indexing.gather import gather
from ..indexing.slice import slice as cut
from ..math.arithmetic import multiply
from ..math.comparison import greater, greater_equal
from ..math.division import truediv
from ..math.exponentials import sqrt
from ..math.logical import logical_and
from ..math.reductions import reduce_prod
from ..math.segments import segment_sum
from ..math.where import where_v2
from ..sorting.unique import unique
from ..sparse.sparse_empty_rows import sparse_fill_empty_rows
from ..sparse.sparse_joining import sparse_reshape
from ..sparse.sparse_transforms import sparse_retain
from ..statistics.clip import clip_by_norm
from ..statistics.segment_means import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from .embeddings import embedding_lookup

public = {
    "td.nn": "embedding_lookup_sparse safe_embedding_lookup_sparse",
    "td.contrib.layers": "safe_embedding_lookup_sparse",
}

_UNWEIGHTED = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
) -> Tensor:
    """For each row of sparse ids, the sum or mean of the rows of embeddings that they name.

    Args:
        params: the embeddings: a tensor, or a list of its parts.
        sp_ids: a SparseTensor of ids, whose rows all hold something.
        sp_weights: a SparseTensor of weights at the same places; None for 1 each.
        partition_strategy: how ids fall to parts: "mod" or "div".
        name: a name for the ops.
        combiner: "sum", "mean" (over the sum of weights), or "sqrtn" (over the root of the sum of
            their squares); by default "mean".
        max_norm: the greatest norm that a row may have: longer ones are made shorter.

    Returns:
        A Tensor with a row for each row of ids.

    Raises:
        ValueError: there is no such combiner.
        TypeError: the ids or weights are not sparse.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ids = td.SparseTensor([[0, 0], [0, 1], [1, 0]], td.constant([0, 2, 1]), [2, 2])
        ...     rows = td.constant([[1.0], [2.0], [5.0]])
        ...     print(session.run(td.nn.embedding_lookup_sparse(rows, ids, None)))
        [[3.]
         [2.]]
    """
    combiner = combiner or "mean"
    if combiner not in _UNWEIGHTED:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}")
    for what, given in (("sp_ids", sp_ids), ("sp_weights", sp_weights)):
        if not isinstance(given, SparseTensor) and (given is not None or what == "sp_ids"):
            raise TypeError(f"{what} must be SparseTensor, got {given!r}")
    with name_scope(name, "embedding_lookup_sparse", [sp_ids]) as scope:
        segments = cast(sp_ids.indices[:, 0], "int32")
        ids, places = unique(sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy)
        if max_norm is not None:
            rows = clip_by_norm(rows, max_norm, axes=[*range(1, rows.shape.rank or 2)])
        if sp_weights is None:
            return _UNWEIGHTED[combiner](rows, places, segments, name=scope)
        weights = cast(sp_weights.values, rows.dtype)
        columns = reshape(weights, [-1, *[1] * ((rows.shape.rank or 2) - 1)])
        total = segment_sum(multiply(gather(rows, places), columns), segments)
        if combiner == "mean":
            return truediv(total, segment_sum(columns, segments), name=scope)
        if combiner == "sqrtn":
            return truediv(total, sqrt(segment_sum(columns * columns, segments)), name=scope)
        return total


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
) -> Tensor:
    """`embedding_lookup_sparse` of any ids: rows may be empty, and ids below 0 are passed over.

    Args:
        embedding_weights: the embeddings: a tensor, or a list of its parts.
        sparse_ids: a SparseTensor of ids, of rank 2 or more.
        sparse_weights: a SparseTensor of weights at the same places; None for 1 each. Those that
            are not positive are passed over, unless the combiner is "sum".
        combiner: as for `embedding_lookup_sparse`.
        default_id: the id of rows that hold nothing; by default they are zero.
        name: a name for the ops.
        partition_strategy: how ids fall to parts: "mod" or "div".
        max_norm: as for `embedding_lookup_sparse`.

    Returns:
        A Tensor of all dimensions of the ids but the last, with that of embeddings in its place.

    Raises:
        ValueError: there are no embeddings, or there is no such combiner.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ids = td.SparseTensor([[0, 0], [0, 1], [1, 0]], td.constant([0, 2, -1]), [3, 2])
        ...     rows = td.constant([[1.0], [2.0], [5.0]])
        ...     print(session.run(td.nn.safe_embedding_lookup_sparse(rows, ids)))
        [[3.]
         [0.]
         [0.]]
    """
    parts = [*embedding_weights] if isinstance(embedding_weights, list) else [embedding_weights]
    if not parts or any(part is None for part in parts):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    with name_scope(name, "embedding_lookup", [sparse_ids]) as scope:
        outer = cut(sparse_ids.dense_shape, [0], [shape(sparse_ids.dense_shape)[0] - 1])
        last = gather(sparse_ids.dense_shape, shape(sparse_ids.dense_shape)[0] - 1)
        flat = [reduce_prod(outer), last]
        known = _outer_sizes(sparse_ids)
        ids = sparse_reshape(sparse_ids, flat)
        weights = sparse_weights
        if weights is not None:
            weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
        ids, weights = _pruned(ids, weights, combiner)
        ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, constant(1, weights.values.dtype))
        result = embedding_lookup_sparse(
            embedding_weights,
            ids,
            weights,
            partition_strategy,
            None if default_id is None else scope,
            combiner,
            max_norm,
        )
        if default_id is None:
            # Rows without an id have looked up row 0 in their need.
            empty = reshape(is_empty, [-1, *[1] * ((result.shape.rank or 2) - 1)])
            result = where_v2(empty, zeros_like(result), result, name=scope)
        sizes = concat([cast(outer, "int32"), shape(result)[1:]], 0)
        final: Tensor = reshape(result, sizes)
        if known is not None:
            final.set_shape([*known, *result.shape.as_list()[1:]])
        return final


def _outer_sizes(ids: SparseTensor) -> list[int | None] | None:
    """The sizes of all dimensions but the last, as far as they are known."""
    sizes = ids.get_shape()
    return None if sizes.rank is None else sizes.as_list()[:-1]


def _pruned(ids: SparseTensor, weights: SparseTensor | None, combiner: str) -> tuple[Any, Any]:
    """Without ids below 0, and without weights that are not positive."""
    kept = greater_equal(ids.values, 0)
    if weights is None:
        return sparse_retain(ids, kept), None
    if combiner != "sum":
        kept = logical_and(kept, greater(weights.values, 0))
    return sparse_retain(ids, kept), sparse_retain(weights, kept)
