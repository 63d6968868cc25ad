"""Images: resizing, crops, boxes, colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..writing.calls import Call, First
from ..writing.registry import rule
from ..writing.values import Value


def _resized(c: Call, value: Value, **options: Any) -> Value:
    """A Resize of images with channels first to the sizes of the second input."""
    if c.opset >= 15:
        lead = c.node("Shape", value, start=0, end=2)
    else:
        lead = c.slice(c.shape_of(value), [0], [2])
    return c.node("Resize", value, None, None, c.concat([lead, c.int64(1)]), **options)


def _coordinates(c: Call) -> str:
    if c.attr("align_corners", False):
        return "align_corners"
    return "half_pixel" if c.attr("half_pixel_centers", False) else "asymmetric"


@rule("ResizeBilinear", nodes="Resize")
def _bilinear(c: Call) -> First:
    value = c.cast(c.first(), "float32")
    return First(_resized(c, value, mode="linear", coordinate_transformation_mode=_coordinates(c)))


@rule("ResizeBicubic", nodes="Resize")
def _bicubic(c: Call) -> First:
    half = bool(c.attr("half_pixel_centers", False))
    return First(
        _resized(
            c,
            c.cast(c.first(), "float32"),
            mode="cubic",
            coordinate_transformation_mode=_coordinates(c),
            cubic_coeff_a=-0.5 if half else -0.75,
            exclude_outside=int(half),
        )
    )


def _nearest_places(size: int, wanted: int, *, align: bool, half: bool) -> np.ndarray[Any, Any]:
    """The pixels that TensorFlow takes, in its arithmetic."""
    single = np.float32
    scale = (
        single(size - 1) / single(wanted - 1)
        if align and wanted > 1
        else single(size) / single(wanted)
    )
    places = np.arange(wanted, dtype=single)
    if half:
        found = np.floor((places + single(0.5)) * scale)
    else:
        scaled = places * scale
        found = np.floor(scaled + single(0.5)) if align else np.floor(scaled)
    return np.clip(found.astype(np.int64), 0, size - 1)


def _computed_places(c: Call, value: Value, axis: int, *, align: bool, half: bool) -> Value:
    """The same in the graph, where sizes are not known.

    ONNX's Resize multiplies by the reciprocal of a rounded scale, which takes other pixels.
    """
    size = c.scalar(c.slice(c.shape_of(value), [axis + 2], [axis + 3]))
    wanted = c.scalar(c.slice(c.int64(1), [axis], [axis + 1]))
    old, new = c.cast(size, "float32"), c.cast(wanted, "float32")
    scale = old / new
    if align:
        scale = c.where(new > 1, (old - 1) / (new - 1), scale)
    places = c.cast(c.numbers(wanted), "float32")
    scaled = (places + 0.5) * scale if half else places * scale
    found = c.cast(c.node("Floor", scaled + 0.5 if align and not half else scaled), "int64")
    return c.node("Min", found, size - 1)


@rule("ResizeNearestNeighbor", nodes="Gather; of whole multiples Resize")
def _nearest(c: Call) -> Any:
    align = bool(c.attr("align_corners", False))
    half = bool(c.attr("half_pixel_centers", False))
    sizes, wanted = c.shape(), c.const(1)
    value = c.first()
    if sizes is None or None in sizes[1:3] or wanted is None:
        for axis in (0, 1):
            computed = _computed_places(c, value, axis, align=align, half=half)
            value = c.node("Gather", value, computed, axis=axis + 2)
        return First(value)
    whole = [int(w) % s == 0 for w, s in zip(wanted, sizes[1:3], strict=True)]
    if all(whole) and not align and value.dtype.name in ("float32", "int8", "uint8", "int32"):
        # Of a whole multiple, both have the same pixels.
        same = all(
            np.array_equal(
                _nearest_places(s, int(w), align=False, half=half), np.arange(w) // (int(w) // s)
            )
            for w, s in zip(wanted, sizes[1:3], strict=True)
        )
        if same:
            scales = [
                1.0,
                1.0,
                *[float(int(w) // s) for w, s in zip(wanted, sizes[1:3], strict=True)],
            ]
            return First(
                c.node(
                    "Resize",
                    value,
                    None,
                    c.constant(scales, "float32"),
                    mode="nearest",
                    coordinate_transformation_mode="asymmetric",
                    nearest_mode="floor",
                )
            )
    for axis in (0, 1):
        places = _nearest_places(sizes[axis + 1], int(wanted[axis]), align=align, half=half)
        value = c.node("Gather", value, c.ints(places.tolist()), axis=axis + 2)
    return First(value)


@rule("CropAndResize", nodes="Gather, GatherND, Mul, Add, Where")
def _crop_and_resize(c: Call) -> Value:
    size = c.required(3, "the size of the crops")
    height, width = int(size[0]), int(size[1])
    image = c.cast(c.x, "float32")
    boxes, number = c.inputs[1], c.int64(2)
    shape = c.shape_of(c.x)
    corners = [c.squeeze(part, 1) for part in c.split(boxes, [1] * 4, 1)]
    method = c.attr("method", "bilinear")

    def places(first: Value, last: Value, axis: int, wanted: int) -> tuple[Value, Value]:
        top = c.cast(c.slice(shape, [axis], [axis + 1]) - 1, "float32")
        if wanted > 1:
            step = (last - first) * top / float(wanted - 1)
            line = c.constant(np.arange(wanted).reshape(1, -1), "float32")
            found = c.unsqueeze(first * top, 1) + c.unsqueeze(step, 1) * line
        else:
            found = c.unsqueeze((first + last) * 0.5 * top, 1)
        return found, top

    ys, bottom = places(corners[0], corners[2], 1, height)
    xs, right = places(corners[1], corners[3], 2, width)
    inside = c.unsqueeze((ys >= 0) & (ys <= bottom), 2) & c.unsqueeze((xs >= 0) & (xs <= right), 1)
    zero = c.constant(0.0, "float32")

    def clipped(value: Value, top: Value) -> Value:
        return c.cast(c.node("Min", c.node("Max", value, zero), top), "int64")

    def pixels(y: Value, x: Value) -> Value:
        n = c.unsqueeze(number, 1, 2)
        y, x = c.unsqueeze(y, 2), c.unsqueeze(x, 1)
        whole = c.node("Max", c.node("Max", y * 0 + x * 0, n * 0), c.constant(0, "int64"))
        parts = [c.unsqueeze(whole + item, 3) for item in (n, y, x)]
        return c.node("GatherND", image, c.concat(parts, 3))

    if method == "nearest":
        # As TensorFlow's roundf: halves away from zero.
        result = pixels(
            clipped(c.node("Floor", ys + 0.5), bottom), clipped(c.node("Floor", xs + 0.5), right)
        )
    else:
        low_y, low_x = c.node("Floor", ys), c.node("Floor", xs)
        top, left = clipped(low_y, bottom), clipped(low_x, right)
        down, aside = clipped(c.node("Ceil", ys), bottom), clipped(c.node("Ceil", xs), right)
        across = c.unsqueeze(xs - low_x, 1, 3)
        along = c.unsqueeze(ys - low_y, 2, 3)
        upper = pixels(top, left)
        upper = upper + (pixels(top, aside) - upper) * across
        lower = pixels(down, left)
        lower = lower + (pixels(down, aside) - lower) * across
        result = upper + (lower - upper) * along
    outside = float(c.attr("extrapolation_value", 0.0))
    return c.where(c.unsqueeze(inside, 3), result, outside)


# Boxes -------------------------------------------------------------------------------------------


@rule(
    "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 "
    "NonMaxSuppressionV5",
    nodes="NonMaxSuppression, Gather",
)
def _suppressed(c: Call) -> Any:
    version = c.op.type.removeprefix("NonMaxSuppression") or "V1"
    if version == "V5" and float(c.required(5, "soft_nms_sigma").item()) != 0:
        c.refuse("ONNX has no soft suppression")
    if c.attr("pad_to_max_output_size", False):
        c.refuse("results that are padded")
    most = c.reshape(c.int64(2), [1])
    if version == "V1":
        limit = c.constant([c.attr("iou_threshold", 0.5)], "float32")
    else:
        limit = c.reshape(c.cast(c.inputs[3], "float32"), [1])
    if version in ("V1", "V2"):  # which leave out scores of NaN and of less than all numbers
        least = c.constant([np.finfo(np.float32).min], "float32")
    else:
        least = c.reshape(c.cast(c.inputs[4], "float32"), [1])
    scores = c.cast(c.inputs[1], "float32")
    found = c.node(
        "NonMaxSuppression",
        c.unsqueeze(c.cast(c.x, "float32"), 0),
        c.unsqueeze(scores, 0, 1),
        most,
        limit,
        least,
    )
    places = c.node("Gather", found, c.constant(2, "int64"), axis=1)
    results = [c.cast(places, "int32")]
    if version == "V5":
        results.append(c.node("Gather", c.inputs[1], places, axis=0))
    if version in ("V4", "V5"):
        results.append(c.cast(c.node("Size", places), "int32"))
    return results


# Colours -----------------------------------------------------------------------------------------


@rule("AdjustContrastv2", nodes="ReduceMean, Sub, Mul, Add")
def _contrast(c: Call) -> Value:
    rank = c.rank()
    mean = c.reduce("ReduceMean", c.x, [rank - 3, rank - 2], keep=True)
    return (c.x - mean) * c.cast(c.inputs[1], c.x.dtype) + mean


@rule("RGBToHSV", nodes="Max, Min, Div, Where")
def _hsv(c: Call) -> Value:
    return _to_hsv(c, c.x)


def _to_hsv(c: Call, pixels: Value) -> Value:
    red, green, blue = c.split(pixels, [1] * 3, -1)
    value = c.node("Max", red, green, blue)
    spread = value - c.node("Min", red, green, blue)
    saturation = c.where(value > 0, spread / value, 0)
    norm = c.like(1, value) / (spread * 6)
    hue = c.where(
        red.equals(value),
        norm * (green - blue),
        c.where(green.equals(value), norm * (blue - red) + 2 / 6, norm * (red - green) + 4 / 6),
    )
    hue = c.where(spread > 0, hue, 0)
    return c.concat([c.where(hue < 0, hue + 1, hue), saturation, value], -1)


@rule("HSVToRGB", nodes="Abs, Clip, Mul, Sub")
def _rgb(c: Call) -> Value:
    return _to_rgb(c, c.x)


def _to_rgb(c: Call, pixels: Value) -> Value:
    hue, saturation, value = c.split(pixels, [1] * 3, -1)
    angle = hue * 6
    zero, one = c.like(0, hue), c.like(1, hue)

    def clip(item: Value) -> Value:
        return c.node("Min", c.node("Max", item, zero), one)

    red = clip(c.node("Abs", angle - 3) - 1)
    green = clip(2 - c.node("Abs", angle - 2))
    blue = clip(2 - c.node("Abs", angle - 4))
    parts = [((part - 1) * saturation + 1) * value for part in (red, green, blue)]
    return c.concat(parts, -1)


@rule("AdjustSaturation", nodes="as RGBToHSV, HSVToRGB")
def _saturation(c: Call) -> Value:
    hue, saturation, value = c.split(_to_hsv(c, c.x), [1] * 3, -1)
    scaled = saturation * c.cast(c.inputs[1], c.x.dtype)
    clipped = c.node("Min", c.node("Max", scaled, c.like(0, scaled)), c.like(1, scaled))
    return _to_rgb(c, c.concat([hue, clipped, value], -1))


@rule("AdjustHue", nodes="as RGBToHSV, HSVToRGB")
def _hue(c: Call) -> Value:
    hue, saturation, value = c.split(_to_hsv(c, c.x), [1] * 3, -1)
    turned = hue + c.cast(c.inputs[1], c.x.dtype)
    turned = turned - c.node("Floor", turned)
    return _to_rgb(c, c.concat([turned, saturation, value], -1))
