"""Ops of ONNX that take elements of images at places between them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos import dtypes
from ...protos.dtypes import DType
from .call import Call, Rule
from .convolution import filter_sizes, with_bias
from .elementwise import scaled, selected
from .nodes import (
    apply,
    as_size,
    cast,
    element,
    number,
    rank_of,
    reshape,
    size_of,
    transpose,
    vector,
)
from .tensors import MalformedError, UnsupportedError
from .windows import windows_of


def _sizes(x: Tensor) -> list[Any]:
    """The sizes of the space of an image, as numbers or tensors of int64."""
    return [as_size(size_of(x, axis)) for axis in range(2, rank_of(x))]


def _as(x: Any, dtype: DType) -> Any:
    return cast(x, dtype) if isinstance(x, Tensor) else np.asarray(x).astype(dtype.numpy_dtype)


def _rows(x: Tensor) -> Tensor:
    """An image [batch, channels, space] as [batch, space in one axis, channels]."""
    rank = rank_of(x)
    last = transpose(x, [0, *range(2, rank), 1])
    return reshape(last, [size_of(x, 0), -1, size_of(x, 1)])


def _taken(rows: Tensor, places: Sequence[Tensor], sizes: Sequence[Any]) -> Tensor:
    """The rows at places, [batch, points], of each axis; places outside are an error."""
    index: Any = None
    for place, size in zip(places, sizes, strict=True):
        index = place if index is None else apply("AddV2", apply("Mul", index, size), place)
    return apply("GatherV2", rows, index, np.int32(1), batch_dims=1)


def _inside(place: Tensor, size: Any) -> Tensor:
    return apply(
        "LogicalAnd", apply("GreaterEqual", place, np.int64(0)), apply("Less", place, size)
    )


def _clamped(place: Tensor, size: Any) -> Tensor:
    return apply("ClipByValue", place, np.int64(0), apply("Sub", size, np.int64(1)))


def interpolated(
    rows: Tensor,
    coordinates: Sequence[Tensor],
    sizes: Sequence[Any],
    weights_of: Callable[[Tensor], list[tuple[int, Tensor]]],
    placed: Callable[[Tensor, int], Tensor] | None = None,
) -> Tensor:
    """Weighted sums of the elements around points.

    Args:
        rows: the image: see `_rows`.
        coordinates: of each axis of space, [batch, points].
        sizes: the sizes of the axes.
        weights_of: from the fraction of a coordinate to the offsets and weights of elements.
        placed: where an element outside of an axis is taken from; None if it is 0.
    """
    axes = []
    for axis, coordinate in enumerate(coordinates):
        floor = apply("Floor", coordinate)
        parts = []
        for offset, weight in weights_of(apply("Sub", coordinate, floor)):
            place = cast(scaled(floor, 1, offset), dtypes.int64)
            if placed is not None:
                place = placed(place, axis)
            else:
                weight = selected(_inside(place, sizes[axis]), weight, number(weight, 0))
            parts.append((_clamped(place, sizes[axis]), weight))
        axes.append(parts)
    total: Any = None
    for corner in itertools.product(*axes):
        values = _taken(rows, [place for place, _ in corner], sizes)
        factor = corner[0][1]
        for _, weight in corner[1:]:
            factor = apply("Mul", factor, weight)
        part = apply("Mul", values, apply("ExpandDims", cast(factor, values.dtype), np.int32(-1)))
        total = part if total is None else apply("AddV2", total, part)
    return total


def _linear(fraction: Tensor) -> list[tuple[int, Tensor]]:
    return [(0, apply("Sub", number(fraction, 1), fraction)), (1, fraction)]


def _cubic(fraction: Tensor) -> list[tuple[int, Tensor]]:
    a = -0.75
    result = []
    for offset in (-1, 0, 1, 2):
        x = apply("Abs", scaled(fraction, 1, -offset))
        factors = [a + 2, -(a + 3), 0, 1] if offset in (0, 1) else [a, -5 * a, 8 * a, -4 * a]
        value: Any = number(x, factors[0])
        for factor in factors[1:]:
            value = apply("AddV2", apply("Mul", value, x), number(x, factor))
        result.append((offset, value))
    return result


def _nearest(fraction: Tensor) -> list[tuple[int, Tensor]]:
    return [(0, apply("OnesLike", fraction))]


def _reflected(x: Tensor, low: Any, high: Any) -> Tensor:
    """Coordinates reflected at two borders, as often as needed."""
    span = apply("Sub", high, low)
    apart = apply("FloorMod", apply("Sub", x, low), scaled(span, 2))
    return apply("AddV2", low, apply("Minimum", apart, apply("Sub", scaled(span, 2), apart)))


def _grid_sample(c: Call) -> Tensor:
    x, grid = c[0], c[1]
    mode, padding = c.text("mode", "linear"), c.text("padding_mode", "zeros")
    align = bool(c.int("align_corners", 0))
    weights = {
        "linear": _linear,
        "bilinear": _linear,
        "cubic": _cubic,
        "bicubic": _cubic,
        "nearest": _nearest,
    }.get(mode)
    if weights is None or padding not in ("zeros", "border", "reflection"):
        raise MalformedError(f"mode {mode!r} or padding_mode {padding!r} is not known")
    sizes, space = _sizes(x), rank_of(x) - 2
    dtype = grid.dtype
    borders, coordinates = [], []
    flat = reshape(grid, [size_of(grid, 0), -1, space])
    for axis, normal in enumerate(reversed(apply("Unpack", flat, num=space, axis=2))):
        size = _as(sizes[axis], dtype)
        ahead = scaled(normal, 1, 1)
        if align:
            place = scaled(apply("Mul", ahead, apply("Sub", size, number(normal, 1))), 0.5)
        else:
            place = scaled(apply("Mul", ahead, size), 0.5, -0.5)
        if mode == "nearest":
            place = apply("Rint", place)
        half = 0.0 if align else 0.5
        low = number(normal, -half)
        high = apply("Sub", size, number(normal, 1 - half))
        borders.append((low, high))
        if padding != "zeros":
            outside = apply("LogicalOr", apply("Less", place, low), apply("Greater", place, high))
            last = apply("Sub", size, number(normal, 1))
            moved = (
                apply("ClipByValue", place, number(normal, 0), last)
                if padding == "border"
                else _reflected(place, low, high)
            )
            place = selected(outside, moved, place)
        coordinates.append(place)

    def reflected(place: Tensor, axis: int) -> Tensor:
        low, high = borders[axis]
        return cast(_reflected(cast(place, dtype), low, high), dtypes.int64)

    def clamped(place: Tensor, axis: int) -> Tensor:
        return _clamped(place, sizes[axis])

    placed = {"zeros": None, "border": clamped, "reflection": reflected}[padding]
    result = interpolated(_rows(x), coordinates, sizes, weights, placed)
    result = transpose(result, [0, 2, 1])
    outer = [size_of(grid, axis) for axis in range(1, space + 1)]
    return reshape(result, [size_of(x, 0), size_of(x, 1), *outer])


def _affine_grid(c: Call) -> Tensor:
    theta = c[0]
    known = c.const(1)
    space = (theta.shape.as_list()[1]) if theta.shape.ndims == 3 else None
    if space not in (2, 3):
        raise MalformedError(f"theta must have shape [batch, 2 or 3, …], got {theta.shape}")
    sizes: list[Any] = []
    for axis in range(space):
        index = axis + 2
        sizes.append(
            int(known[index]) if known is not None else element(cast(c[1], dtypes.int64), index)
        )
    lines = []
    for axis, size in enumerate(sizes):
        steps = cast(apply("Range", np.int64(0), as_size(size), np.int64(1)), theta.dtype)
        count = _as(size, theta.dtype)
        if c.int("align_corners", 0):
            last = apply("Sub", count, number(theta, 1))
            line = scaled(apply("RealDiv", scaled(steps, 2), last), 1, -1)
        else:
            line = scaled(apply("RealDiv", scaled(steps, 2, 1), count), 1, -1)
        lines.append(reshape(line, [-1, *[1] * (space - 1 - axis)]))
    shape = vector(sizes)
    planes = [apply("BroadcastTo", line, shape) for line in reversed(lines)]
    points = reshape(
        apply("Pack", [*planes, apply("OnesLike", planes[0])], axis=space), [-1, space + 1]
    )
    moved = apply("BatchMatMulV2", points, theta, adj_y=True)
    return reshape(moved, [size_of(theta, 0), *sizes, space])


def _roi_align(c: Call) -> Tensor:
    x, rois, batch = c[0], c[1], cast(c[2], dtypes.int64)
    default = "half_pixel" if c.version >= 16 else "output_half_pixel"
    half = c.text("coordinate_transformation_mode", default) == "half_pixel"
    mode, ratio = c.text("mode", "avg"), c.int("sampling_ratio", 0)
    counts = [c.int("output_height", 1), c.int("output_width", 1)]
    sizes = _sizes(x)
    edges = apply(
        "Unpack", scaled(rois, c.float("spatial_scale", 1.0), -0.5 if half else 0.0), num=4, axis=1
    )
    lines, kept = [], []
    for axis, count in enumerate(counts):
        start, end = edges[1 - axis], edges[3 - axis]
        span = apply("Sub", end, start)
        if not half:
            span = apply("Maximum", span, number(span, 1))
        step = scaled(span, 1 / count)
        if ratio > 0:
            grid: Any = number(step, ratio)
            most: Any = np.int64(ratio)
        else:
            grid = apply("Maximum", apply("Ceil", step), number(step, 1))
            most = cast(apply("Max", grid, np.int32(0)), dtypes.int64)
        numbers = cast(apply("Range", np.int64(0), most, np.int64(1)), rois.dtype)
        within = apply(
            "RealDiv", scaled(numbers, 1, 0.5), reshape(grid, [-1, 1]) if ratio <= 0 else grid
        )
        bins = np.arange(count).astype(rois.dtype.numpy_dtype)[:, None]
        if ratio <= 0:
            kept.append(apply("Less", numbers, reshape(grid, [-1, 1, 1])))
            within = apply("ExpandDims", within, np.int32(1))
        offsets = apply("AddV2", bins, within)
        place = apply("Mul", reshape(step, [-1, 1, 1]), offsets)
        lines.append(apply("AddV2", reshape(start, [-1, 1, 1]), place))
    rows, columns = lines  # [rois, bins, samples]
    rows = reshape(rows, [size_of(rois, 0), counts[0], 1, -1, 1])
    columns = reshape(columns, [size_of(rois, 0), 1, counts[1], 1, size_of(columns, 2)])
    shape = apply("BroadcastArgs", apply("Shape", rows), apply("Shape", columns))
    places = [apply("BroadcastTo", part, shape) for part in (rows, columns)]
    valid: Any = None
    clipped = []
    for place, size in zip(places, sizes, strict=True):
        limit = _as(size, rois.dtype)
        good = apply(
            "LogicalAnd",
            apply("GreaterEqual", place, number(place, -1)),
            apply("LessEqual", place, limit),
        )
        valid = good if valid is None else apply("LogicalAnd", valid, good)
        last = apply("Sub", limit, number(place, 1))
        clipped.append(apply("ClipByValue", place, number(place, 0), last))
    corners = _corners(x, batch, clipped, sizes, valid)
    if mode == "max":
        best = corners[0]
        for corner in corners[1:]:
            best = apply("Maximum", best, corner)
        if kept:
            best = selected(_both(kept), best, number(best, -np.inf))
        result = apply("Max", best, np.array([3, 4]))
    else:
        total = apply("AddN", corners)
        if kept:
            mask = cast(_both(kept), total.dtype)
            total = apply("Mul", total, mask)
            result = apply(
                "RealDiv",
                apply("Sum", total, np.array([3, 4])),
                apply("Sum", mask, np.array([3, 4])),
            )
        else:
            result = apply("Mean", total, np.array([3, 4]))
    return transpose(result, [0, 3, 1, 2])


def _both(kept: list[Tensor]) -> Tensor:
    """Returns which samples of rows and of columns are within the grid of a region."""
    rows = apply("ExpandDims", apply("Squeeze", kept[0], squeeze_dims=[1]), np.int32(-1))
    columns = apply("ExpandDims", apply("Squeeze", kept[1], squeeze_dims=[1]), np.int32(-2))
    both = apply("LogicalAnd", rows, columns)
    for axis in (1, 2, 5):
        both = apply("ExpandDims", both, np.int32(axis))
    return both


def _corners(
    x: Tensor, batch: Tensor, places: list[Tensor], sizes: list[Any], valid: Tensor
) -> list[Tensor]:
    """The weighted elements at the corners around places of the images of regions."""
    rows = reshape(_rows(x), [-1, size_of(x, 1)])
    first = reshape(batch, [-1, 1, 1, 1, 1])
    parts = []
    for place, size in zip(places, sizes, strict=True):
        floor = apply("Floor", place)
        fraction = apply("Sub", place, floor)
        low = cast(floor, dtypes.int64)
        high = _clamped(apply("AddV2", low, np.int64(1)), size)
        parts.append([(low, apply("Sub", number(fraction, 1), fraction)), (high, fraction)])
    result = []
    for (row, row_weight), (column, column_weight) in itertools.product(*parts):
        index = apply("AddV2", apply("Mul", first, sizes[0]), row)
        index = apply("AddV2", apply("Mul", index, sizes[1]), column)
        weight = apply("Mul", row_weight, column_weight)
        weight = selected(valid, weight, number(weight, 0))
        values = apply("GatherV2", rows, index, np.int32(0))
        weight = apply("ExpandDims", cast(weight, values.dtype), np.int32(-1))
        result.append(apply("Mul", values, weight))
    return result


def _deform_conv(c: Call) -> Tensor:
    x, w, offsets = c[0], c[1], c[2]
    kernel = filter_sizes(c, w)
    if len(kernel) != 2:
        raise MalformedError("deformable convolutions are supported along 2 axes of space")
    windows = windows_of(c, kernel)
    if windows.pads is None:
        raise UnsupportedError("the size of its padding is not known: not supported")
    groups, parts = c.int("group", 1), c.int("offset_group", 1)
    channels, outputs = size_of(x, 1), size_of(w, 0)
    if not isinstance(channels, int) or not isinstance(outputs, int):
        raise UnsupportedError("the number of its channels is not known: not supported")
    if channels % parts:
        raise MalformedError(f"offset_group = {parts} does not divide {channels} channels")
    sizes, taps = _sizes(x), math.prod(kernel)
    outer = [size_of(offsets, axis) for axis in (2, 3)]
    batch = size_of(x, 0)
    split = reshape(offsets, [batch, parts, taps, 2, -1])
    masks = reshape(c[4], [batch, parts, taps, -1]) if c.has(4) else None
    grid = []
    for axis in range(2):
        steps = cast(apply("Range", np.int64(0), as_size(outer[axis]), np.int64(1)), x.dtype)
        steps = scaled(steps, windows.strides[axis], -windows.pads[axis][0])
        steps = reshape(steps, [-1, 1] if axis == 0 else [1, -1])
        grid.append(reshape(apply("BroadcastTo", steps, vector(outer)), [1, 1, -1]))
    columns = []
    for part, rows in enumerate(apply("Split", np.int32(2), _rows(x), num_split=parts)):
        moved = apply("GatherV2", split, np.int64(part), np.int32(1))  # [batch, taps, 2, points]
        coordinates = []
        for axis in range(2):
            taps_of = np.array([p[axis] * windows.dilations[axis] for p in np.ndindex(*kernel)])
            base = apply("AddV2", grid[axis], taps_of.reshape(1, -1, 1).astype(x.dtype.numpy_dtype))
            place = apply("AddV2", base, apply("GatherV2", moved, np.int64(axis), np.int32(2)))
            coordinates.append(reshape(place, [batch, -1]))
        values = interpolated(rows, coordinates, sizes, _linear)
        values = reshape(values, [batch, taps, -1, channels // parts])
        if masks is not None:
            mask = apply("GatherV2", masks, np.int64(part), np.int32(1))
            values = apply("Mul", values, apply("ExpandDims", mask, np.int32(-1)))
        columns.append(transpose(values, [0, 3, 1, 2]))  # [batch, channels, taps, points]
    whole = apply("ConcatV2", columns, np.int32(1)) if parts > 1 else columns[0]
    whole = reshape(whole, [batch, groups, channels // groups * taps, -1])
    filters = reshape(w, [groups, outputs // groups, -1])
    result = reshape(apply("BatchMatMulV2", filters, whole), [batch, outputs, *outer])
    return with_bias(result, c[3]) if c.has(3) else result


def _column_to_image(c: Call) -> Tensor:
    x = c[0]
    space = c[1].shape.as_list()[0] if c[1].shape.ndims == 1 else None
    if space is None:
        raise UnsupportedError("the rank of its images is not known: not supported")
    image, block = (
        [element(cast(c[i], dtypes.int64), axis) for axis in range(space)] for i in (1, 2)
    )
    strides, dilations = (c.list(name, [1] * space) for name in ("strides", "dilations"))
    pads = c.list("pads", [0] * (2 * space))
    index: Any = np.int64(0)
    good: Any = np.True_
    for axis in range(space):
        reach = scaled(scaled(block[axis], 1, -1), dilations[axis])
        total = scaled(image[axis], 1, pads[axis] + pads[axis + space])
        count = scaled(
            apply("FloorDiv", scaled(apply("Sub", total, reach), 1, -1), np.int64(strides[axis])),
            1,
            1,
        )
        inner = scaled(apply("Range", np.int64(0), block[axis], np.int64(1)), dilations[axis])
        steps = scaled(apply("Range", np.int64(0), count, np.int64(1)), strides[axis], -pads[axis])
        ones = [1] * space
        inner_shape, steps_shape = [*ones, *ones], [*ones, *ones]
        inner_shape[axis], steps_shape[space + axis] = -1, -1
        place = apply("AddV2", reshape(inner, inner_shape), reshape(steps, steps_shape))
        good = apply("LogicalAnd", good, _inside(place, image[axis]))
        index = apply("AddV2", apply("Mul", index, image[axis]), place)
    index = reshape(selected(good, index, np.int64(-1)), [-1])
    size = apply("Prod", apply("Pack", image), np.int32(0))
    taps = apply("Prod", apply("Pack", block), np.int32(0))
    channels = apply("FloorDiv", as_size(size_of(x, 1)), taps)
    values = apply("Reshape", x, apply("Pack", [as_size(size_of(x, 0)), channels, np.int64(-1)]))
    sums = apply("UnsortedSegmentSum", transpose(values, [2, 0, 1]), index, size)
    return apply(
        "Reshape",
        transpose(sums, [1, 2, 0]),
        apply("Pack", [as_size(size_of(x, 0)), channels, *image]),
    )


RULES: dict[str, Rule] = {
    "AffineGrid": _affine_grid,
    "Col2Im": _column_to_image,
    "DeformConv": _deform_conv,
    "GridSample": _grid_sample,
    "RoiAlign": _roi_align,
}
