"""Convolution layers: 1-D, 2-D and 3-D."""

from __future__ import annotations

from .convolution_layer import Conv
from .layer_functions import described, layer_function, sibling

public = {"td.layers": "Conv1D Conv2D Conv3D conv1d conv2d conv3d"}


@described
class Conv1D(Conv):
    """A convolution of sequences `[batch, steps, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv1D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 5], 'conv1d/kernel:0')
    """

    rank = 1


@described
class Conv2D(Conv):
    """A convolution of images `[batch, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv2D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 4, 5], 'conv2d/kernel:0')
    """

    rank = 2


@described
class Conv3D(Conv):
    """A convolution of volumes `[batch, planes, rows, columns, channels]`.

    Example:
        >>> with td.Graph().as_default():
        ...     layer = td.layers.Conv3D(5, 3, padding="same")
        ...     layer(td.ones([2, 4, 4, 4, 3])).shape.as_list(), layer.kernel.name
        ([2, 4, 4, 4, 5], 'conv3d/kernel:0')
    """

    rank = 3


conv2d = layer_function(
    Conv2D,
    "conv2d",
    """A convolution of images `[batch, rows, columns, channels]`.

    Returns:
        A Tensor of the rank of `inputs`.

    Example:
        >>> with td.Graph().as_default():
        ...     td.layers.conv2d(td.ones([2, 4, 4, 3]), 5, 3, padding="same").shape.as_list()
        [2, 4, 4, 5]
    """,
)


conv1d = sibling(conv2d, Conv1D, "conv1d", "td.ones([2, 4, 3]), 5, 3", "[2, 2, 5]")
conv3d = sibling(conv2d, Conv3D, "conv3d", "td.ones([2, 4, 4, 4, 3]), 5, 3", "[2, 2, 2, 2, 5]")
