"""Pooling layers: maximum or average over windows."""

from __future__ import annotations

from typing import Any

from ...training.layers.pooling_layers import (
    AveragePooling1D as _AveragePooling1D,
    AveragePooling2D as _AveragePooling2D,
    AveragePooling3D as _AveragePooling3D,
    MaxPooling1D as _MaxPooling1D,
    MaxPooling2D as _MaxPooling2D,
    MaxPooling3D as _MaxPooling3D,
)
from .base_layer import KerasStyle

public = {
    "td.keras.layers": (
        "AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D=AveragePooling1D "
        "AvgPool2D=AveragePooling2D AvgPool3D=AveragePooling3D MaxPool1D=MaxPooling1D "
        "MaxPool2D=MaxPooling2D MaxPool3D=MaxPooling3D MaxPooling1D MaxPooling2D "
        "MaxPooling3D"
    )
}


class MaxPooling1D(KerasStyle, _MaxPooling1D):
    """Max pooling along one dimension: `td.layers.MaxPooling1D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.MaxPooling1D(2, 2)
        ...     layer(td.ones([2, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 4, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)


class MaxPooling2D(KerasStyle, _MaxPooling2D):
    """Max pooling of images: `td.layers.MaxPooling2D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.MaxPooling2D(2, 2)
        ...     layer(td.ones([2, 8, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 4, 4, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)


class MaxPooling3D(KerasStyle, _MaxPooling3D):
    """Max pooling of volumes: `td.layers.MaxPooling3D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.MaxPooling3D(2, 2)
        ...     layer(td.ones([2, 4, 4, 4, 3])).shape.as_list(), len(layer.weights)
        ([2, 2, 2, 2, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)


class AveragePooling1D(KerasStyle, _AveragePooling1D):
    """Average pooling along one dimension: `td.layers.AveragePooling1D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.AveragePooling1D(2, 2)
        ...     layer(td.ones([2, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 4, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)


class AveragePooling2D(KerasStyle, _AveragePooling2D):
    """Average pooling of images: `td.layers.AveragePooling2D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.AveragePooling2D(2, 2)
        ...     layer(td.ones([2, 8, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 4, 4, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)


class AveragePooling3D(KerasStyle, _AveragePooling3D):
    """Average pooling of volumes: `td.layers.AveragePooling3D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.AveragePooling3D(2, 2)
        ...     layer(td.ones([2, 4, 4, 4, 3])).shape.as_list(), len(layer.weights)
        ([2, 2, 2, 2, 3], 0)
    """

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", **kwargs: Any
    ) -> None:
        super().__init__(pool_size, pool_size if strides is None else strides, padding, **kwargs)
