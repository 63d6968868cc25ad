"""Labels for CTC: repeated ones collapsed, unique ones listed."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.cast import cast
from ..array.concat import concat
from ..array.constants import ones_like
from ..array.ranges import range as numbers_in
from ..array.reshape import expand_dims
from ..array.shapes import shape
from ..array.stack import stack
from ..indexing.gather import gather
from ..indexing.gather_nd import scatter_nd
from ..indexing.masks import boolean_mask, sequence_mask
from ..math.argmax import argmax
from ..math.comparison import equal, not_equal
from ..math.cumsum import cumsum
from ..math.logical import logical_and
from ..math.reductions import reduce_max, reduce_sum
from ..math.where import where

public = {"td.nn": "collapse_repeated ctc_unique_labels"}


def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Rows of labels, of which those are dropped that follow their like.

    Args:
        labels: ints [batch, labels].
        seq_length: how many labels each row has, ints [batch].
        name: a name for the scope of the ops.

    Returns:
        The labels that are left, filled up with 0, and how many those are in each row, int32.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     left, lengths = td.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
        ...     print(session.run(left), session.run(lengths))
        [[1 2 1]
         [3 0 0]] [3 1]
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        given, lengths = convert_to_tensor(labels), convert_to_tensor(seq_length)
        starts = ones_like(given[:, :1], dtype="bool")
        changes = concat([starts, not_equal(given[:, 1:], given[:, :-1])], 1)
        kept = logical_and(changes, sequence_mask(lengths, shape(given)[1]))
        numbers = reduce_sum(cast(kept, "int32"), 1)
        most = reduce_max(numbers)
        places = cast(where(sequence_mask(numbers, most)), "int32")
        left = scatter_nd(places, boolean_mask(given, kept), stack([shape(given)[0], most]))
        left.set_shape([given.shape[0], None])
        return left, numbers


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Any, Any]:
    """The different labels of each row, and which of them stands where.

    `td.nn.ctc_loss_v2` takes the pair as `unique`.

    Args:
        labels: ints [batch, labels].
        name: a name for the scope of the ops.

    Returns:
        [batch, labels]: the different labels in the order in which they come, filled up with 0;
        and for each label its place among those, int32.

    Raises:
        ValueError: the rank is not 2.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     different, places = td.nn.ctc_unique_labels([[3, 4, 4, 3]])
        ...     print(session.run(different), session.run(places))
        [[3 4 0 0]] [[0 1 1 0]]
    """
    with name_scope(name, "ctc_unique_labels", [labels]):
        tensor = convert_to_tensor(labels)
        same = equal(expand_dims(tensor, 2), expand_dims(tensor, 1))
        first = argmax(cast(same, "int32"), 2, output_type="int32")
        is_first = equal(first, numbers_in(shape(tensor)[1]))
        ranks = cumsum(cast(is_first, "int32"), 1) - 1
        rows = cast(where(is_first), "int32")[:, 0]
        places = stack([rows, boolean_mask(ranks, is_first)], 1)
        different = scatter_nd(places, boolean_mask(tensor, is_first), shape(tensor))
        different.set_shape(tensor.shape)
        return different, gather(ranks, first, batch_dims=1)
