"""Drawing of bounding boxes into images: `td.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape

public = {"td.image": "draw_bounding_boxes"}

_TYPES = "T: {float32, half} = float32"
DRAW_BOUNDING_BOXES = OpDef("DrawBoundingBoxes", "images: T, boxes: float32 -> output: T", _TYPES)
DRAW_BOUNDING_BOXES_V2 = OpDef(
    "DrawBoundingBoxesV2", "images: T, boxes: float32, colors: float32 -> output: T", _TYPES
)
# Yellow, blue, red, lime, purple, olive, maroon, navy blue, aqua, fuchsia.
_COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


@DRAW_BOUNDING_BOXES.shape
@DRAW_BOUNDING_BOXES_V2.shape
def _draw_bounding_boxes_shape(c: ShapeContext) -> TensorShape:
    batch, rows, columns, channels = c.sizes("images", rank=4) or ()
    if isinstance(channels, int):
        _check_channels(channels)
    images, _, corners = c.sizes("boxes", rank=3) or ()
    c.same_size("the last size of boxes and the number of corners", corners, 4)
    batch = c.same_size("the number of images and of lists of boxes", batch, images)
    if c.node.definition is DRAW_BOUNDING_BOXES_V2:
        c.shape("colors", rank=2)
    return TensorShape.of((batch, rows, columns, channels))


def _check_channels(channels: int) -> None:
    if channels not in (1, 3, 4):
        raise ValueError(f"images must have 1, 3 or 4 channels, got {channels}")


@DRAW_BOUNDING_BOXES.fresh_kernel
@DRAW_BOUNDING_BOXES_V2.fresh_kernel
def _draw_bounding_boxes_kernel(c: KernelContext) -> Kernel:
    def draw(images: Array, boxes: Array, colors: Array | None = None) -> Array:
        if images.ndim != 4:
            raise ValueError(f"images must have rank 4, got shape {list(images.shape)}")
        _check_channels(images.shape[3])
        if boxes.ndim != 3 or boxes.shape[::2] != (len(images), 4):
            raise ValueError(
                f"boxes must have shape [{len(images)}, number, 4], got {list(boxes.shape)}"
            )
        palette = _palette(images.shape[3], colors).astype(images.dtype)
        result = images.copy()
        limits = np.array(images.shape[1:3] * 2, np.float32) - np.float32(1)
        with np.errstate(invalid="ignore", over="ignore"):
            places = boxes * limits
        # NaN, or a coordinate beyond an integer's range, is outside on every side.
        places = np.nan_to_num(places, nan=-(2.0**62), posinf=2.0**62, neginf=-(2.0**62))
        places = places.clip(-(2.0**62), 2.0**62).astype(np.int64)
        for image, corners in zip(result, places.tolist(), strict=True):
            for number, box in enumerate(corners):
                _draw(image, box, palette[number % len(palette)])
        return result

    return draw


def _palette(channels: int, colours: Array | None) -> Array:
    """The colours in turn, one for each box: [number, channels]."""
    if colours is not None:
        if colours.ndim != 2 or colours.shape[1] < channels:
            raise ValueError(
                f"colors must have shape [number, {channels} or more], got {list(colours.shape)}"
            )
        if colours.size:
            return colours[:, :channels]
    return np.ones((1, 1), np.float32) if channels == 1 else _COLOURS[:, :channels]


def _draw(image: Array, box: list[int], colour: Array) -> None:
    """Draws the sides that lie within the image; a box that is turned about is left out."""
    top, left, bottom, right = box
    rows, columns = image.shape[:2]
    if top > bottom or left > right or top >= rows or bottom < 0 or left >= columns or right < 0:
        return
    down = slice(max(top, 0), min(bottom, rows - 1) + 1)
    across = slice(max(left, 0), min(right, columns - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < rows:
            image[row, across] = colour
    for column in (left, right):
        if 0 <= column < columns:
            image[down, column] = colour


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: Any = None
) -> Tensor:
    """Draws the outlines of boxes into images, one pixel wide.

    Args:
        images: [batch, rows, columns, channels] of float32 or float16, with 1, 3 or 4 channels.
        boxes: [batch, number, 4] of float32: `y1, x1, y2, x2`, where 0 and 1 are the first and the
            last pixel. What lies outside of the image is not drawn, and nothing of a box whose
            second corner lies before the first.
        name: a name for the op.
        colors: [number, channels] of float32: the colours that boxes take in turn; by default ten
            that can be distinguished, and white in gray images.

    Returns:
        A Tensor as `images`.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     drawn = td.image.draw_bounding_boxes(td.zeros([1, 3, 4, 1]), [[[0.0, 0, 1, 1]]])
        ...     print(session.run(drawn)[0, :, :, 0])
        [[1. 1. 1. 1.]
         [1. 0. 0. 1.]
         [1. 1. 1. 1.]]
    """
    if colors is None:
        return DRAW_BOUNDING_BOXES(images, boxes, name=name)
    return DRAW_BOUNDING_BOXES_V2(images, boxes, colors, name=name)
