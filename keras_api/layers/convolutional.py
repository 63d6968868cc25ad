"""Layers with a kernel: dense ones and convolutions."""

from __future__ import annotations

from ...training.layers.conv_transpose import (
    Conv2DTranspose as _Conv2DTranspose,
    Conv3DTranspose as _Conv3DTranspose,
)
from ...training.layers.convolution import Conv1D as _Conv1D, Conv2D as _Conv2D, Conv3D as _Conv3D
from ...training.layers.core import Dense as _Dense
from ...training.layers.separable_convolution import (
    SeparableConv1D as _SeparableConv1D,
    SeparableConv2D as _SeparableConv2D,
)
from .base_layer import KerasStyle

public = {
    "td.keras.layers": (
        "Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose Convolution1D=Conv1D "
        "Convolution2D=Conv2D Convolution2DTranspose=Conv2DTranspose Convolution3D=Conv3D "
        "Convolution3DTranspose=Conv3DTranspose Dense SeparableConv1D SeparableConv2D "
        "SeparableConvolution1D=SeparableConv1D SeparableConvolution2D=SeparableConv2D"
    )
}


class Dense(KerasStyle, _Dense):
    """`activation(inputs @ kernel + bias)`, along the last dimension: `td.layers.Dense`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Dense(4, "relu")
        ...     layer(td.ones([2, 3])).shape.as_list(), len(layer.weights)
        ([2, 4], 2)
    """

    supports_masking = True


class Conv1D(KerasStyle, _Conv1D):
    """A convolution along one dimension: `td.layers.Conv1D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Conv1D(4, 3)
        ...     layer(td.ones([2, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 6, 4], 2)
    """


class Conv2D(KerasStyle, _Conv2D):
    """A convolution over images: `td.layers.Conv2D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Conv2D(4, 3, padding="same")
        ...     layer(td.ones([2, 8, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 8, 8, 4], 2)
    """


class Conv3D(KerasStyle, _Conv3D):
    """A convolution over volumes: `td.layers.Conv3D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Conv3D(4, 2)
        ...     layer(td.ones([2, 4, 4, 4, 1])).shape.as_list(), len(layer.weights)
        ([2, 3, 3, 3, 4], 2)
    """


class Conv2DTranspose(KerasStyle, _Conv2DTranspose):
    """The transpose of a convolution over images: `td.layers.Conv2DTranspose`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Conv2DTranspose(4, 2, 2)
        ...     layer(td.ones([2, 4, 4, 1])).shape.as_list(), len(layer.weights)
        ([2, 8, 8, 4], 2)
    """


class Conv3DTranspose(KerasStyle, _Conv3DTranspose):
    """The transpose of a convolution over volumes: `td.layers.Conv3DTranspose`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.Conv3DTranspose(4, 2, 2)
        ...     layer(td.ones([2, 2, 2, 2, 1])).shape.as_list(), len(layer.weights)
        ([2, 4, 4, 4, 4], 2)
    """


class SeparableConv1D(KerasStyle, _SeparableConv1D):
    """Convolves each channel along one dimension, and mixes: `td.layers.SeparableConv1D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.SeparableConv1D(4, 3)
        ...     layer(td.ones([2, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 6, 4], 3)
    """


class SeparableConv2D(KerasStyle, _SeparableConv2D):
    """Convolves each channel of images, and mixes: `td.layers.SeparableConv2D`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.keras.layers.SeparableConv2D(4, 3)
        ...     layer(td.ones([2, 8, 8, 3])).shape.as_list(), len(layer.weights)
        ([2, 6, 6, 4], 3)
    """
