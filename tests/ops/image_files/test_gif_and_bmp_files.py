"""GIF and BMP files, byte by byte; what comes out was recorded from TensorFlow 2.21."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from cases import Case, raises
from harness import check

import tensordraft as td

COLOURS = np.array([[10, 20, 30], [40, 50, 60], [70, 80, 90], [100, 110, 120]], np.uint8)


def packed(indices: list[int]) -> bytes:
    """Indices by LZW, without any code that stands for several."""
    codes = [code for i, n in enumerate(indices) for code in ([256, n] if i % 60 == 0 else [n])]
    bits = sum(code << 9 * i for i, code in enumerate([*codes, 257]))
    data = bits.to_bytes(-(-9 * (len(codes) + 1) // 8), "little")
    blocks = (data[i : i + 255] for i in range(0, len(data), 255))
    return b"\x08" + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def frame(place: tuple[int, int, int, int], indices: list[int], clear: int | None = None) -> bytes:
    """A frame at (left, top, columns, rows), one of whose indices may be transparent."""
    control = b"" if clear is None else bytes([0x21, 0xF9, 4, 1, 0, 0, clear, 0])
    return control + b"," + struct.pack("<HHHHB", *place, 0) + packed(indices)


def gif(*frames: bytes, end: bytes = b";") -> bytes:
    screen = struct.pack("<HHBBB", 6, 5, 0x81, 0, 0)
    return b"GIF89a" + screen + COLOURS.tobytes() + b"".join(frames) + end


def array(file: bytes) -> np.ndarray:
    return np.array(file, object)


WHOLE = (0, 0, 6, 5)
HALVES = [2] * 15 + [3] * 15
FRAMES = [
    frame((1, 1, 3, 2), [1] * 6),  # around the first frame it is black
    frame(WHOLE, HALVES, clear=2),
    frame((4, 3, 5, 5), [1] * 25),  # it reaches beyond the screen
]
FIRST = np.zeros((5, 6, 3), np.uint8)
FIRST[1:3, 1:4] = COLOURS[1]
SECOND = FIRST.copy()
SECOND.reshape(30, 3)[15:] = COLOURS[3]
THIRD = SECOND.copy()
THIRD[3:, 4:] = COLOURS[1]
ANIMATED = array(gif(*FRAMES))
STILL = array(gif(frame(WHOLE, HALVES)))
STILL_PIXELS = COLOURS[HALVES].reshape(5, 6, 3)


def bmp(pixels: np.ndarray, upright: bool = True) -> bytes:
    rows, columns, channels = pixels.shape
    lines = pixels[..., [2, 1, 0, 3][:channels]] if channels > 1 else pixels
    lines = np.pad(lines.reshape(rows, -1), [(0, 0), (0, -columns * channels % 4)])
    data = (lines if not upright else lines[::-1]).tobytes()
    height = rows if upright else -rows
    header = struct.pack("<IiiHHIIiiII", 40, columns, height, 1, 8 * channels, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + header + data


RGB = np.arange(30, dtype=np.uint8).reshape(2, 5, 3)
RGBA = np.arange(40, dtype=np.uint8).reshape(2, 5, 4)
OPAQUE = np.full((2, 5, 1), 255, np.uint8)


def refuses(op: str, file: bytes, clause: str, name: str) -> Case:
    return Case(op, [array(file)], {}, raises(clause, "run"), id=name)


CASES = [
    Case("DecodeGif", [ANIMATED], {}, np.stack([FIRST, SECOND, THIRD]), dynamic=True),
    Case("DecodeGif", [STILL], {}, STILL_PIXELS[None], dynamic=True, id="still"),
    Case("DecodeGif", [array(ANIMATED.item()[:-40])], {}, np.stack([FIRST, SECOND]), dynamic=True,
         id="last-frame-cut"),
    Case("DecodeGif", [array(gif(frame(WHOLE, HALVES), end=b""))], {}, STILL_PIXELS[None],
         dynamic=True, id="no-end"),
    Case("DecodePng", [STILL], {}, STILL_PIXELS, dynamic=True, id="gif"),
    Case("DecodePng", [ANIMATED], {}, raises("the GIF file has 3 frames", "run"), id="animated"),
    Case("DecodeImage", [ANIMATED], {"expand_animations": False}, FIRST, dynamic=True, id="first"),
    Case("DecodeImage", [STILL], {"dtype": td.uint16}, STILL_PIXELS[None].astype("u2") * 256,
         dynamic=True, id="wide"),
    Case("DecodeImage", [STILL], {"channels": 1}, raises("channels must be 0 or 3", "run"),
         id="grey-gif"),
    refuses("DecodeGif", gif(), "it holds no image", "none"),
    refuses("DecodeGif", gif(frame(WHOLE, [7] * 30)), "expected colors below 4, got 7", "colour"),
    refuses("DecodeGif", gif(frame(WHOLE, HALVES[:20])), "damaged", "short"),
    refuses("DecodeGif", gif(b"?"), "unknown block 0x3f", "block"),
    refuses("DecodeGif", gif()[:20], "it ends too early", "cut"),
    Case("DecodeBmp", [array(bmp(RGB))], {}, RGB, dynamic=True),
    Case("DecodeBmp", [array(bmp(RGB, upright=False))], {"channels": 4},
         np.concatenate([RGB, OPAQUE], 2), dynamic=True, id="from-the-top"),
    Case("DecodeBmp", [array(bmp(RGBA))], {"channels": 3}, RGBA[..., :3], dynamic=True, id="alpha"),
    Case("DecodeBmp", [array(bmp(RGBA))], {}, RGBA, dynamic=True, id="four"),
    Case("DecodeBmp", [array(bmp(RGB[..., :1]))], {}, RGB[..., :1], dynamic=True, id="grey"),
    Case("DecodeBmp", [array(bmp(RGB))], {"channels": 1}, raises("channels must be 0, 3 or 4")),
    Case("DecodeImage", [array(bmp(RGB))], {"dtype": td.float32},
         RGB.astype("f") / np.float32(255), rtol=1e-6, dynamic=True, id="bmp"),
    refuses("DecodeBmp", bmp(RGB)[:-3], "it has 83 bytes and not 86", "bmp-cut"),
    refuses("DecodeBmp", bmp(RGB)[:30], "and no header", "header"),
    refuses("DecodeBmp", gif(), "contents is a GIF image, and no BMP image", "gif"),
    refuses("DecodePng", bmp(RGB), "contents is a BMP image", "bmp"),
]  # fmt: skip
test_gif_and_bmp_files = check(CASES)


@pytest.mark.parametrize(
    ("start", "clause"),
    [
        (b"RIFF\0\0\0\0WEBP", "contents is a WebP image"),
        (b"\0\0\0\x20ftypavif", "contents is an AVIF image"),
        (b"II*\0", "contents is a TIFF image"),
        (b"<html>", "contents is an HTML page"),
        (b"", "contents is empty"),
        (b"hello, world", "begins with b'hello, w'"),
    ],
)
def test_what_is_no_image_is_named(start: bytes, clause: str) -> None:
    with td.Graph().as_default(), td.Session() as session:
        image = td.image.decode_image(start)
        with pytest.raises(td.errors.InvalidArgumentError, match=clause):
            session.run(image)
