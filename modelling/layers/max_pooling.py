"""Layers that take the maximum of what a window sees."""

from __future__ import annotations

from typing import Any

from ...graph.convert import convert_to_tensor
from ...ops.windows.pooling import max_pool, max_pool3d
from .pooling import Pooling

public = {
    "td.layers": (
        "MaxPooling1D MaxPooling2D MaxPooling3D max_pooling1d max_pooling2d max_pooling3d"
    ),
}


class MaxPooling1D(Pooling):
    """The maximum of what a window sees in sequences `[batch, steps, channels]`.

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
        ...     td.layers.MaxPooling1D(2, 2)(td.ones([2, 4, 3])).shape.as_list()
        [2, 2, 3]
    """

    rank = 1
    pool = staticmethod(max_pool)


def max_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum of what a window sees in sequences `[batch, steps, channels]`.

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
        ...     td.layers.max_pooling1d(td.ones([2, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 3]
    """
    layer = MaxPooling1D(pool_size, strides, padding, data_format, name)
    return layer(convert_to_tensor(inputs))


class MaxPooling2D(Pooling):
    """The maximum of what a window sees in images `[batch, rows, columns, channels]`.

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
        ...     td.layers.MaxPooling2D(2, 2)(td.ones([2, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 3]
    """

    rank = 2
    pool = staticmethod(max_pool)


def max_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum of what a window sees in images `[batch, rows, columns, channels]`.

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
        ...     td.layers.max_pooling2d(td.ones([2, 4, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 2, 3]
    """
    layer = MaxPooling2D(pool_size, strides, padding, data_format, name)
    return layer(convert_to_tensor(inputs))


class MaxPooling3D(Pooling):
    """The maximum of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

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
        ...     td.layers.MaxPooling3D(2, 2)(td.ones([2, 4, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 2, 3]
    """

    rank = 3
    pool = staticmethod(max_pool3d)


def max_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

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
        ...     td.layers.max_pooling3d(td.ones([2, 4, 4, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 2, 2, 3]
    """
    layer = MaxPooling3D(pool_size, strides, padding, data_format, name)
    return layer(convert_to_tensor(inputs))
