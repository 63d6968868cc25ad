"""Hue, saturation and contrast of images: the ops, in TensorFlow's arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.select_elements import chosen

if TYPE_CHECKING:
    Planes = Sequence[Array]

_PIXELS = 1 << 14  # some planes of so many fit in the cache
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
        least_red = sixth * (red - green) + kind(4 / 6)
        hue = chosen(green == value, sixth * (blue - red) + kind(2 / 6), least_red)
        hue = chosen(red == value, sixth * (green - blue), hue)
    hue = np.where(span > 0, hue, kind(0))
    return hue + (hue < 0), saturation, value


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


def _adjusting(name: str, adjust: Callable[[Planes, Array], Planes]) -> Callable[..., Array]:
    """The kernel that adjusts images by a scalar, some pixels at a time."""

    def adjusted(images: Array, factor: Array) -> Array:
        _check_colours(images, 3)
        _check_scalar(name, factor)
        result = np.empty(images.shape, images.dtype)
        pixels, target = images.reshape(-1, 3), result.reshape(-1, 3)
        for start in range(0, len(pixels), _PIXELS):
            block = slice(start, start + _PIXELS)
            planes = [pixels[block, i].astype(np.float32, order="C") for i in range(3)]
            for i, plane in enumerate(adjust(planes, factor)):
                target[block, i] = plane
        return result

    return adjusted


def _check_scalar(name: str, factor: Array) -> None:
    if factor.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {list(factor.shape)}")


@ADJUST_SATURATION.fresh_kernel
def _adjust_saturation_kernel(c: KernelContext) -> Kernel:
    return _adjusting("scale", _more_saturated)


def _more_saturated(planes: Planes, scale: Array) -> Planes:
    hue, saturation, value = _hsv(planes)
    saturation = np.clip(saturation * scale, np.float32(0), np.float32(1))
    chroma = saturation * value
    least = value - chroma
    six = hue * np.float32(6)
    # six modulo 2, exactly
    rest = six - np.float32(2) * np.floor(six * np.float32(0.5))
    middle = chroma * (np.float32(1) - np.abs(rest - np.float32(1)))
    return _by_hue(six, least, least + middle, least + chroma)


@ADJUST_HUE.fresh_kernel
def _adjust_hue_kernel(c: KernelContext) -> Kernel:
    return _adjusting("delta", _turned)


def _turned(planes: Planes, delta: Array) -> Planes:
    red, green, blue = planes
    larger, smaller = np.maximum(red, green), np.minimum(red, green)
    most, least = np.maximum(larger, blue), np.minimum(smaller, blue)
    middle = np.maximum(smaller, np.minimum(larger, blue))
    span = most - least
    coloured = most > least
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(coloured, (middle - least) / span, np.float32(0))
    sixth = _sixth_of(red, green, blue)
    # In every second sixth the middle sample falls from the most to the least.
    hue = sixth + np.abs((sixth & 1) - ratio)
    hue = np.where(coloured, hue, np.float32(0))
    hue = _around(hue + delta * np.float32(6), delta)
    sixth = np.minimum(np.floor(hue), np.float32(5))
    ratio = hue - sixth
    falling = sixth - np.float32(2) * np.floor(sixth * np.float32(0.5))
    return _by_hue(hue, least, least + np.abs(falling - ratio) * span, most)


def _around(hue: Array, delta: Array) -> Array:
    """`hue` modulo 6, faster than `%` for values at most one turn outside."""
    six = np.float32(6)
    if not abs(delta) <= 1:
        return np.asarray(np.mod(hue, six))
    hue -= six * (hue >= six)
    hue += six * (hue < 0)
    return hue


def _sixth_of(red: Array, green: Array, blue: Array) -> Array:
    """Hue sextant of each pixel: the order of its three samples.

    Without a branch for each: those of pixels follow no pattern.
    """
    greener = 2 - (blue < red).view(np.int8) + (blue > green)
    redder = 5 - 5 * (blue < green).view(np.int8) - (blue > red)
    return np.asarray(redder + (red < green) * (greener - redder))


def _by_hue(hue: Array, least: Array, middle: Array, most: Array) -> Planes:
    """Red, green and blue of hues from 0 to 6: each is the most for a third of the circle."""
    shares = (
        np.maximum(2 - hue, hue - 4),
        np.minimum(hue, 4 - hue),
        np.minimum(hue - 2, 6 - hue),
    )
    return [chosen(x >= 1, most, chosen(x <= 0, least, middle)) for x in shares]


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
