"""JPEG files written by Pillow, with the header that TensorFlow gives them."""

from __future__ import annotations

import io
import struct
from typing import NamedTuple

from ...shape_inference.protocols import Array
from .pillow import pillow

_MOST = 65500  # rows or columns that libjpeg writes
_DENSITY = 13  # where the unit of the density stands, in the header of JFIF


class JpegSettings(NamedTuple):
    """Options for writing a JPEG file.

    Args:
        quality: from 0 to 100.
        progressive: whether the image comes coarsely first.
        optimized: whether to look for the shortest codes.
        downsampled: whether the colours have half the resolution.
        unit: of the density: 1 for pixels by inch, 2 by centimetre.
        across: pixels by unit in a row.
        down: pixels by unit in a column.
        metadata: of XMP, as XML.
    """

    quality: int
    progressive: bool = False
    optimized: bool = False
    downsampled: bool = True
    unit: int = 1
    across: int = 300
    down: int = 300
    metadata: bytes = b""


def write_jpeg(pixels: Array, settings: JpegSettings) -> bytes:
    """A JPEG file.

    Args:
        pixels: uint8 [rows, columns, 1 or 3 channels]; not empty.
        settings: how it is written.

    Raises:
        ValueError: Pillow is not installed, or the image is too large for such a file.
    """
    if max(pixels.shape[:2]) > _MOST:
        raise ValueError(
            f"a JPEG file has at most {_MOST} rows and columns, got {list(pixels.shape[:2])}"
        )
    module, file = pillow(), io.BytesIO()
    image = module.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels)
    halved = settings.downsampled and pixels.shape[2] == 3
    more = {"xmp": settings.metadata} if settings.metadata else {}
    image.save(
        file,
        "JPEG",
        quality=settings.quality,
        progressive=settings.progressive,
        optimize=settings.optimized,
        subsampling=2 if halved else 0,
        dpi=(1, 1),
        **more,
    )
    data = bytearray(file.getvalue())
    struct.pack_into(
        ">BHH", data, _DENSITY, settings.unit, settings.across & 0xFFFF, settings.down & 0xFFFF
    )
    return bytes(data)
