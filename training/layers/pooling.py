"""Pooling layers: the maximum, or the mean, of what a window sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.array.reshape import expand_dims, squeeze
from ...shape_inference.tensor_shape import TensorShape
from .input_spec import InputSpec
from .layer import Layer

_SINGULAR = {1: "NWC NCW", 2: "NHWC NCHW", 3: "NDHWC NCDHW"}


def wire_format(data_format: str, rank: int) -> str:
    """What ops call "channels_last" and "channels_first", for tensors with so many dimensions.

    Raises:
        ValueError: it is neither.
    """
    last, first = _SINGULAR[rank].split()
    known = {"channels_last": last, "channels_first": first, last: last, first: first}
    if data_format not in known:
        raise ValueError(
            f"data_format must be channels_last or channels_first, got {data_format!r}"
        )
    return known[data_format]


def each(name: str, value: Any, rank: int) -> list[int]:
    """A number for each dimension of space: one for all, or one for each, as a shape has them.

    Raises:
        ValueError: there are more, or fewer, or one of a shape is not known.
    """
    value = value.as_list() if isinstance(value, TensorShape) else value
    listed = isinstance(value, (list, tuple, np.ndarray))
    if listed and None in value:
        raise ValueError(f"{name} must be {rank} known numbers, got {value!r}")
    values = [int(item) for item in value] if listed else [value] * rank
    if len(values) != rank or None in values:
        raise ValueError(f"{name} must be a number or {rank} of them, got {value!r}")
    return values


class Pooling(Layer):
    """What pooling layers have in common."""

    rank = 0
    pool: Callable[..., Any]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(name=name, **settings)
        self.pool_size = each("pool_size", pool_size, self.rank)
        self.strides = each("strides", strides, self.rank)
        self.padding = padding.upper()
        self.data_format = wire_format(data_format, self.rank)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The output, of the rank of the input."""
        return pooled(
            type(self).pool, inputs, self.pool_size, self.strides, self.padding, self.data_format
        )


def pooled(
    pool: Callable[..., Any],
    inputs: Any,
    pool_size: list[int],
    strides: list[int],
    padding: str,
    wire: str,
) -> Any:
    """Pools; sequences as images of one column."""
    if len(pool_size) > 1:
        return pool(inputs, pool_size, strides, padding, data_format=wire)
    axis = 2 if wire == "NWC" else 3
    images = "NHWC" if wire == "NWC" else "NCHW"
    found = pool(
        expand_dims(inputs, axis), [*pool_size, 1], [*strides, 1], padding, data_format=images
    )
    return squeeze(found, [axis])
