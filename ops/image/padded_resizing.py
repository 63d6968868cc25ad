"""Images resized in their proportions, and padded; users find it in `td.image`."""

from __future__ import annotations

from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...protos.dtypes import float32, int32
from ..array.cast import cast
from ..array.reshape import expand_dims, squeeze
from ..math.arithmetic import floor, maximum
from .image_frames import pad_to_bounding_box
from .image_sizes import as_image, rows_and_columns
from .resize_images import ResizeMethod, resize_images

public = {"td.image": "resize_image_with_pad"}


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
