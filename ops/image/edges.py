"""Image gradients, Sobel edges and total variation: `td.image`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.concat import concat
from ..array.constants import zeros_like
from ..array.pad import pad
from ..array.reshape import reshape
from ..array.shapes import shape
from ..array.stack import stack
from ..array.tile import tile
from ..conv.depthwise_convolution import depthwise_conv2d
from ..math.arithmetic import abs as absolute
from ..math.reductions import reduce_sum

public = {"td.image": "image_gradients sobel_edges total_variation"}

# Of Sobel: changes from row to row, and from column to column.
_SOBEL = np.array(
    [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]
).transpose(1, 2, 0)[:, :, None]


class Slopes(NamedTuple):
    """Differences of pixels: to the next row, and to the next column."""

    dy: Tensor
    dx: Tensor


def image_gradients(image: TensorLike) -> Slopes:
    """Differences of neighboring pixels, vertical and horizontal.

    Args:
        image: [batch, rows, columns, channels] of numbers.

    Returns:
        Two Tensors as `image`: the differences to the next row, and to the next column. In the last
        row, or column, they are 0.

    Raises:
        ValueError: `image` is not of rank 4.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     slopes = td.image.image_gradients([[[[1], [3]], [[2], [7]]]])
        ...     print(session.run(slopes.dy).ravel(), session.run(slopes.dx).ravel())
        [1 4 0 0] [2 0 5 0]
    """
    x = convert_to_tensor(image, name="image")
    if x.shape.ndims != 4:
        raise ValueError(f"image must have rank 4, got shape {x.shape}")
    with name_scope(None, "image_gradients", [x]):
        down = concat([x[:, 1:] - x[:, :-1], zeros_like(x[:, -1:])], 1)
        across = concat([x[:, :, 1:] - x[:, :, :-1], zeros_like(x[:, :, -1:])], 2)
        for slopes in (down, across):
            slopes.set_shape(x.shape)
        return Slopes(down, across)


def sobel_edges(image: TensorLike) -> Tensor:
    """Vertical and horizontal derivatives of images by Sobel filters.

    Args:
        image: [batch, rows, columns, channels] of floats, of at least 2 rows and columns.

    Returns:
        A Tensor [batch, rows, columns, channels, 2] of the same dtype: how much they change from
        row to row, and from column to column.

    Raises:
        ValueError: `image` is not of rank 4.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     ramp = td.reshape(td.range(9.0), [1, 3, 3, 1])
        ...     print(session.run(td.image.sobel_edges(ramp))[0, 1, 1, 0])
        [24.  8.]
    """
    x = convert_to_tensor(image, name="image")
    with name_scope(None, "sobel_edges", [x]):
        sizes = shape(x)
        kernel = convert_to_tensor(_SOBEL.astype(x.dtype.base_dtype.numpy_dtype))
        filters = tile(kernel, stack([1, 1, sizes[-1], 1]), name="sobel_filters")
        around = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT")
        derivatives = depthwise_conv2d(around, filters, [1, 1, 1, 1], "VALID")
        edges = reshape(derivatives, concat([sizes, [2]], 0))
        edges.set_shape(x.shape.concatenate([2]))
        return edges


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """Total variation of images: the sum of absolute differences of neighboring pixels.

    Args:
        images: [rows, columns, channels], or a batch of such.
        name: a name for the scope of the ops.

    Returns:
        A Tensor of the same dtype: a scalar, or one number for each image of a batch.

    Raises:
        ValueError: the images have another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.total_variation([[[1], [3]], [[2], [7]]])))
        12
    """
    with name_scope(name, "total_variation", [images]):
        x = convert_to_tensor(images, name="images")
        rank = x.shape.ndims
        if rank not in (3, 4):
            raise ValueError(f"images must have rank 3 or 4, got shape {x.shape}")
        down, across = x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]
        axes = None if rank == 3 else [1, 2, 3]
        return reduce_sum(absolute(down), axes) + reduce_sum(absolute(across), axes)
