"""Layers that take the mean of what a window sees."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.windows.pooling import avg_pool, avg_pool3d
from .pooling import Pooling

public = {
    "td.layers": (
        "AveragePooling1D AveragePooling2D AveragePooling3D average_pooling1d average_pooling2d "
        "average_pooling3d"
    ),
}


class AveragePooling1D(Pooling):
    """The mean of what a window sees in sequences `[batch, steps, channels]`.

    Args:
        pool_size: the size of the window: a number.
        strides: how far it moves: a number.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling1D(2, 2)(td.ones([2, 4, 3])).shape.as_list()
        [2, 2, 3]
    """

    rank = 1
    pool = staticmethod(avg_pool)


def average_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean of what a window sees in sequences `[batch, steps, channels]`.

    Args:
        inputs: a tensor of rank 3.
        pool_size: the size of the window: a number.
        strides: how far it moves: a number.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.average_pooling1d(td.ones([2, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 3]
    """
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(
        convert_to_tensor(inputs)
    )


class AveragePooling2D(Pooling):
    """The mean of what a window sees in images `[batch, rows, columns, channels]`.

    Args:
        pool_size: the size of the window: a number, or 2 of them.
        strides: how far it moves: a number, or 2 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling2D(2, 2)(td.ones([2, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 3]
    """

    rank = 2
    pool = staticmethod(avg_pool)


def average_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean of what a window sees in images `[batch, rows, columns, channels]`.

    Args:
        inputs: a tensor of rank 4.
        pool_size: the size of the window: a number, or 2 of them.
        strides: how far it moves: a number, or 2 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.average_pooling2d(td.ones([2, 4, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 2, 3]
    """
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(
        convert_to_tensor(inputs)
    )


class AveragePooling3D(Pooling):
    """The mean of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

    Args:
        pool_size: the size of the window: a number, or 3 of them.
        strides: how far it moves: a number, or 3 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.
        settings: further arguments of `td.layers.Layer`.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling3D(2, 2)(td.ones([2, 4, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 2, 3]
    """

    rank = 3
    pool = staticmethod(avg_pool3d)


def average_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

    Args:
        inputs: a tensor of rank 5.
        pool_size: the size of the window: a number, or 3 of them.
        strides: how far it moves: a number, or 3 of them.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        name: the name of the layer.

    Returns:
        A Tensor of that rank.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.layers.average_pooling3d(td.ones([2, 4, 4, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 2, 2, 3]
    """
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(
        convert_to_tensor(inputs)
    )
