"""Gradients of `ops/image`: images in another size, and cut out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops.array.casting import cast
from ...ops.array.shapes import shape
from ...protos.dtypes import float32
from ..kit.rule_tables import attrs_of, gradient_of, raw, undefined
from ..kit.static_knowledge import known_sizes, shape_of

if TYPE_CHECKING:
    from ...graph.node import Operation, Tensor

_MODES = ("align_corners", "half_pixel_centers")


def _space(x: Tensor) -> Any:
    """The rows and columns of images."""
    sizes = x.shape.sizes
    if sizes is not None and all(isinstance(size, int) for size in sizes[1:3]):
        return np.array(sizes[1:3], np.int32)
    known = known_sizes(x)
    return shape(x)[1:3] if known is None else np.array(known[1:3], np.int32)


@gradient_of("ResizeBilinear", "ResizeBicubic")
def _resize(op: Operation, gradient: Tensor) -> Any:
    image = op.inputs[0]
    if not image.dtype.is_floating:
        return None, None
    return lambda: raw(f"{op.type}Grad")(gradient, image, **attrs_of(op, *_MODES)), None


@gradient_of("ResizeBilinearGrad", "ResizeBicubicGrad")
def _resize_grad(op: Operation, gradient: Tensor) -> Any:
    size, forward = _space(op.inputs[0]), op.type.removesuffix("Grad")
    return lambda: raw(forward)(gradient, size, **attrs_of(op, *_MODES)), None


@gradient_of("ResizeNearestNeighbor")
def _resize_nearest_neighbor(op: Operation, gradient: Tensor) -> Any:
    size = _space(op.inputs[0])
    return raw("ResizeNearestNeighborGrad")(gradient, size, **attrs_of(op, *_MODES)), None


@gradient_of("ResizeNearestNeighborGrad")
def _resize_nearest_neighbor_grad(op: Operation, gradient: Tensor) -> Any:
    size = _space(op.inputs[0])
    return raw("ResizeNearestNeighbor")(gradient, size, **attrs_of(op, *_MODES)), None


@gradient_of("ScaleAndTranslate")
def _scale_and_translate(op: Operation, gradient: Tensor) -> Any:
    """TensorFlow has the gradient of float32 images alone; those of others are cast to them."""
    images, _, scale, translation = op.inputs
    if not images.dtype.is_floating:
        return [None] * 4

    def for_images() -> Tensor:
        attrs = attrs_of(op, "kernel_type", "antialias")
        result = raw("ScaleAndTranslateGrad")(
            gradient, cast(images, float32), scale, translation, **attrs
        )
        back: Tensor = cast(result, images.dtype)
        return back

    return for_images, None, None, None


@gradient_of("ScaleAndTranslateGrad")
def _scale_and_translate_grad(op: Operation, gradient: Tensor) -> Any:
    grads, _, scale, translation = op.inputs
    attrs = attrs_of(op, "kernel_type", "antialias")
    forward = raw("ScaleAndTranslate")
    return lambda: forward(gradient, _space(grads), scale, translation, **attrs), None, None, None


@gradient_of("CropAndResize")
def _crop_and_resize(op: Operation, gradient: Tensor) -> Any:
    image, boxes, box_ind, _ = op.inputs
    method = op.get_attr("method")
    return (
        lambda: raw("CropAndResizeGradImage")(
            gradient, boxes, box_ind, shape_of(image), T=image.dtype, method=method
        ),
        lambda: raw("CropAndResizeGradBoxes")(gradient, image, boxes, box_ind),
        None,
        None,
    )


undefined(
    "TensorFlow has none of the second order of crops either",
    "CropAndResizeGradImage",
    "CropAndResizeGradBoxes",
)
undefined(
    "TensorFlow has none either",
    "AdjustContrastv2",
    "AdjustHue",
    "AdjustSaturation",
    "HSVToRGB",
    "ResizeArea",
)
undefined("it is not supported: TensorFlow has it", "RGBToHSV")
