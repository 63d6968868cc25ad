"""Images that are turned, shifted, sheared, scaled and tinted, as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

public = {
    "td.keras.preprocessing.image": (
        "apply_affine_transform apply_brightness_shift apply_channel_shift random_brightness "
        "random_channel_shift random_rotation random_shear random_shift random_zoom"
    )
}

FILL_MODES = ("constant", "nearest", "reflect", "wrap")
_Array = np.ndarray[Any, Any]


def apply_affine_transform(
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """An image that is turned, shifted, sheared and scaled about its centre.

    Rows are shifted by `tx`, as Keras says; its preprocessing 1.1.1 and later shift columns by it.
    Each pixel is the mean of the four around where it comes from, by how near they are.

    Args:
        x: the image, of rank 3.
        theta: by how many degrees it is turned.
        tx: by how many rows it is shifted.
        ty: by how many columns.
        shear: by how many degrees it is sheared.
        zx: the scale of rows: those of the result that are one row of the image.
        zy: the scale of columns.
        row_axis: the dimension of rows.
        col_axis: the dimension of columns.
        channel_axis: the dimension of channels.
        fill_mode: what lies beyond the edge: "nearest" its pixels, "constant" `cval`, "reflect"
            the image mirrored, "wrap" the image again, whose first row is its last.
        cval: what lies beyond the edge in "constant".
        order: 1, or 0 for the nearest pixel.

    Returns:
        An image of the same shape and dtype.

    Raises:
        ValueError: the image is of another rank, or a word or order is another one.

    Example:
        >>> image = np.arange(4.0).reshape(2, 2, 1)
        >>> td.keras.preprocessing.image.apply_affine_transform(image, ty=1)[..., 0]
        array([[1., 1.],
               [3., 3.]])
    """
    image = np.asarray(x)
    if image.ndim != 3:
        raise ValueError(f"x must be an image of rank 3, got shape {image.shape}")
    if fill_mode not in FILL_MODES or order not in (0, 1):
        raise ValueError(
            f"fill_mode must be one of {FILL_MODES} and order 0 or 1, got {fill_mode!r}, {order!r}"
        )
    if (theta, tx, ty, shear, zx, zy) == (0, 0, 0, 0, 1, 1):
        return image
    moved = np.moveaxis(image, (row_axis, col_axis, channel_axis), (0, 1, 2))
    matrix = _matrix(theta, tx, ty, shear, zx, zy, moved.shape)
    rows, columns = np.indices(moved.shape[:2], float)
    places = [matrix[i, 0] * rows + matrix[i, 1] * columns + matrix[i, 2] for i in (0, 1)]
    values = _picked(moved.astype(float), places, fill_mode, cval, order)
    if image.dtype.kind in "iu":
        values = np.trunc(values)
    return np.moveaxis(values, (0, 1, 2), (row_axis, col_axis, channel_axis)).astype(image.dtype)


def _matrix(
    theta: float, tx: float, ty: float, shear: float, zx: float, zy: float, shape: Sequence[int]
) -> Any:
    """Source coordinates of each pixel of the result."""
    turn, lean = math.radians(theta), math.radians(shear)
    steps = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0]])
    matrix = np.vstack([steps, [0, 0, 1]])
    matrix = matrix @ np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]], float)
    matrix = matrix @ np.array([[1, -math.sin(lean), 0], [0, math.cos(lean), 0], [0, 0, 1]])
    matrix = matrix @ np.diag([zx, zy, 1.0])
    middle = np.eye(3)
    middle[:2, 2] = shape[0] / 2 - 0.5, shape[1] / 2 - 0.5
    back = np.eye(3)
    back[:2, 2] = -middle[:2, 2]
    return middle @ matrix @ back


def _picked(image: _Array, places: list[_Array], mode: str, cval: float, order: int) -> Any:
    """The values of an image at places between its pixels."""
    inside = np.ones(places[0].shape, bool)
    lower, upper, parts = [], [], []
    for place, size in zip(places, image.shape, strict=False):
        if mode == "constant":
            inside &= (place >= 0) & (place <= size - 1)
        if mode == "wrap":
            place = _around(place, size - 1)
        if order == 0:
            place = np.floor(place + 0.5)
        first = np.floor(place)
        lower.append(_index(first.astype(int), size, mode))
        upper.append(_index(first.astype(int) + 1, size, mode))
        parts.append((place - first)[..., np.newaxis])
    top = image[lower[0], lower[1]] * (1 - parts[1]) + image[lower[0], upper[1]] * parts[1]
    low = image[upper[0], lower[1]] * (1 - parts[1]) + image[upper[0], upper[1]] * parts[1]
    return np.where(inside[..., np.newaxis], top * (1 - parts[0]) + low * parts[0], cval)


def _around(place: _Array, span: int) -> Any:
    """Places from 0 to `span`, both of which are kept, for such as may be beyond."""
    if not span:
        return np.zeros_like(place)
    behind = place + span * (np.trunc(-place / span) + 1)
    return np.where(place < 0, behind, place - span * np.where(place > span, place // span, 0))


def _index(places: _Array, size: int, mode: str) -> Any:
    """Places of pixels that are there, for such as may not be."""
    if mode == "reflect":
        around = np.mod(places, 2 * size)
        return np.where(around < size, around, 2 * size - 1 - around)
    return np.clip(places, 0, size - 1)


def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """An image to all of whose numbers one is added, within the least and the greatest of them.

    Args:
        x: the image.
        intensity: what is added.
        channel_axis: accepted for TensorFlow's sake.

    Example:
        >>> td.keras.preprocessing.image.apply_channel_shift([1.0, 5.0], 2.0).tolist()
        [3.0, 5.0]
    """
    image = np.asarray(x)
    return np.clip(image + intensity, image.min(), image.max())


def apply_brightness_shift(x: Any, brightness: float) -> Any:
    """An image as bright as a factor says; numbers are stretched over 0 to 255 as in Keras.

    Args:
        x: the image.
        brightness: the factor.

    Example:
        >>> td.keras.preprocessing.image.apply_brightness_shift([[[0.0], [255.0]]], 0.5).tolist()
        [[[0.0], [127.0]]]
    """
    image = np.asarray(x, np.float32)
    image = image - image.min()
    top = image.max()
    pixels = (image / top * 255 if top else image).astype(np.uint8)
    return np.clip(np.trunc(pixels * float(brightness)), 0, 255).astype(np.float32)


def _drawn(span: float) -> float:
    return float(np.random.uniform(-span, span))  # noqa: NPY002 - as Keras does, by its seed


def random_rotation(
    x: Any,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image turned by up to `rg` degrees, drawn at random: see `apply_affine_transform`.

    Example:
        >>> td.keras.preprocessing.image.random_rotation(np.ones((3, 4, 4)), 20).shape
        (3, 4, 4)
    """
    rest = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, _drawn(rg), 0, 0, 0, 1, 1, *rest)


def random_shift(
    x: Any,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image shifted by up to parts of its width and height: see `apply_affine_transform`.

    Example:
        >>> td.keras.preprocessing.image.random_shift(np.ones((3, 4, 4)), 0.2, 0.2).shape
        (3, 4, 4)
    """
    shape = np.shape(x)
    rows, columns = _drawn(hrg) * shape[row_axis], _drawn(wrg) * shape[col_axis]
    rest = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, rows, columns, 0, 1, 1, *rest)


def random_shear(
    x: Any,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image sheared by up to `intensity` degrees: see `apply_affine_transform`.

    Example:
        >>> td.keras.preprocessing.image.random_shear(np.ones((3, 4, 4)), 20).shape
        (3, 4, 4)
    """
    rest = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, 0, 0, _drawn(intensity), 1, 1, *rest)


def random_zoom(
    x: Any,
    zoom_range: Sequence[float],
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """An image scaled by factors from a range: see `apply_affine_transform`.

    Raises:
        ValueError: the range is not a pair.

    Example:
        >>> td.keras.preprocessing.image.random_zoom(np.ones((3, 4, 4)), (0.5, 1.0)).shape
        (3, 4, 4)
    """
    if len(zoom_range) != 2:
        raise ValueError(f"zoom_range must be a pair, got {zoom_range!r}")
    low, high = zoom_range
    zx, zy = 1.0, 1.0
    if (low, high) != (1, 1):
        zx, zy = np.random.uniform(low, high, 2)  # noqa: NPY002 - as Keras does
    rest = (row_axis, col_axis, channel_axis, fill_mode, cval, interpolation_order)
    return apply_affine_transform(x, 0, 0, 0, 0, zx, zy, *rest)


def random_channel_shift(x: Any, intensity_range: float, channel_axis: int = 0) -> Any:
    """An image to whose numbers one of up to `intensity_range` is added.

    Example:
        >>> td.keras.preprocessing.image.random_channel_shift(np.eye(4), 0.5).max() <= 1.0
        np.True_
    """
    return apply_channel_shift(x, _drawn(intensity_range), channel_axis)


def random_brightness(x: Any, brightness_range: Sequence[float]) -> Any:
    """An image as bright as a factor from a range says.

    Raises:
        ValueError: the range is not a pair.

    Example:
        >>> td.keras.preprocessing.image.random_brightness(np.ones((4, 4, 3)), (0.5, 1.5)).shape
        (4, 4, 3)
    """
    if len(brightness_range) != 2:
        raise ValueError(f"brightness_range must be a pair, got {brightness_range!r}")
    low, high = brightness_range
    return apply_brightness_shift(x, np.random.uniform(low, high))  # noqa: NPY002
