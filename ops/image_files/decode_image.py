"""Decoding of PNG, GIF, BMP and any image files to tensors: `td.image`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import as_dtype, float32, uint8, uint16
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..image.convert_image_dtype import convert_image_dtype
from .bmp_reading import read_bmp
from .decode_any_image import bytes_of, check_channels, decoded, documented, one_frame
from .file_signatures import kind_of

public = {"td.image, td.io": "decode_bmp decode_gif decode_image decode_png"}

DECODE_PNG = OpDef(
    "DecodePng",
    "contents: string -> image: dtype",
    "channels: int = 0, dtype: {uint8, uint16} = uint8",
)
DECODE_GIF = OpDef("DecodeGif", "contents: string -> image: uint8")
DECODE_BMP = OpDef("DecodeBmp", "contents: string -> image: uint8", "channels: int = 0")
DECODE_IMAGE = OpDef(
    "DecodeImage",
    "contents: string -> image: dtype",
    "channels: int = 0, dtype: {uint8, uint16, float32} = uint8, expand_animations: bool = true",
)


@DECODE_PNG.shape
@DECODE_BMP.shape
def _image_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    allowed = (0, 3, 4) if c.node.definition is DECODE_BMP else (0, 1, 3, 4)
    channels = check_channels(c.attr("channels"), allowed)
    return TensorShape.of((dim_symbol(), dim_symbol(), channels or dim_symbol()))


@DECODE_GIF.shape
def _frames_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    return TensorShape.of((None, None, None, 3))


@DECODE_IMAGE.shape
def _decode_image_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    channels = check_channels(c.attr("channels"), (0, 1, 3, 4))
    if c.attr("expand_animations"):
        return UNKNOWN_SHAPE
    return TensorShape.of((None, None, channels or None))


@DECODE_PNG.fresh_kernel
def _decode_png_kernel(c: KernelContext) -> Kernel:
    channels, dtype = c.attr("channels"), c.output_dtype.numpy_dtype

    def decode(contents: Array) -> Array:
        return one_frame(decoded(bytes_of(contents), channels, dtype))

    return decode


@DECODE_GIF.fresh_kernel
def _decode_gif_kernel(c: KernelContext) -> Kernel:
    def decode(contents: Array) -> Array:
        pixels = decoded(bytes_of(contents), 3)
        return pixels if pixels.ndim == 4 else pixels[None]

    return decode


@DECODE_BMP.fresh_kernel
def _decode_bmp_kernel(c: KernelContext) -> Kernel:
    channels = c.attr("channels")

    def decode(contents: Array) -> Array:
        data = bytes_of(contents)
        if kind_of(data) != "BMP":
            raise ValueError(f"contents is a {kind_of(data)} image, and no BMP image")
        return read_bmp(data, channels)

    return decode


@DECODE_IMAGE.fresh_kernel
def _decode_image_kernel(c: KernelContext) -> Kernel:
    channels, dtype = c.attr("channels"), c.output_dtype.numpy_dtype
    expands = c.attr("expand_animations")

    def decode(contents: Array) -> Array:
        data = bytes_of(contents)
        pixels = decoded(data, channels, dtype, expands, takes_bmp=True)
        return pixels if expands or pixels.ndim == 3 else np.asarray(pixels[0])

    return decode


@documented
def decode_png(
    contents: TensorLike, channels: int = 0, dtype: Any = uint8, name: str | None = None
) -> Tensor:
    """The image in a PNG file of any kind; a JPEG file, or a GIF of one frame, is taken as well.

    Args:
        dtype: uint8 or uint16. Samples of 16 bits lose their lower half in uint8.

    Returns:
        A Tensor [rows, columns, channels]: the same as in TensorFlow, bit for bit. A file that has
        no alpha gets an opaque one where 4 channels are asked for.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     file = td.image.encode_png(td.constant([[[1, 2, 3]]], td.uint8))
        ...     print(session.run(td.image.decode_png(file, channels=4)))
        [[[  1   2   3 255]]]
    """
    return DECODE_PNG(contents, channels=channels, dtype=dtype, name=name)


@documented
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF file; a JPEG or PNG file is one frame.

    Returns:
        A uint8 Tensor [frames, rows, columns, 3]. As in TensorFlow, what a frame leaves out is what
        the frame before it shows, regardless of the file's disposal method.

    Example:
        >>> with td.Graph().as_default():
        ...     td.image.decode_gif(td.placeholder(td.string, [])).shape.as_list()
        [None, None, None, 3]
    """
    return DECODE_GIF(contents, name=name)


@documented
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The image in a BMP file of 8, 24 or 32 bits that is not packed.

    Returns:
        A uint8 Tensor [rows, columns, channels].

    Example:
        >>> with td.Graph().as_default():
        ...     td.image.decode_bmp(td.placeholder(td.string, [])).shape.as_list()
        [None, None, None]
    """
    return DECODE_BMP(contents, channels=channels, name=name)


@documented
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The image in a JPEG, PNG, GIF or BMP file, by what the file is.

    Args:
        dtype: uint8 or uint16; or floats, in which 1 is the brightest.
        expand_animations: whether a GIF file gives all its frames; else its first one, and the
            result has rank 3.

    Returns:
        A Tensor [rows, columns, channels] of `dtype`, or [frames, rows, columns, 3] of a GIF file.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     file = td.image.encode_png(td.constant([[[255, 0, 51]]], td.uint8))
        ...     print(session.run(td.image.decode_image(file, dtype=td.float32)))
        [[[1.  0.  0.2]]]
    """
    wanted = as_dtype(dtype)
    stored = wanted if wanted in (uint8, uint16, float32) else uint16
    with name_scope(name, "decode_image", [contents]):
        image = DECODE_IMAGE(
            contents, channels=channels or 0, dtype=stored, expand_animations=expand_animations
        )
        return image if stored == wanted else convert_image_dtype(image, wanted)
