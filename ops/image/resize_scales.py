"""Source coordinates of the pixels of a resized image, in float32 as in TensorFlow."""

from __future__ import annotations

import numpy as np

from ...shape_inference.context import KernelContext
from ...shape_inference.protocols import Array


def modes_of(c: KernelContext) -> tuple[bool, bool]:
    """Values of the attributes `align_corners` and `half_pixel_centers`.

    Raises:
        ValueError: both are.
    """
    align_corners, half_pixel_centers = c.attr("align_corners"), c.attr("half_pixel_centers")
    if align_corners and half_pixel_centers:
        raise ValueError("align_corners must be False where half_pixel_centers is True")
    return align_corners, half_pixel_centers


def scale_of(size: int, wanted: int, align_corners: bool) -> np.float32:
    """Distance in the image between neighboring pixels of the result."""
    if align_corners and wanted > 1:
        return np.float32(np.float32(size - 1) / np.float32(wanted - 1))
    return np.float32(np.float32(size) / np.float32(wanted))


def between(
    size: int, wanted: int, align_corners: bool, half_pixel_centers: bool
) -> tuple[Array, Array, Array]:
    """For each pixel of the result the pixels before and after it, and how near it is to these."""
    half = np.float32(0.5 if half_pixel_centers else 0)
    places = np.arange(wanted, dtype=np.float32) + half
    places = places * scale_of(size, wanted, align_corners) - half
    before = np.floor(places)
    low = np.maximum(before, 0).astype(np.intp)
    high = np.minimum(np.ceil(places), size - 1).astype(np.intp)
    return np.minimum(low, size - 1), high, (places - before).astype(np.float32)


def nearest(size: int, wanted: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """For each pixel of the result the pixel of the image that it repeats."""
    half = np.float32(0.5 if half_pixel_centers else 0)
    places = (np.arange(wanted, dtype=np.float32) + half) * scale_of(size, wanted, align_corners)
    rounded = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
    return np.asarray(np.clip(rounded, 0, size - 1).astype(np.intp))
