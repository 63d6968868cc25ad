"""The parts of a PNG file: its header, its palette, and the bytes of its pixels."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
SAMPLES = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
_DEPTHS = {
    GREY: (1, 2, 4, 8, 16),
    RGB: (8, 16),
    PALETTE: (1, 2, 4, 8),
    GREY_ALPHA: (8, 16),
    RGB_ALPHA: (8, 16),
}


@dataclass
class Png:
    """A PNG file.

    Args:
        width: columns.
        height: rows.
        depth: the bits of a sample.
        colour: the colour type.
        interlaced: whether the rows come in seven passes.
        palette: three bytes for each colour.
        transparency: what is transparent, as the colour type says it.
        gamma: the exponent by which samples are to be read, in 100,000ths; 0 where none is stated.
        data: the compressed rows.
    """

    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool
    palette: bytes = b""
    transparency: bytes | None = None
    gamma: int = 0
    data: bytes = b""

    @property
    def samples(self) -> int:
        """The samples of a pixel."""
        return SAMPLES[self.colour]

    def plain(self) -> bytes:
        """A file of the same pixels, with nothing in it but them."""
        colours = [chunk(b"PLTE", self.palette)] if self.colour == PALETTE else []
        return b"".join([SIGNATURE, self._header(), *colours, chunk(b"IDAT", self.data), _END])

    def _header(self) -> bytes:
        fields = (self.width, self.height, self.depth, self.colour, 0, 0, self.interlaced)
        return chunk(b"IHDR", struct.pack(">IIBBBBB", *fields))


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk with its length and its check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_END = chunk(b"IEND", b"")


def parse_png(contents: bytes) -> Png:
    """The parts of a file.

    Raises:
        ValueError: it is damaged.
    """
    png: Png | None = None
    place, parts = len(SIGNATURE), []
    while True:
        if place + 12 > len(contents):
            raise ValueError(f"the PNG file is damaged: it ends within a chunk, at {place}")
        length, kind = struct.unpack_from(">I4s", contents, place)
        data = contents[place + 8 : place + 8 + length]
        end = place + 8 + length
        if end + 4 > len(contents):
            raise ValueError(f"the PNG file is damaged: it ends within {_name(kind)}, at {place}")
        intact = zlib.crc32(data, zlib.crc32(kind)) == struct.unpack_from(">I", contents, end)[0]
        if not intact and kind[0] & 0x20 == 0:  # what is not critical may be passed over
            raise ValueError(
                f"the PNG file is damaged: {_name(kind)} at {place} has a wrong check sum"
            )
        if png is None:
            if kind != b"IHDR":
                raise ValueError(f"the PNG file is damaged: it begins with {_name(kind)}")
            png = _parse_header(data)
        elif kind == b"IEND":
            break
        elif kind == b"IDAT":
            parts.append(data)
        elif intact:
            _take(png, kind, data)
        place = end + 4
    png.data = b"".join(parts)
    if png.colour == PALETTE and not png.palette:
        raise ValueError("the PNG file is damaged: it has no palette")
    return png


def _name(kind: bytes) -> str:
    return kind.decode("ascii", "backslashreplace")


def _parse_header(data: bytes) -> Png:
    if len(data) != 13:
        raise ValueError(f"the PNG file is damaged: IHDR has {len(data)} bytes")
    width, height, depth, colour, compression, filtering, interlacing = struct.unpack(
        ">IIBBBBB", data
    )
    for name, size in (("columns", width), ("rows", height)):
        if not 0 < size < 2**31:
            raise ValueError(f"the PNG file is damaged: it has {size} {name}")
    if depth not in _DEPTHS.get(colour, ()) or compression or filtering or interlacing > 1:
        raise ValueError(
            f"the PNG file is damaged: there is no color type {colour} of {depth} bits with "
            f"compression {compression}, filters {filtering} and interlacing {interlacing}"
        )
    return Png(width, height, depth, colour, bool(interlacing))


def _take(png: Png, kind: bytes, data: bytes) -> None:
    if kind == b"PLTE" and not png.palette:
        if len(data) % 3 or not 0 < len(data) <= 768:
            raise ValueError(f"the PNG file is damaged: PLTE has {len(data)} bytes")
        png.palette = data
    elif kind == b"tRNS" and png.colour in (GREY, RGB, PALETTE):
        right = len(data) <= 256 if png.colour == PALETTE else len(data) == 2 * png.samples
        png.transparency = data if right and data else None
    elif kind == b"gAMA" and len(data) == 4:
        png.gamma = struct.unpack(">I", data)[0]
    elif kind == b"sRGB":
        png.gamma = 45455
