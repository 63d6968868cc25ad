"""Sparse tensors from dense ones and from each other: mask, retain, transpose, merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import control_dependencies, name_scope
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Tensor
from ...graph.sparse_tensor import SparseTensor, SparseTensorValue
from ...protos.dtypes import as_dtype, bool as boolean, int64
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import constant, fill, ones, ones_like
from ..array.identity import identity
from ..array.ranges import range as arange
from ..array.reshape import expand_dims, reshape
from ..array.shapes import shape, size
from ..array.stack import stack
from ..common.shared_docs import shared_docs
from ..debugging.assertions import assert_equal, assert_less_equal
from ..indexing.gather import gather
from ..indexing.gather_nd import gather_nd
from ..math.arithmetic import maximum, minimum
from ..math.comparison import not_equal
from ..math.reductions import reduce_max
from ..math.where import where
from ..sorting.setdiff1d import setdiff1d
from .sparse_components import SPARSE_ARGS, as_sparse
from .sparse_to_dense import sparse_reorder, sparse_tensor_to_dense

public = {
    "td": (
        "sparse_expand_dims sparse_eye sparse_mask sparse_merge sparse_reset_shape sparse_retain "
        "sparse_to_indicator sparse_transpose"
    ),
    "td.sparse": (
        "expand_dims=sparse_expand_dims eye=sparse_eye from_dense mask=sparse_mask "
        "merge=sparse_merge reset_shape=sparse_reset_shape retain=sparse_retain "
        "to_indicator=sparse_to_indicator transpose=sparse_transpose"
    ),
}

_documented = shared_docs(
    SPARSE_ARGS | {"name": "a name for the scope of the ops."},
    returns="A SparseTensor.",
    raises="TypeError: an input is not a SparseTensor.",
)


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """A dense tensor as a sparse one, which stores what is not zero, or no empty string.

    Args:
        tensor: a tensor of numbers, bools or strings.
        name: a name for the scope of the ops.

    Returns:
        A SparseTensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.sparse.from_dense([[0, 5], [6, 0]])).values.tolist()
        [5, 6]
    """
    with name_scope(name, "dense_to_sparse", [tensor]):
        x = convert_to_tensor(tensor)
        nothing = "" if x.dtype.base_dtype.name == "string" else np.zeros((), x.dtype.numpy_dtype)
        indices = where(not_equal(x, constant(nothing, x.dtype.base_dtype)))
        return SparseTensor(indices, gather_nd(x, indices), shape(x, out_type=int64))


def sparse_eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = "float32", name: str | None = None
) -> SparseTensor:
    """A sparse matrix with ones on its diagonal.

    Args:
        num_rows: how many rows, an integer scalar.
        num_columns: how many columns; by default as many.
        dtype: of the ones.
        name: a name for the scope of the ops.

    Returns:
        A SparseTensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.sparse.eye(2, 3)).indices.tolist()
        [[0, 0], [1, 1]]
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = cast(num_rows, int64)
        sizes = stack([rows, rows if num_columns is None else cast(num_columns, int64)])
        number = minimum(sizes[0], sizes[1])
        along = arange(number)
        return SparseTensor(
            stack([along, along], 1), ones(reshape(number, [1]), as_dtype(dtype)), sizes
        )


@_documented
def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with a dimension of size 1 more.

    Args:
        axis: where; negative ones count from the end. By default at the end.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[1]], [5], [2])
        ...     session.run(td.sparse_expand_dims(x, 0)).indices.tolist()
        [[0, 1]]
    """
    x = as_sparse(sp_input)
    with name_scope(name, "expand_dims", [x.indices]):
        at: Any = convert_to_tensor(-1 if axis is None else axis, name="axis")
        rank = size(x.dense_shape)
        at = where(at < 0, at + rank + 1, at)
        count = shape(x.indices, out_type=int64)[0]
        column = fill(stack([count, 1]), constant(0, int64))
        indices = concat([x.indices[:, :at], column, x.indices[:, at:]], 1)
        sizes = concat([x.dense_shape[:at], constant([1], int64), x.dense_shape[at:]], 0)
        return SparseTensor(indices, x.values, sizes)


@_documented
def sparse_transpose(
    sp_input: Any, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor with its dimensions in another order.

    Args:
        perm: the order of the dimensions, as for `td.transpose`; by default reversed.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3])
        ...     session.run(td.sparse_transpose(x)).values.tolist()
        [6, 5]
    """
    x = as_sparse(sp_input)
    with name_scope(name, "SparseTranspose", [x.indices]):
        order = arange(size(x.dense_shape) - 1, -1, -1) if perm is None else perm
        parts = (gather(x.indices, order, axis=1), x.values, gather(x.dense_shape, order))
        return sparse_reorder(SparseTensor(*parts))


@_documented
def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """A sparse tensor that stores some of what another one does.

    Args:
        to_retain: a bool vector: which of the values stay.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0], [2]], [5, 6], [3])
        ...     session.run(td.sparse_retain(x, [False, True])).values.tolist()
        [6]
    """
    x = as_sparse(sp_input)
    kept = convert_to_tensor(to_retain, boolean, "to_retain")
    kept.shape.with_rank(1)[0].merge_with(x.values.shape.with_rank(1)[0])
    places = reshape(where(kept), [-1])
    return SparseTensor(gather(x.indices, places), gather(x.values, places), x.dense_shape)


@_documented
def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """A sparse tensor with the same values in a larger shape, or in the least that holds them.

    Args:
        new_shape: the sizes, none below that of `sp_input`; by default the least ones.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.
        ValueError: `new_shape` is known to have another rank, or a size that is too small; where it
            is not known, the run raises an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.SparseTensor([[0, 1]], [5], [7, 7])
        ...     session.run(td.sparse_reset_shape(x)).dense_shape.tolist()
        [1, 2]
    """
    x = as_sparse(sp_input)
    if new_shape is None:
        beyond = reduce_max(x.indices, 0) + ones_like(x.dense_shape)
        return SparseTensor(x.indices, x.values, maximum(beyond, constant(0, int64)))
    sizes = convert_to_tensor(new_shape, int64, "new_shape")
    sizes.shape.with_rank(1)[0].merge_with(x.dense_shape.shape.with_rank(1)[0])
    checks = [
        assert_equal(shape(x.dense_shape), shape(sizes)),
        assert_less_equal(x.dense_shape, sizes),
    ]
    with control_dependencies(checks):
        return SparseTensor(x.indices, x.values, identity(sizes))


def sparse_to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Tensor:
    """Multi-hot encoding of the ids in each row of a sparse tensor, as bools.

    Args:
        sp_input: a SparseTensor of int32 or int64 in [0, vocab_size).
        vocab_size: the size of the last dimension of the result.
        name: a name for the scope of the ops.

    Returns:
        A bool Tensor [..., vocab_size]: the last dimension of `sp_input` has given way to the ids.

    Raises:
        TypeError: `sp_input` is not a SparseTensor.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ids = td.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
        ...     print(session.run(td.sparse_to_indicator(ids, 3)))
        [[False False  True]
         [ True  True False]]
    """
    x = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [x.indices]):
        marks = fill(shape(x.values), constant(True))
        merged = sparse_merge(x, SparseTensor(x.indices, marks, x.dense_shape), vocab_size)
        return sparse_tensor_to_dense(merged, False, validate_indices=False)


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Ids and values of a batch as one sparse tensor, in which the ids are indices.

    Args:
        sp_ids: a SparseTensor of int32 or int64; or a list of them, for several indices.
        sp_values: a SparseTensor with the same indices.
        vocab_size: the size of the dimension of the ids; or a list, as `sp_ids`.
        name: a name for the scope of the ops.
        already_sorted: whether the ids of each row are in order.

    Returns:
        A SparseTensor whose last dimensions are those of the ids, in place of that of `sp_values`.

    Raises:
        TypeError: an input is not a SparseTensor.
        ValueError: there are other numbers of ids and sizes.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ids = td.SparseTensor([[0, 0], [1, 0]], [4, 2], [2, 1])
        ...     weights = td.SparseTensor([[0, 0], [1, 0]], [0.5, 0.25], [2, 1])
        ...     session.run(td.sparse_merge(ids, weights, 6)).indices.tolist()
        [[0, 4], [1, 2]]
    """
    several = isinstance(sp_ids, (list, tuple)) and not isinstance(sp_ids, SparseTensorValue)
    given: Sequence[Any] = sp_ids if several else [sp_ids]
    sizes: Sequence[Any] = vocab_size if several else [vocab_size]
    if len(given) != len(sizes):
        raise ValueError(f"sp_ids and vocab_size must be as many, got {len(given)}, {len(sizes)}")
    ids, values = [as_sparse(item) for item in given], as_sparse(sp_values)
    with name_scope(name, "SparseMerge", [values.indices]):
        columns = [expand_dims(cast(item.values, int64), 1) for item in ids]
        indices = concat([values.indices[:, :-1], *columns], 1)
        last = [reshape(cast(size, int64), [1]) for size in sizes]
        whole = concat([values.dense_shape[:-1], *last], 0)
        merged = SparseTensor(indices, values.values, whole)
        return merged if already_sorted else sparse_reorder(merged)


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """IndexedSlices without the rows of some numbers.

    Args:
        a: the IndexedSlices.
        mask_indices: the numbers of the rows that go, a vector.
        name: a name for the scope of the ops.

    Returns:
        IndexedSlices of the rows that stay.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     rows = td.IndexedSlices(td.eye(3), td.constant([4, 5, 6]), [9, 3])
        ...     session.run(td.sparse_mask(rows, [5])).indices.tolist()
        [4, 6]
    """
    with name_scope(name, "sparse_mask", [a.values]):
        kept, places = setdiff1d(a.indices, convert_to_tensor(mask_indices, a.indices.dtype))
        return IndexedSlices(gather(a.values, places), kept, a.dense_shape)
