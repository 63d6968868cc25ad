"""Partitioners: how TensorFlow splits variables over servers. Here variables are kept whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...shape_inference.tensor_shape import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable

    Partitioner = Callable[..., list[int]]

public = {
    "td": "fixed_size_partitioner min_max_variable_partitioner variable_axis_size_partitioner",
}


def _whole(shape: Any, dtype: Any = None, **_: Any) -> list[int]:
    """The number of parts along each dimension: one."""
    del dtype
    return [1] * len(TensorShape(shape).as_list())


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner for `td.variable_scope`; variables are kept whole all the same.

    Checkpoints of partitioned variables are restored to whole ones.

    Args:
        num_shards: accepted for TensorFlow's sake.
        axis: accepted for TensorFlow's sake.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     with td.variable_scope("layer", partitioner=td.fixed_size_partitioner(2)):
        ...         td.get_variable("w", [4, 3]).op.name
        'layer/w'
    """
    del num_shards, axis
    return _whole


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner by the size of parts; as `td.fixed_size_partitioner`, it keeps variables whole.

    Args:
        max_shard_bytes: accepted for TensorFlow's sake, like the others.
        axis: accepted.
        bytes_per_string_element: accepted.
        max_shards: accepted.

    Example:
        >>> import tensordraft as td
        >>> td.variable_axis_size_partitioner(1 << 20)(shape=[1000, 1000])
        [1, 1]
    """
    del max_shard_bytes, axis, bytes_per_string_element, max_shards
    return _whole


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner by the size of parts; as `td.fixed_size_partitioner`, it keeps variables whole.

    Args:
        max_partitions: accepted for TensorFlow's sake, like the others.
        axis: accepted.
        min_slice_size: accepted.
        bytes_per_string_element: accepted.

    Example:
        >>> import tensordraft as td
        >>> td.min_max_variable_partitioner(4)(shape=[1000, 1000])
        [1, 1]
    """
    del max_partitions, axis, min_slice_size, bytes_per_string_element
    return _whole
