"""Gradients of `ops/image`: images in another size, and cut out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.node import Operation, Tensor
from ...ops.array.cast import cast
from ...ops.array.constants import ones_like
from ...ops.array.reverse import reverse
from ...ops.array.roll import roll
from ...ops.array.shapes import shape
from ...ops.image.transforms import flat_transforms_to_matrices, matrices_to_flat_transforms
from ...ops.indexing.one_hot import one_hot
from ...ops.linalg.determinants_and_inverses import matrix_inverse
from ...ops.math.argmax import argmax, argmin
from ...ops.math.comparison import greater
from ...ops.math.division import div_no_nan
from ...ops.math.reductions import reduce_max, reduce_min, reduce_sum
from ...protos.dtypes import float32
from ..common.rule_tables import attrs_of, gradient_of, not_differentiable, raw, undefined
from ..common.static_facts import known_sizes, shape_of

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
    """TensorFlow has the gradient of float32 images only; others are cast to float32."""
    images, _, scale, translation = op.inputs
    if not images.dtype.is_floating:
        return [None] * 4

    def for_images() -> Tensor:
        attrs = attrs_of(op, "kernel_type", "antialias")
        result = raw("ScaleAndTranslateGrad")(
            gradient, cast(images, float32), scale, translation, **attrs
        )
        return cast(result, images.dtype)

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
    "ExtractGlimpseV2",
    "FusedPadConv2D",
    "FusedResizeAndPadConv2D",
    "HSVToRGB",
    "ResizeArea",
)
not_differentiable("ExtractGlimpse")


@gradient_of("RGBToHSV")
def _rgb_to_hsv(op: Operation, gradient: Tensor) -> Tensor:
    """Piece by piece, as the greatest and the least of three samples are; ties as in TensorFlow.

    Hue is a sixth of `(next - previous) / (greatest - least)`, counted around from the greatest,
    and an offset.
    """
    x = op.inputs[0]
    dtype = x.dtype.base_dtype
    most, least = reduce_max(x, -1, keepdims=True), reduce_min(x, -1, keepdims=True)
    greatest = one_hot(argmax(x, -1), 3, dtype=dtype)
    smallest = one_hot(2 - argmin(reverse(x, [-1]), -1), 3, dtype=dtype)
    one = ones_like(most)
    by_span, by_most = div_no_nan(one, most - least), div_no_nan(one, most)
    apart = reduce_sum(greatest * (roll(x, -1, -1) - roll(x, 1, -1)), -1, keepdims=True)
    side = roll(greatest, 1, -1) - roll(greatest, -1, -1)
    hue = (side * by_span + (smallest - greatest) * apart * by_span * by_span) / 6
    shown = cast(greater(x, 0), dtype)
    saturation = shown * by_most * (greatest * least * by_most - smallest)
    by_hue, by_saturation, by_value = (gradient[..., i : i + 1] for i in range(3))
    return (
        by_hue * hue * cast(greater(most, 0), dtype)
        + by_saturation * saturation
        + by_value * greatest
    )


@gradient_of("ImageProjectiveTransform", "ImageProjectiveTransformV2", "ImageProjectiveTransformV3")
def _projective_transform(op: Operation, gradient: Tensor) -> Any:
    """TensorFlow's: the gradient seen through the inverse transform, no exact derivative."""
    images, transforms = op.inputs[:2]
    inverse = matrix_inverse(flat_transforms_to_matrices(transforms))
    back = matrices_to_flat_transforms(inverse)
    kind = "ImageProjectiveTransformV2"
    attrs = attrs_of(op, "interpolation", "fill_mode")
    others = [None] * (len(op.inputs) - 1)
    return [lambda: raw(kind)(gradient, back, _space(images), **attrs), *others]
