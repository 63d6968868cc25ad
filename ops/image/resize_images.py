"""Resizing of images by any method, also keeping proportions with padding."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import float32, int32
from ..array.cast import cast
from ..array.reshape import expand_dims, squeeze
from ..array.stack import stack
from ..math.arithmetic import floor, maximum, minimum, round as rounded
from .bicubic import resize_bicubic
from .crop_and_pad import pad_to_bounding_box
from .image_shapes import as_image, rows_and_columns
from .resize_area import resize_area
from .resizing import resize_bilinear, resize_nearest_neighbor

public = {
    "td.image": "resize=resize_images resize_image_with_pad resize_images ResizeMethod",
}


class ResizeMethod:
    """Interpolation methods for resizing images.

    Attributes:
        BILINEAR: the mean of four pixels.
        NEAREST_NEIGHBOR: the next pixel; the dtype stays.
        BICUBIC: a cubic curve through sixteen pixels.
        AREA: the mean of all that a pixel covers.

    Example:
        >>> td.image.ResizeMethod.AREA
        3
    """

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS: dict[Any, Any] = {
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}
_METHODS |= dict(enumerate(_METHODS.values()))


def resize_images(
    images: TensorLike,
    size: TensorLike,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size.

    Args:
        images: [rows, columns, channels] of numbers, or a batch of such.
        size: the rows and columns of the result: int32, of 2 elements.
        method: one of `td.image.ResizeMethod`, or "bilinear", "nearest", "bicubic" or "area".
        align_corners: whether the centres of the corner pixels stay where they are.
        preserve_aspect_ratio: whether the result has the proportions of the image, and fits into
            `size`.
        name: a name for the scope of the ops.

    Returns:
        A float32 Tensor; one of the dtype of the images for the nearest neighbor, and where the
        size is known to be that of the images, which are then returned as they are.

    Raises:
        ValueError: the images are of another rank or an unknown one, `size` has not 2 elements, or
            the method is unknown.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     wide = td.image.resize_images([[[0.0], [4.0]]], [1, 4])
        ...     print(session.run(wide).ravel())
        [0. 2. 4. 4.]
    """
    with name_scope(name, "resize", [images, size]):
        x = convert_to_tensor(images, name="images")
        rank = x.shape.ndims
        if rank is None:
            raise ValueError("images must have a known rank, 3 or 4; set_shape states it")
        if rank not in (3, 4):
            raise ValueError(f"images must have either 3 or 4 dimensions, got shape {x.shape}")
        if method not in _METHODS:
            raise ValueError(f"method must be one of td.image.ResizeMethod, got {method!r}")
        wanted = convert_to_tensor(size, int32, name="size")
        if not wanted.shape.is_compatible_with([2]):
            raise ValueError(f"size must have 2 elements: rows, columns; got shape {wanted.shape}")
        if preserve_aspect_ratio:
            wanted = _fitting(x, wanted)
        static_size = constant_value(wanted)
        if static_size is not None and static_size.tolist() == x.shape.as_list()[-3:-1]:
            return x
        batch = expand_dims(x, 0) if rank == 3 else x
        result: Tensor = _METHODS[method](batch, wanted, align_corners=align_corners)
        if rank == 3:
            result = squeeze(result, [0])
        return result


def _fitting(images: Tensor, size: Tensor) -> Tensor:
    """The greatest size in `size` that has the proportions of the images."""
    space = cast(stack(list(rows_and_columns(images))), float32)
    scales = cast(size, float32) / space
    return cast(rounded(minimum(scales[0], scales[1]) * space), int32)


def resize_image_with_pad(
    image: TensorLike,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Images in another size and the same proportions, with zeros around them.

    Args:
        image: [rows, columns, channels] of numbers, or a batch of such.
        target_height: the rows of the result: a number or a scalar Tensor.
        target_width: its columns.
        method: one of `td.image.ResizeMethod`.
        align_corners: whether the centres of the corner pixels stay where they are.

    Returns:
        A Tensor of what dtype `td.image.resize_images` gives: the image as large as it fits, in
        the middle.

    Raises:
        ValueError: a size is not positive, or the image has another rank.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     tall = td.image.resize_image_with_pad([[[1.0], [2.0]]], 3, 2)
        ...     print(session.run(tall)[..., 0])
        [[0. 0.]
         [1. 2.]
         [0. 0.]]
    """
    for name, size in (("target_height", target_height), ("target_width", target_width)):
        if not isinstance(size, Tensor) and size <= 0:
            raise ValueError(f"{name} must be > 0, got {size}")
    with name_scope(None, "resize_image_with_pad", [image]):
        x, rank = as_image(image)
        batch = x if rank == 4 else expand_dims(x, 0)
        sizes = [cast(size, float32) for size in rows_and_columns(batch)]
        targets = [cast(size, float32) for size in (target_height, target_width)]
        ratio = maximum(sizes[1] / targets[1], sizes[0] / targets[0])
        fitting = [size / ratio for size in sizes]
        resized = resize_images(
            batch, [cast(floor(size), int32) for size in fitting], method, align_corners
        )
        above, left = (
            maximum(cast(floor((target - size) / 2), int32), 0)
            for target, size in zip(targets, fitting, strict=True)
        )
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        return padded if rank == 4 else squeeze(padded, [0])
