"""Masks: sequence_mask, boolean_mask."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import bool as bool_, int64
from ...shape_inference.rules import normal_axis
from ..array import ranges
from ..array.cast import cast
from ..array.concat import concat
from ..array.reshape import expand_dims, reshape, squeeze
from ..array.shapes import shape
from ..math.arithmetic import maximum
from ..math.comparison import less
from ..math.reductions import reduce_max, reduce_prod
from ..math.where import where
from .gather import gather

public = {"td": "boolean_mask sequence_mask"}


def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Tensor:
    """For each length a row that is True at its first `length` positions.

    Args:
        lengths: integers of any shape. (The documents say a vector, as TensorFlow r0.12 had it.)
        maxlen: how long the rows are: an integer scalar, by default the greatest length.
        dtype: the dtype of the result.
        name: a name for the op.

    Returns:
        A Tensor of shape `lengths.shape + [maxlen]`.

    Raises:
        ValueError: `maxlen` is not a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.sequence_mask([1, 3, 2], 5, td.int32)))
        [[1 0 0 0 0]
         [1 1 1 0 0]
         [1 1 0 0 0]]
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths, name="lengths")
        if maxlen is None:
            maxlen = maximum(reduce_max(lengths), 0)
        else:
            maxlen = convert_to_tensor(maxlen, preferred_dtype=lengths.dtype, name="maxlen")
        if maxlen.shape.rank not in (0, None):
            raise ValueError(f"maxlen must be a scalar, got shape {maxlen.shape}")
        positions = ranges.range(maxlen)
        mask = less(positions, cast(expand_dims(lengths, -1), maxlen.dtype))
        return cast(mask, dtype)


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: str | None = "boolean_mask", axis: int | None = None
) -> Tensor:
    """The elements or slices of `tensor` where `mask` is True, as NumPy's `tensor[mask]`.

    Args:
        tensor: a tensor of any dtype.
        mask: a bool tensor whose shape is that of the first dimensions of `tensor`. Its rank must
            be at least 1 and known before the run.
        name: a name for the op.
        axis: where in `tensor` the dimensions of `mask` begin, a number; by default 0.

    Returns:
        A Tensor of shape `[count] + tensor.shape[rank(mask):]`, behind the dimensions before
        `axis`.

    Raises:
        ValueError: the rank of `mask` is 0 or unknown, or the shapes differ.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True])))
        [[1 2]
         [5 6]]
    """
    with name_scope(name, "boolean_mask", [tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        rank = mask.shape.rank
        if not rank:
            raise ValueError(
                f"mask must have a known rank of at least 1, got a tensor of shape {mask.shape}"
            )
        start = axis or 0
        if tensor.shape.rank is not None:
            start = normal_axis(start, tensor.shape.rank) if start else 0
        elif start < 0:
            raise ValueError(f"axis = {axis} needs a tensor of known rank")
        end = start + rank
        if not tensor.shape[start:end].is_compatible_with(mask.shape):
            which = f"dimensions from {start} on" if start else "first dimensions"
            raise ValueError(
                f"mask must have the shape of the {which} of tensor, got {mask.shape} and "
                f"{tensor.shape}"
            )
        if rank > 1:
            sizes = shape(tensor, out_type=int64)
            count = reduce_prod(sizes[start:end], keep_dims=True)
            parts = [sizes[:start], count, sizes[end:]] if start else [count, sizes[end:]]
            tensor = reshape(tensor, concat(parts, 0))
            mask = reshape(mask, [-1])
        return gather(tensor, squeeze(where(mask), axis=[1]), axis=start)
