"""TensorFlow's gradient ops of CropAndResize, for the image and the boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import shape_from_value
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import new_zeros
from .crop_and_resize import check_crops, places_of_crops

CROP_AND_RESIZE_GRAD_IMAGE = OpDef(
    "CropAndResizeGradImage",
    "grads: float32, boxes: float32, box_ind: int32, image_size: int32 -> output: T",
    "T: {float32, half, float64}, method: {'bilinear', 'nearest'} = 'bilinear'",
)
CROP_AND_RESIZE_GRAD_BOXES = OpDef(
    "CropAndResizeGradBoxes",
    "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
    "T: {uint8, uint16, int8, int16, int32, int64, half, float32, float64}, "
    "method: {'bilinear'} = 'bilinear'",
)


def _boxes(c: ShapeContext) -> TensorShape:
    c.shape("grads", rank=4)
    boxes, indices = c.sizes("boxes", rank=2) or (), c.sizes("box_ind", rank=1) or ()
    c.same_size("the second size of boxes and the number of corners", boxes[1], 4)
    number = c.same_size("the number of boxes and of box_ind", boxes[0], indices[0])
    return TensorShape.of((number, 4))


@CROP_AND_RESIZE_GRAD_IMAGE.shape
def _grad_image_shape(c: ShapeContext) -> TensorShape:
    _boxes(c)
    shape = shape_from_value(c, "image_size")
    if shape.sizes is None:
        return TensorShape([None] * 4)
    c.same_size("the length of image_size and the rank of images", len(shape.sizes), 4)
    return shape


@CROP_AND_RESIZE_GRAD_BOXES.shape
def _grad_boxes_shape(c: ShapeContext) -> TensorShape:
    c.shape("image", rank=4)
    return _boxes(c)


class _Seen:
    """Image coordinates of the pixels of crops, and a mask of those inside the image."""

    def __init__(self, boxes: Array, image: tuple[int, ...], crops: tuple[int, ...]) -> None:
        down = places_of_crops(boxes[:, 0], boxes[:, 2], image[1], crops[1])
        across = places_of_crops(boxes[:, 1], boxes[:, 3], image[2], crops[2])
        rows = (down >= 0) & (down <= image[1] - 1)
        columns = (across >= 0) & (across <= image[2] - 1)
        self.inside = rows[:, :, None] & columns[:, None, :]
        self.down = np.where(rows, down, 0)[:, :, None]
        self.across = np.where(columns, across, 0)[:, None, :]
        self.top, self.left = np.floor(self.down), np.floor(self.across)
        self.bottom, self.right = np.ceil(self.down), np.ceil(self.across)


def _check(grads: Array, boxes: Array, image: tuple[int, ...], box_ind: Array) -> None:
    if grads.ndim != 4:
        raise ValueError(f"grads must have rank 4, got shape {list(grads.shape)}")
    check_crops(image, boxes, box_ind, np.array(grads.shape[1:3]))
    if (len(grads), grads.shape[3]) != (len(boxes), image[3]):
        raise ValueError(
            f"grads must have {len(boxes)} crops of {image[3]} channels, got shape "
            f"{list(grads.shape)}"
        )


@CROP_AND_RESIZE_GRAD_IMAGE.kernel
def _grad_image_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype
    inner = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
    bilinear = c.attr("method") == b"bilinear"

    def grad_image(grads: Array, boxes: Array, box_ind: Array, image_size: Array) -> Array:
        if image_size.shape != (4,):
            raise ValueError(f"image_size must have shape [4], got {list(image_size.shape)}")
        sizes = tuple(image_size.tolist())
        result = new_zeros(sizes, inner)
        _check(grads, boxes, sizes, box_ind)
        seen = _Seen(boxes, sizes, grads.shape)
        masked = np.where(seen.inside[..., None], grads, np.float32(0))
        batch = box_ind[:, None, None]

        def add(rows: Array, columns: Array, by_row: Any, by_column: Any) -> None:
            places = (batch, rows.astype(np.intp), columns.astype(np.intp))
            # TensorFlow rounds these products to float32, and sums in the dtype of the image.
            parts = masked * by_row[..., None] * by_column[..., None]
            np.add.at(result, places, parts.astype(inner, copy=False))

        if not bilinear:
            half = np.float32(0.5)
            one = np.ones((1, 1, 1), np.float32)
            add(np.floor(seen.down + half), np.floor(seen.across + half), one, one)
        else:
            low, left = seen.down - seen.top, seen.across - seen.left
            add(seen.top, seen.left, 1 - low, 1 - left)
            add(seen.top, seen.right, 1 - low, left)
            add(seen.bottom, seen.left, low, 1 - left)
            add(seen.bottom, seen.right, low, left)
        return result.astype(dtype, copy=False)

    return fresh(grad_image)


@CROP_AND_RESIZE_GRAD_BOXES.kernel
def _grad_boxes_kernel(c: KernelContext) -> Kernel:
    def grad_boxes(grads: Array, image: Array, boxes: Array, box_ind: Array) -> Array:
        _check(grads, boxes, image.shape, box_ind)
        seen = _Seen(boxes, image.shape, grads.shape)
        batch = box_ind[:, None, None]

        def pixels(rows: Array, columns: Array) -> Array:
            samples = image[batch, rows.astype(np.intp), columns.astype(np.intp)]
            return samples.astype(np.float32, copy=False)

        low, left = (seen.down - seen.top)[..., None], (seen.across - seen.left)[..., None]
        (a, b), (d, e) = (
            (pixels(rows, seen.left), pixels(rows, seen.right)) for rows in (seen.top, seen.bottom)
        )
        masked = np.where(seen.inside[..., None], grads, np.float32(0))
        by_row = (masked * ((1 - left) * (d - a) + left * (e - b))).sum(-1)
        by_column = (masked * ((1 - low) * (b - a) + low * (e - d))).sum(-1)
        result = new_zeros((len(boxes), 4), np.dtype(np.float32))
        for corner, slopes, axis in ((0, by_row, 1), (1, by_column, 2)):
            last, number = np.float32(image.shape[axis] - 1), grads.shape[axis]
            # Position of each row, or column, along the crop: the middle if it is the only one.
            along = np.arange(number, dtype=np.float32) / max(number - 1, 1)
            share = along if number > 1 else np.full(1, 0.5, np.float32)
            summed = slopes.sum(3 - axis)
            result[:, corner] = (summed * (1 - share)).sum(1) * last
            result[:, corner + 2] = (summed * share).sum(1) * last
        return result

    return fresh(grad_boxes)
