"""`td.repeat`: repeats each element along an axis."""

from __future__ import annotations

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...shape_inference.rules import normal_axis
from ..array import ranges
from ..array.cast import cast
from ..array.constants import fill
from ..array.reshape import expand_dims, reshape
from ..array.shapes import shape
from .gather import gather
from .masks import boolean_mask, sequence_mask

public = {"td": "repeat"}


def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each element along a dimension, repeated beside itself.

    Args:
        input: a tensor of known rank; one of rank 0 counts as a vector.
        repeats: how often: an integer, or one for each element along `axis`. Negative ones count
            as 0.
        axis: the dimension; by default `input` is flattened before.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the rank of `input`, or a vector without `axis`.

    Raises:
        ValueError: `repeats` is of a higher rank or of another length, `axis` is no dimension of
            `input`, or its rank is not known.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.repeat([[1, 2], [3, 4]], [1, 2], axis=0)))
        ...     print(session.run(td.repeat([3, 4], 2)))
        [[1 2]
         [3 4]
         [3 4]]
        [3 3 4 4]
    """
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="input")
        if axis is None or data.shape.rank == 0:
            data, axis = reshape(data, [-1]), 0
        if data.shape.rank is None:
            raise ValueError("input must have a known rank where axis is given")
        axis = normal_axis(axis, data.shape.rank)
        times = cast(convert_to_tensor(repeats, name="repeats"), "int32")
        return gather(data, _rows(data, times, axis), axis=axis)


def _rows(data: Tensor, times: Tensor, axis: int) -> Tensor:
    """Index along the axis of the input for each position of the result."""
    if times.shape.rank not in (0, 1):
        raise ValueError(f"repeats must be a scalar or a vector, got shape {times.shape}")
    dimension, value = data.shape[axis], constant_value(times)
    if times.shape.rank == 1 and times.shape[0].value != 1:
        times.shape[0].assert_is_compatible_with(dimension)
    if value is not None and dimension.value is not None:
        often = np.broadcast_to(np.maximum(value, 0), dimension.value)
        return convert_to_tensor(np.repeat(np.arange(dimension.value, dtype=np.int32), often))
    length = shape(data)[axis]
    if times.shape.num_elements() == 1:
        times = fill(expand_dims(length, 0), reshape(times, []))
    mask = sequence_mask(times)
    positions = expand_dims(ranges.range(length), 1) + cast(mask, "int32") * 0
    return boolean_mask(positions, mask)
