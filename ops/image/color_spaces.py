"""Color space conversions: grayscale, HSV, YIQ and YUV, in `td.image`."""

from __future__ import annotations

from typing import Any, Protocol

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ..array.concat import concat
from ..array.constants import ones
from ..array.reshape import expand_dims
from ..array.shapes import rank
from ..array.tile import tile
from ..common.public_function import public_function
from ..linalg.tensordot import tensordot
from ..math.reductions import reduce_sum
from .color_kernels import HSV_TO_RGB, RGB_TO_HSV
from .convert_image_dtype import convert_image_dtype

public = {
    "td.image": (
        "grayscale_to_rgb hsv_to_rgb rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb "
        "yuv_to_rgb"
    )
}

_LUMINANCE = [0.2989, 0.5870, 0.1140]


class ColourChange(Protocol):
    """The public function that writes images in other colours."""

    def __call__(self, images: TensorLike) -> Tensor:
        """Adds the ops."""


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Images in grey: 0.2989 of the red, 0.587 of the green, 0.114 of the blue.

    Args:
        images: [..., 3] of integers or floats.
        name: a name for the scope of the ops.

    Returns:
        A Tensor [..., 1] of the same dtype.

    Raises:
        ValueError: there are not 3 channels.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     white = td.constant([[[255, 255, 255]]], td.uint8)
        ...     print(session.run(td.image.rgb_to_grayscale(white)).ravel())
        [255]
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        x = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(x, "float32")
        grey = reduce_sum(floats * _LUMINANCE, -1, keepdims=True)
        return convert_image_dtype(grey, x.dtype.base_dtype, name=scope)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Grey images in three channels, all alike.

    Args:
        images: [..., 1].
        name: a name for the scope of the ops.

    Returns:
        A Tensor [..., 3] of the same dtype.

    Raises:
        ValueError: there is more than 1 channel.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.grayscale_to_rgb([[[7]]])).ravel())
        [7 7 7]
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        x = convert_to_tensor(images, name="images")
        if x.shape.ndims is not None and not x.shape[-1:].is_compatible_with([1]):
            raise ValueError(f"images must have 1 channel, got shape {x.shape}")
        others = rank(x) - 1 if x.shape.ndims is None else x.shape.ndims - 1
        return tile(x, concat([ones(expand_dims(others, 0), "int32"), [3]], 0), name=scope)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of red, green and blue in hue, saturation and value.

    Args:
        images: [..., 3] of floats in [0, 1].
        name: a name for the op.

    Returns:
        A Tensor of the same shape and dtype, in [0, 1]; the hue is 0 for red, 1/3 for green.

    Raises:
        ValueError: there are not 3 channels.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.rgb_to_hsv([[[0.0, 0.5, 0.5]]])))
        [[[0.5 1.  0.5]]]
    """
    return RGB_TO_HSV(images, name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Images of hue, saturation and value in red, green and blue.

    Args:
        images: [..., 3] of floats in [0, 1].
        name: a name for the op.

    Returns:
        A Tensor of the same shape and dtype.

    Raises:
        ValueError: there are not 3 channels.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.hsv_to_rgb([[[0.5, 1.0, 0.5]]])))
        [[[0.  0.5 0.5]]]
    """
    return HSV_TO_RGB(images, name=name)


_DOC = """Images of {source} in {target}.

    Args:
        images: [..., 3] of floats.

    Returns:
        A Tensor of the same shape and dtype: the products of its pixels with a matrix.

    Raises:
        ValueError: there are not 3 channels.

    Example:
        >>> with td.Graph().as_default():
        ...     td.image.{name}(td.zeros([2, 2, 3])).shape.as_list()
        [2, 2, 3]
    """


def _product(name: str, source: str, target: str, matrix: list[list[float]]) -> ColourChange:
    def change(images: Any) -> Tensor:
        x = convert_to_tensor(images, name="images")
        return tensordot(x, convert_to_tensor(matrix, x.dtype.base_dtype), [[-1], [0]])

    doc = _DOC.format(name=name, source=source, target=target)
    return public_function(change, name, doc)


rgb_to_yiq = _product(
    "rgb_to_yiq",
    "red, green and blue",
    "YIQ, as American television had it",
    [
        [0.299, 0.59590059, 0.2115],
        [0.587, -0.27455667, -0.52273617],
        [0.114, -0.32134392, 0.31119955],
    ],
)
yiq_to_rgb = _product(
    "yiq_to_rgb",
    "YIQ",
    "red, green and blue",
    [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]],
)
rgb_to_yuv = _product(
    "rgb_to_yuv",
    "red, green and blue",
    "YUV, as European television had it",
    [
        [0.299, -0.14714119, 0.61497538],
        [0.587, -0.28886916, -0.51496512],
        [0.114, 0.43601035, -0.10001026],
    ],
)
yuv_to_rgb = _product(
    "yuv_to_rgb",
    "YUV",
    "red, green and blue",
    [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]],
)
