"""Hue, saturation and contrast of images: the ops, in TensorFlow's arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.kernel_spec import fresh
from ...graph.op_def import OpDef
from ...shape_inference.traits import Traits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel
    from ...shape_inference.tensor_shape import TensorShape

    Planes = Sequence[Array]

_WIDE = "T: {half, bfloat16, float32, float64} = float32"
RGB_TO_HSV = OpDef("RGBToHSV", "images: T -> output: T", _WIDE, traits=Traits(splits="..._->..._"))
HSV_TO_RGB = OpDef("HSVToRGB", "images: T -> output: T", _WIDE, traits=Traits(splits="..._->..._"))
_NARROW = "T: {half, float32} = float32"
ADJUST_HUE = OpDef(
    "AdjustHue",
    "images: T, delta: float32 -> output: T",
    _NARROW,
    traits=Traits(splits="..._,*->..._"),
)
ADJUST_SATURATION = OpDef(
    "AdjustSaturation",
    "images: T, scale: float32 -> output: T",
    _NARROW,
    traits=Traits(splits="..._,*->..._"),
)
ADJUST_CONTRAST = OpDef(
    "AdjustContrastv2",
    "images: T, contrast_factor: float32 -> output: T",
    _NARROW,
    traits=Traits(splits="...___,*->...___"),
)


@RGB_TO_HSV.shape
@HSV_TO_RGB.shape
def _colours_shape(c: ShapeContext) -> TensorShape:
    return _coloured(c, c.shape("images", min_rank=1))


def _coloured(c: ShapeContext, images: TensorShape) -> TensorShape:
    sizes: Any = images.sizes
    if sizes is not None:
        c.same_size("the channels of images and of colours", sizes[-1], 3)
    return images


def _adjusted(factor: str, has_colours: bool) -> Callable[[ShapeContext], TensorShape]:
    """The shape function of an op that adjusts images by a scalar."""

    def shape(c: ShapeContext) -> TensorShape:
        c.shape(factor, rank=0)
        images = c.shape("images", min_rank=3)
        return _coloured(c, images) if has_colours else images

    return shape


ADJUST_HUE.shape(_adjusted("delta", has_colours=True))
ADJUST_SATURATION.shape(_adjusted("scale", has_colours=True))
ADJUST_CONTRAST.shape(_adjusted("contrast_factor", has_colours=False))


def _on_planes(colours: Callable[[Planes], Planes]) -> Callable[[KernelContext], Kernel]:
    """The kernel of an op that makes of each pixel's three samples three others."""

    def kernel(c: KernelContext) -> Kernel:
        def on_images(images: Array) -> Array:
            _check_colours(images, 1)
            return _joined(images, colours([images[..., i] for i in range(3)]))

        return fresh(on_images)

    return kernel


def _joined(images: Array, planes: Planes) -> Array:
    result = np.empty(images.shape, images.dtype)
    for i, plane in enumerate(planes):
        result[..., i] = plane
    return result


def _check_colours(images: Array, least: int) -> None:
    if images.ndim < least:
        raise ValueError(f"images must have rank {least} or more, got shape {list(images.shape)}")
    if images.shape[-1] != 3:
        raise ValueError(f"images must have 3 channels, got shape {list(images.shape)}")


def _hsv(planes: Planes) -> Planes:
    red, green, blue = planes
    kind = red.dtype.type
    value = np.maximum(np.maximum(red, green), blue)
    span = value - np.minimum(np.minimum(red, green), blue)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(value > 0, span / value, kind(0))
        sixth = kind(1) / span / kind(6)
        hue = np.where(
            red == value,
            sixth * (green - blue),
            np.where(
                green == value,
                sixth * (blue - red) + kind(2 / 6),
                sixth * (red - green) + kind(4 / 6),
            ),
        )
    hue = np.where(span > 0, hue, kind(0))
    return np.where(hue < 0, hue + kind(1), hue), saturation, value


def _rgb(planes: Planes) -> Planes:
    hue, saturation, value = planes
    kind = hue.dtype.type
    zero, one, two = kind(0), kind(1), kind(2)
    six = hue * kind(6)
    shares = (
        np.abs(six - kind(3)) - one,
        two - np.abs(six - two),
        two - np.abs(six - kind(4)),
    )
    rest = one - saturation
    return [(rest + saturation * np.clip(share, zero, one)) * value for share in shares]


RGB_TO_HSV.kernel(_on_planes(_hsv))
HSV_TO_RGB.kernel(_on_planes(_rgb))


@ADJUST_SATURATION.fresh_kernel
def _adjust_saturation_kernel(c: KernelContext) -> Kernel:
    def adjust_saturation(images: Array, scale: Array) -> Array:
        _check_adjusted(images, "scale", scale)
        hue, saturation, value = _hsv(_planes(images))
        saturation = np.clip(saturation * scale, np.float32(0), np.float32(1))
        return _joined(images, _rgb_by_chroma(hue, saturation, value))

    return adjust_saturation


def _planes(images: Array) -> Planes:
    return [images[..., i].astype(np.float32, copy=False) for i in range(3)]


def _check_adjusted(images: Array, name: str, factor: Array) -> None:
    _check_colours(images, 3)
    _check_scalar(name, factor)


def _check_scalar(name: str, factor: Array) -> None:
    if factor.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(factor.shape)}")


def _rgb_by_chroma(hue: Array, saturation: Array, value: Array) -> Planes:
    chroma = saturation * value
    least = value - chroma
    six = hue * np.float32(6)
    middle = chroma * (np.float32(1) - np.abs(np.fmod(six, np.float32(2)) - np.float32(1)))
    return _by_sixth(six.astype(np.int8), least, least + middle, least + chroma)


def _by_sixth(sixth: Array, least: Array, middle: Array, most: Array) -> Planes:
    """Red, green and blue by the sixth of the circle of hues in which a pixel is."""
    orders = ("most middle least least middle most", "middle most most middle least least")
    names = {"least": least, "middle": middle, "most": most}
    red, green = (np.choose(sixth, [names[n] for n in order.split()]) for order in orders)
    blue = np.choose(sixth, [least, least, middle, most, most, middle])
    return red, green, blue


@ADJUST_HUE.fresh_kernel
def _adjust_hue_kernel(c: KernelContext) -> Kernel:
    def adjust_hue(images: Array, delta: Array) -> Array:
        _check_adjusted(images, "delta", delta)
        red, green, blue = planes = _planes(images)
        most = np.maximum(np.maximum(red, green), blue)
        least = np.minimum(np.minimum(red, green), blue)
        middle = np.maximum(np.minimum(red, green), np.minimum(np.maximum(red, green), blue))
        with np.errstate(invalid="ignore"):
            ratio = np.where(most > least, (middle - least) / (most - least), np.float32(0))
        sixth = _sixth_of(*planes)
        hue = sixth + np.where(sixth % 2 == 0, ratio, np.float32(1) - ratio)
        hue = np.where(most > least, hue, 0).astype(np.float32)
        hue = np.mod(hue + delta * np.float32(6), np.float32(6))
        sixth = np.minimum(hue.astype(np.int8), 5)
        ratio = hue - sixth
        ratio = np.where(sixth % 2 == 0, ratio, np.float32(1) - ratio).astype(np.float32)
        return _joined(images, _by_sixth(sixth, least, least + ratio * (most - least), most))

    return adjust_hue


def _sixth_of(red: Array, green: Array, blue: Array) -> Array:
    """Which of the six orders the three samples of a pixel are in, going around the circle."""
    greener = np.where(blue < red, 1, np.where(blue > green, 3, 2))
    redder = np.where(blue < green, 0, np.where(blue > red, 4, 5))
    return np.where(red < green, greener, redder).astype(np.int8)


@ADJUST_CONTRAST.fresh_kernel
def _adjust_contrast_kernel(c: KernelContext) -> Kernel:
    def adjust_contrast(images: Array, factor: Array) -> Array:
        if images.ndim < 3:
            raise ValueError(f"images must have rank 3 or more, got shape {list(images.shape)}")
        _check_scalar("contrast_factor", factor)
        if not images.size:
            return images.copy()
        # A row of pixels at a time: loops over three channels would take many times as long.
        *_, height, width, channels = images.shape
        x = images.astype(np.float32, copy=False).reshape(-1, height, width * channels)
        sums = x.sum(1, np.float64).reshape(-1, width, channels).sum(1)
        mean = np.tile((sums / (height * width)).astype(np.float32), width)[:, None]
        result: Array = x - mean
        result *= factor
        result += mean
        return np.asarray(result.reshape(images.shape), images.dtype)

    return adjust_contrast
