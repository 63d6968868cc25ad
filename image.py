"""Functions for images: `td.image`."""

from __future__ import annotations

from .ops.resizing import (
    crop_and_resize as crop_and_resize,
    resize_bilinear as resize_bilinear,
    resize_nearest_neighbor as resize_nearest_neighbor,
)
