"""PNG files of every kind as pixels, in the arithmetic of libpng as TensorFlow asks for it."""

from __future__ import annotations

import io

import numpy as np

from ...shape_inference.protocols import Array
from ..common.allocation import check_read
from .pillow import reading
from .png_chunks import GREY, GREY_ALPHA, PALETTE, RGB, RGB_ALPHA, Png, parse_png
from .png_rows import samples_of

_MODES = {GREY: "L", RGB: "RGB", PALETTE: "P", GREY_ALPHA: "LA", RGB_ALPHA: "RGBA"}
_PILLOW_TAKES = 2**26  # pixels, above which it warns of bombs
# The shares of red and green in grey, in 32768ths.
_RED, _GREEN = 9797, 19234
_BLUE = 32768 - _RED - _GREEN


def read_png(contents: bytes, channels: int, wide: bool) -> Array:
    """The pixels of a PNG file, [rows, columns, channels] of uint8 or uint16.

    Args:
        contents: the file.
        channels: 1, 3, 4, or 0 for what the file has.
        wide: whether to give 16 bits; else 8.

    Raises:
        ValueError: the file is damaged.
        ResourceExhaustedError: it has too many pixels.
    """
    png = parse_png(contents)
    wanted = channels or _channels(png)
    dtype = np.dtype(np.uint16 if wide else np.uint8)
    check_read((png.height, png.width, wanted), dtype, "the image of a PNG file")
    pixels = _with_channels(png, _samples(png), wanted, wide)
    if wide and png.depth < 16:
        return pixels.astype(np.uint16) * np.uint16(257)
    if png.depth == 16 and not wide:
        return (pixels >> 8).astype(np.uint8)
    return np.ascontiguousarray(pixels, dtype)


def _channels(png: Png) -> int:
    if png.colour == PALETTE:
        return 3 if png.transparency is None else 4
    return png.samples


def _samples(png: Png) -> Array:
    """The samples as they are in the file; Pillow is fast at what it leaves as it is."""
    if png.depth != 8 or png.width * png.height > _PILLOW_TAKES:
        return samples_of(png)
    try:
        with reading("PNG") as module:
            image = module.open(io.BytesIO(png.plain()), formats=["PNG"])
            pixels = np.array(image, np.uint8)
            if image.mode == _MODES[png.colour]:
                return pixels.reshape(png.height, png.width, png.samples)
    except ValueError:
        pass  # what is wrong, samples_of says, and it needs no Pillow
    return samples_of(png)


def _with_channels(png: Png, samples: Array, wanted: int, wide: bool) -> Array:
    """Pixels of 8 or 16 bits with as many channels as are wanted."""
    colours, alpha = _colours_and_alpha(png, samples)
    grey = colours.shape[2] == 1
    if wanted < 3 and not grey:
        colours = _grey(colours, png.gamma, wide)
    elif wanted >= 3 and grey:
        colours = np.repeat(colours, 3, 2)
    if wanted % 2:
        return colours
    if alpha is None:  # libpng is asked for the greatest value of the file's depth
        alpha = np.full((*colours.shape[:2], 1), (1 << png.depth) - 1, colours.dtype)
    return np.concatenate([colours, alpha], 2)


def _colours_and_alpha(png: Png, samples: Array) -> tuple[Array, Array | None]:
    clear = png.transparency
    if png.colour == PALETTE:
        table = np.zeros((256, 3), np.uint8)  # what is not in the palette is black
        table[: len(png.palette) // 3] = np.frombuffer(png.palette, np.uint8).reshape(-1, 3)
        alphas = np.full((256, 1), 255, np.uint8)
        if clear is not None:
            alphas[: len(clear), 0] = np.frombuffer(clear, np.uint8)
        index = samples[..., 0]
        return table[index], None if clear is None else alphas[index]
    if png.colour in (GREY_ALPHA, RGB_ALPHA):
        return samples[..., :-1], samples[..., -1:]
    alpha = None
    if clear is not None:
        key = np.frombuffer(clear, ">u2").astype(np.int64) & (1 << png.depth) - 1
        opaque = (samples != key).any(2, keepdims=True)
        alpha = opaque.astype(samples.dtype) * samples.dtype.type(np.iinfo(samples.dtype).max)
    if png.depth < 8:
        samples = samples * np.uint8(255 // ((1 << png.depth) - 1))
    return samples, alpha


def _grey(colours: Array, gamma: int, wide: bool) -> Array:
    """Luma of colours: 0.299 red, 0.587 green, and the rest blue.

    Where the file states a gamma, the shares are taken of light, and not of what samples hold.
    """
    bits = 8 * colours.dtype.itemsize
    planes = [colours[..., i].astype(np.int64) for i in range(3)]
    has_gamma = abs(gamma - 100_000) > 5_000 and gamma > 0
    # libpng makes its tables coarser where 16 bits become 8.
    shift = 5 if bits == 16 and not wide else 0
    there, back = (int(1e10 / gamma + 0.5), gamma) if has_gamma else (100_000, 100_000)
    red, green, blue = (_bent(plane, there, bits, shift) for plane in planes)
    half = 16384 if has_gamma or bits == 16 else 0
    grey = _bent(red * _RED + green * _GREEN + blue * _BLUE + half >> 15, back, bits, shift)
    alike = (planes[0] == planes[1]) & (planes[0] == planes[2])
    return np.where(alike, planes[0], grey).astype(colours.dtype)[..., None]


def _bent(values: Array, gamma: int, bits: int, shift: int) -> Array:
    """Samples, as parts of the greatest, raised to a power: by a table, as libpng has it."""
    if gamma == 100_000:
        return values
    number, most = 1 << bits - shift, (1 << bits) - 1
    shares = np.arange(number) / (number - 1)
    table = np.floor(most * shares ** (gamma * 0.00001) + 0.5).astype(np.int64)
    return np.asarray(table[values >> shift])
