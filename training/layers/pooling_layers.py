"""Pooling layers: the maximum, or the mean, of what a window sees."""

from __future__ import annotations

from typing import Any

from ...ops.conv.pooling import avg_pool, avg_pool3d, max_pool, max_pool3d
from .layer_functions import apply_layer, described, sibling
from .pooling import Pooling

public = {
    "td.layers": (
        "AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D "
        "average_pooling1d average_pooling2d average_pooling3d max_pooling1d max_pooling2d "
        "max_pooling3d"
    ),
}


@described
class AveragePooling1D(Pooling):
    """The mean of what a window sees in sequences `[batch, steps, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling1D(2, 2)(td.ones([2, 4, 3])).shape.as_list()
        [2, 2, 3]
    """

    rank = 1
    pool = staticmethod(avg_pool)


@described
class AveragePooling2D(Pooling):
    """The mean of what a window sees in images `[batch, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling2D(2, 2)(td.ones([2, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 3]
    """

    rank = 2
    pool = staticmethod(avg_pool)


@described
class AveragePooling3D(Pooling):
    """The mean of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.AveragePooling3D(2, 2)(td.ones([2, 4, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 2, 3]
    """

    rank = 3
    pool = staticmethod(avg_pool3d)


@described
class MaxPooling1D(Pooling):
    """The maximum of what a window sees in sequences `[batch, steps, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.MaxPooling1D(2, 2)(td.ones([2, 4, 3])).shape.as_list()
        [2, 2, 3]
    """

    rank = 1
    pool = staticmethod(max_pool)


@described
class MaxPooling2D(Pooling):
    """The maximum of what a window sees in images `[batch, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.MaxPooling2D(2, 2)(td.ones([2, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 3]
    """

    rank = 2
    pool = staticmethod(max_pool)


@described
class MaxPooling3D(Pooling):
    """The maximum of what a window sees in volumes `[batch, planes, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.MaxPooling3D(2, 2)(td.ones([2, 4, 4, 4, 3])).shape.as_list()
        [2, 2, 2, 2, 3]
    """

    rank = 3
    pool = staticmethod(max_pool3d)


@described
def max_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum of what a window sees in images `[batch, rows, columns, channels]`.

    Returns:
        A Tensor of the rank of `inputs`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.max_pooling2d(td.ones([2, 4, 4, 3]), 2, 2).shape.as_list()
        [2, 2, 2, 3]
    """
    return apply_layer(MaxPooling2D, **locals())


_1D, _2D, _3D = [
    (f"td.ones([1, {'4, ' * rank}3]), 2, 2", f"[1, {'2, ' * rank}3]") for rank in (1, 2, 3)
]

average_pooling1d = sibling(max_pooling2d, AveragePooling1D, "average_pooling1d", *_1D)
average_pooling2d = sibling(max_pooling2d, AveragePooling2D, "average_pooling2d", *_2D)
average_pooling3d = sibling(max_pooling2d, AveragePooling3D, "average_pooling3d", *_3D)
max_pooling1d = sibling(max_pooling2d, MaxPooling1D, "max_pooling1d", *_1D)
max_pooling3d = sibling(max_pooling2d, MaxPooling3D, "max_pooling3d", *_3D)
