"""Partitioners: numbers and positions of the parts of a variable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...protos.dtypes import DType, as_dtype
from ...shape_inference.tensor_shape import TensorShape

if TYPE_CHECKING:
    Partitioner = Callable[..., list[int]]

public = {
    "td": "fixed_size_partitioner min_max_variable_partitioner variable_axis_size_partitioner",
}


class PartitionInfo(NamedTuple):
    """Position of the part that an initializer makes: its argument `partition_info`.

    Args:
        full_shape: the shape of the whole.
        var_offset: where the part begins, in each dimension.
    """

    full_shape: list[int]
    var_offset: list[int]


class Slice(NamedTuple):
    """Position of a part of a variable.

    Args:
        offset: where it begins, in each dimension.
        shape: its shape.
    """

    offset: list[int]
    shape: list[int]


def partitions_of(partitioner: Callable[..., Any], shape: TensorShape, dtype: DType) -> list[int]:
    """Into how many parts a partitioner divides each dimension of a variable.

    Raises:
        ValueError: the shape is not known, or the partitioner gives no such numbers, or divides
            more than one dimension.
    """
    if not shape.is_fully_defined():
        raise ValueError(
            f"shape of a new partitioned variable must be fully defined, but instead was {shape}"
        )
    partitions = partitioner(shape=shape, dtype=dtype)
    numbers = list(partitions) if isinstance(partitions, (list, tuple)) else None
    if numbers is None or len(numbers) != shape.rank or any(int(n) < 1 for n in numbers):
        raise ValueError(
            f"a partitioner must return a positive number for each dimension of {shape}, got "
            f"{partitions}"
        )
    if sum(number > 1 for number in numbers) > 1:
        raise ValueError(f"a partitioner may divide one dimension, got {numbers}")
    return [int(number) for number in numbers]


def slices(sizes: Sequence[int], partitions: Sequence[int]) -> Iterator[Slice]:
    """Positions of the parts of a variable: if sizes cannot be equal, the first are larger.

    Raises:
        ValueError: there are more parts than the dimension is long.
    """
    axis = next((axis for axis, number in enumerate(partitions) if number > 1), 0)
    number, size = partitions[axis], sizes[axis]
    if number > max(1, size):
        raise ValueError(f"a dimension of size {size} cannot be divided into {number} parts")
    start = 0
    for i in range(number):
        length = size // number + (i < size % number)
        offset, shape = [0] * len(sizes), list(sizes)
        offset[axis], shape[axis] = start, length
        yield Slice(offset, shape)
        start += length


def _bytes_of(dtype: Any, bytes_per_string_element: int) -> int:
    wanted = as_dtype(dtype).base_dtype
    return bytes_per_string_element if wanted.name == "string" else wanted.size


def _on_axis(sizes: Sequence[int], axis: int, number: int) -> list[int]:
    numbers = [1] * len(sizes)
    numbers[axis] = number
    return numbers


def _sizes(shape: Any, axis: int) -> list[int]:
    """The sizes of a shape that has the dimension `axis`."""
    static_shape = TensorShape(shape)
    if not static_shape.is_fully_defined():
        raise ValueError(f"a shape to divide must be fully defined, got {static_shape}")
    sizes = [size for size in static_shape.as_list() if size is not None]
    if not -len(sizes) <= axis < len(sizes):
        raise ValueError(f"axis = {axis} is not a dimension of shape {sizes}")
    return sizes


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner for `td.get_variable` and `td.variable_scope` that makes a number of parts.

    Args:
        num_shards: how many; fewer where the dimension is shorter.
        axis: the dimension to divide.

    Returns:
        A function of `shape` and `dtype`, which returns the number of parts along each dimension.

    Example:
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer", partitioner=td.fixed_size_partitioner(2)):
        ...         w = td.get_variable("w", [5, 3])
        ...     [(part.op.name, part.shape.as_list()) for part in w]
        [('layer/w/part_0', [3, 3]), ('layer/w/part_1', [2, 3])]
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        sizes = _sizes(shape, axis)
        return _on_axis(sizes, axis, min(num_shards, sizes[axis]))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner that makes parts of at most so many bytes.

    Args:
        max_shard_bytes: the most bytes of a part, unless a single slice has more.
        axis: the dimension to divide.
        bytes_per_string_element: what an element counts where the dtype is string.
        max_shards: the most parts; more bytes are put into each, if need be.

    Returns:
        As `td.fixed_size_partitioner`.

    Raises:
        ValueError: a number is less than 1.

    Example:
        >>> td.variable_axis_size_partitioner(1 << 20)([1000, 1000], td.float32)
        [4, 1]
    """
    for name, number in (
        ("max_shard_bytes", max_shard_bytes),
        ("bytes_per_string_element", bytes_per_string_element),
        ("max_shards", 1 if max_shards is None else max_shards),
    ):
        if number < 1:
            raise ValueError(f"{name} must be positive, got {number}")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape, axis)
        others = math.prod(sizes[:axis]) * math.prod(sizes[axis:][1:])
        slice_bytes = max(1, others * _bytes_of(dtype, bytes_per_string_element))
        parts = -(-sizes[axis] // max(1, max_shard_bytes // slice_bytes))
        return _on_axis(sizes, axis, max(1, min(parts, max_shards or parts)))

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that makes parts of at least so many bytes.

    Args:
        max_partitions: the most parts.
        axis: the dimension to divide.
        min_slice_size: the least bytes of a part, but for the rest.
        bytes_per_string_element: what an element counts where the dtype is string.

    Returns:
        As `td.fixed_size_partitioner`.

    Example:
        >>> td.min_max_variable_partitioner(4)([1000, 1000], td.float32)
        [4, 1]
    """

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape, axis)
        size = math.prod(sizes) * _bytes_of(dtype, bytes_per_string_element)
        parts = -(-size // min_slice_size)
        return _on_axis(sizes, axis, max(1, min(sizes[axis], max_partitions, parts)))

    return partitioner
