"""Crops of images by boxes, each resized: `td.image.crop_and_resize`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime import errors
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import check_size, new_array
from ..common.call_forms import renamed
from .resizing import known_sizes, lines_read, put_means

public = {"td.image": "crop_and_resize"}

_FEWEST_ALONE = 1 << 12  # elements of a crop that is worth steps of its own
CROP_AND_RESIZE = OpDef(
    "CropAndResize",
    "image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32",
    "T: {uint8, uint16, int8, int16, int32, int64, half, float32, float64}, "
    "method: {'bilinear', 'nearest'} = 'bilinear', extrapolation_value: float = 0.0",
    traits=Traits(splits="*,n*,n,*->n*"),
)


@CROP_AND_RESIZE.shape
def _crop_and_resize_shape(c: ShapeContext) -> TensorShape:
    *_, channels = known_sizes(c, "image", 4)
    number, corners = known_sizes(c, "boxes", 2)
    c.same_size("the second size of boxes and the number of corners", corners, 4)
    (indices,) = known_sizes(c, "box_ind", 1)
    number = c.same_size("the number of boxes and of box_ind", number, indices)
    (length,) = known_sizes(c, "crop_size", 1)
    c.same_size("the length of crop_size and the number of spatial dimensions", length, 2)
    size = c.value("crop_size")
    sizes: list[Any] = [None, None] if size is None else size.tolist()
    space = [None if isinstance(n, int) and n < 1 else n for n in sizes]
    return TensorShape.of((number, *space, channels))


@CROP_AND_RESIZE.fresh_kernel
def _crop_and_resize_kernel(c: KernelContext) -> Kernel:
    extrapolated = np.float32(c.attr("extrapolation_value"))
    nearest = c.attr("method") == b"nearest"

    def crop_and_resize(image: Array, boxes: Array, box_ind: Array, crop_size: Array) -> Array:
        check_crops(image.shape, boxes, box_ind, crop_size)
        rows, columns = crop_size.tolist()
        shape = (len(boxes), rows, columns, image.shape[3])
        check_size(shape, np.dtype(np.float32))
        down = places_of_crops(boxes[:, 0], boxes[:, 2], image.shape[1], rows)
        across = places_of_crops(boxes[:, 1], boxes[:, 3], image.shape[2], columns)
        outside_rows = ~((down >= 0) & (down <= image.shape[1] - 1))
        outside_columns = ~((across >= 0) & (across <= image.shape[2] - 1))
        down[outside_rows] = 0
        across[outside_columns] = 0
        result = new_array(shape, np.dtype(np.float32))
        if nearest:
            result[...] = _nearest(image, box_ind, down, across)
        elif rows * columns * image.shape[3] < _FEWEST_ALONE:
            result[...] = _means(image, box_ind, down, across)
        else:
            for i, index in enumerate(box_ind.tolist()):
                _put_crop(image[index], down[i], across[i], result[i])
        if outside_rows.any() or outside_columns.any():
            result[outside_rows[:, :, None] | outside_columns[:, None, :]] = extrapolated
        return result

    return crop_and_resize


def check_crops(image: Sequence[int], boxes: Array, box_ind: Array, crop_size: Array) -> None:
    """Checks that crops of images of a shape can be made.

    Raises:
        ValueError: an argument has another shape, or the boxes are not finite.
        OutOfRangeError: an image index is out of range.
    """
    if len(image) != 4:
        raise ValueError(f"image must have rank 4, got shape {list(image)}")
    if 0 in image[1:3]:
        raise ValueError(f"image must not be empty, got shape {list(image)}")
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"boxes must have shape [number, 4], got {list(boxes.shape)}")
    if box_ind.shape != boxes.shape[:1]:
        raise ValueError(f"box_ind must have shape [{len(boxes)}], got {list(box_ind.shape)}")
    if crop_size.shape != (2,):
        raise ValueError(f"crop_size must have shape [2], got {list(crop_size.shape)}")
    if crop_size.min() < 1:
        raise ValueError(f"crop_size must be at least 1, got {crop_size.tolist()}")
    if not np.isfinite(boxes).all():
        raise ValueError("boxes must be finite")
    for i, index in enumerate(box_ind.tolist()):
        if not 0 <= index < image[0]:
            raise errors.OutOfRangeError(
                None, None, f"box_ind[{i}] = {index} is not in [0, {image[0]})"
            )


def places_of_crops(start: Array, end: Array, size: int, wanted: int) -> Array:
    """Image coordinates of the rows, or columns, of each crop."""
    last = np.float32(size - 1)
    if wanted == 1:
        return np.asarray(np.float32(0.5) * (start + end) * last)[:, None]
    step = (end - start) * last / np.float32(wanted - 1)
    return np.asarray((start * last)[:, None] + np.arange(wanted, dtype=np.float32) * step[:, None])


def _put_crop(image: Array, down: Array, across: Array, target: Array) -> None:
    """Writes one crop, whose rows and columns lie at these places of an image."""
    top, left = np.floor(down), np.floor(across)
    used, above, below = lines_read(top.astype(np.intp), np.ceil(down).astype(np.intp))
    columns = left.astype(np.intp), np.ceil(across).astype(np.intp), across - left
    put_means(image[used], (above, below, down - top), columns, target)


def _means(image: Array, box_ind: Array, down: Array, across: Array) -> Array:
    """All crops at once: many small ones, which would not be worth steps of their own."""
    batch, down, across = box_ind[:, None, None], down[:, :, None], across[:, None, :]

    def pixels(rows: Array, columns: Array) -> Array:
        samples = image[batch, rows.astype(np.intp), columns.astype(np.intp)]
        return samples.astype(np.float32, copy=False)

    top, left = np.floor(down), np.floor(across)
    bottom, right = np.ceil(down), np.ceil(across)
    share = (across - left)[..., None]
    upper, lower = (
        start + (pixels(rows, right) - start) * share
        for rows, start in ((top, pixels(top, left)), (bottom, pixels(bottom, left)))
    )
    return np.asarray(upper + (lower - upper) * (down - top)[..., None])


def _nearest(image: Array, box_ind: Array, down: Array, across: Array) -> Array:
    rows, columns = ((place + np.float32(0.5)).astype(np.intp) for place in (down, across))
    return np.asarray(image[box_ind[:, None, None], rows[:, :, None], columns[:, None, :]])


@renamed(box_indices="box_ind")
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
) -> Tensor:
    """Boxes cut out of images, all resized to one size.

    Args:
        image: [batch, rows, columns, channels] of numbers.
        boxes: [number, 4] of float32: for each crop `y1, x1, y2, x2`, where 0 and 1 are the first
            and the last pixel. With `y1 > y2` it is turned upside down.
        box_ind: [number] of int32: which image each crop is cut from.
        crop_size: the rows and columns of the crops, int32.
        method: "bilinear" for the mean of the four next pixels, "nearest" for the next one.
        extrapolation_value: value of pixels outside the image.
        name: a name for the op.

    Returns:
        A float32 Tensor [number, crop_size[0], crop_size[1], channels].

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     image = [[[[1.0], [2.0], [3.0]]]]
        ...     crops = td.image.crop_and_resize(image, [[0.0, 0.5, 0.0, 1.0]], [0], [1, 2])
        ...     print(session.run(crops).ravel())
        [2. 3.]
    """
    return CROP_AND_RESIZE(
        image,
        boxes,
        box_ind,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )
