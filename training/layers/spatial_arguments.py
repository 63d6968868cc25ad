"""Arguments of convolution and pooling layers: data formats, and sizes per dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...shape_inference.tensor_shape import TensorShape

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
