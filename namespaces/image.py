"""Functions for images: `td.image`."""

from __future__ import annotations

from ..graph.surface.absent import missing as _missing
from ..graph.surface.namespace import public_names as _public_names
from ..ops.image.resizing import (
    crop_and_resize as crop_and_resize,
    resize_bilinear as resize_bilinear,
    resize_nearest_neighbor as resize_nearest_neighbor,
)


def __getattr__(name: str) -> object:
    raise _missing(__name__, name)


def __dir__() -> list[str]:
    return _public_names(globals())
