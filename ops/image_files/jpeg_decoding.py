"""Decoding of JPEG files to tensors: `td.image` and `td.io`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..math.comparison import equal
from ..strings.substr import substr
from .decode_any_image import bytes_of, check_channels, decoded, documented, one_frame
from .file_signatures import kind_of
from .jpeg_reading import jpeg_shape, read_jpeg

public = {"td.image, td.io": "decode_and_crop_jpeg decode_jpeg extract_jpeg_shape is_jpeg"}

_OF_JPEG = (
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "
    "try_recover_truncated: bool = false, acceptable_fraction: float = 1.0, "
    "dct_method: string = ''"
)
DECODE_JPEG = OpDef("DecodeJpeg", "contents: string -> image: uint8", _OF_JPEG)
DECODE_AND_CROP_JPEG = OpDef(
    "DecodeAndCropJpeg", "contents: string, crop_window: int32 -> image: uint8", _OF_JPEG
)
EXTRACT_JPEG_SHAPE = OpDef(
    "ExtractJpegShape",
    "contents: string -> image_shape: output_type",
    "output_type: {int32, int64} = int32",
)


@DECODE_JPEG.shape
@DECODE_AND_CROP_JPEG.shape
def _decode_jpeg_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    channels = check_channels(c.attr("channels"), (0, 1, 3, 4))  # PNG files have 4, too
    if c.attr("ratio") not in (1, 2, 4, 8):
        raise ValueError(f"ratio must be 1, 2, 4 or 8, got {c.attr('ratio')}")
    size: list[Any] = [dim_symbol(), dim_symbol()]
    if c.node.definition is DECODE_AND_CROP_JPEG:
        (length,) = c.sizes("crop_window", rank=1) or ()
        c.same_size("the length of crop_window and the number of its bounds", length, 4)
        window = c.value("crop_window")
        if window is not None:
            size = [n if not isinstance(n, int) or n > 0 else None for n in window.tolist()[2:]]
    return TensorShape.of((*size, channels or dim_symbol()))


@EXTRACT_JPEG_SHAPE.shape
def _extract_jpeg_shape_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    return TensorShape([3])


@DECODE_JPEG.fresh_kernel
@DECODE_AND_CROP_JPEG.fresh_kernel
def _decode_jpeg_kernel(c: KernelContext) -> Kernel:
    channels, ratio, recovers = (
        c.attr(name) for name in ("channels", "ratio", "try_recover_truncated")
    )
    crops = c.node.definition is DECODE_AND_CROP_JPEG

    def decode(contents: Array, crop_window: Array | None = None) -> Array:
        data = bytes_of(contents)
        if kind_of(data) != "JPEG":
            if crops:
                raise ValueError(f"contents is a {kind_of(data)} image, and no JPEG image")
            return one_frame(decoded(data, channels))
        return read_jpeg(data, channels, ratio, recovers, crop_window)

    return decode


@EXTRACT_JPEG_SHAPE.fresh_kernel
def _extract_jpeg_shape_kernel(c: KernelContext) -> Kernel:
    dtype = c.output_dtype.numpy_dtype

    def extract(contents: Array) -> Array:
        return np.array(jpeg_shape(bytes_of(contents)), dtype)

    return extract


@documented
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The image in a JPEG file; a PNG file, or a GIF file of one frame, is taken as well.

    Returns:
        A Tensor [rows, columns, channels] of uint8. Its low bits depend on the library that reads
        the file: they are TensorFlow's for `dct_method="INTEGER_ACCURATE"`, and differ from its
        default by up to 3.

    Example:
        >>> with td.Graph().as_default():
        ...     file = td.placeholder(td.string, [])
        ...     td.image.decode_jpeg(file, channels=3).shape.as_list()
        [None, None, 3]
    """
    return DECODE_JPEG(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@documented
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """A part of the image in a JPEG file.

    Args:
        crop_window: int32 [4]: the first row and column of the part, its rows and its columns.

    Returns:
        A Tensor [rows, columns, channels] of uint8: that part of what `td.image.decode_jpeg` gives.

    Example:
        >>> with td.Graph().as_default():
        ...     file = td.placeholder(td.string, [])
        ...     td.image.decode_and_crop_jpeg(file, [0, 0, 20, 30], channels=3).shape.as_list()
        [20, 30, 3]
    """
    return DECODE_AND_CROP_JPEG(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@documented
def extract_jpeg_shape(
    contents: TensorLike, output_type: Any = "int32", name: str | None = None
) -> Tensor:
    """Rows, columns and channels of a JPEG file, read from only its header.

    Args:
        output_type: int32 or int64.

    Returns:
        A Tensor [3].

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     file = td.image.encode_jpeg(td.zeros([4, 7, 3], td.uint8))
        ...     print(session.run(td.image.extract_jpeg_shape(file)))
        [4 7 3]
    """
    return EXTRACT_JPEG_SHAPE(contents, output_type=output_type, name=name)


@documented
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether a file has a JPEG signature.

    Returns:
        A bool Tensor of rank 0.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.image.is_jpeg(td.constant(b"GIF89a"))))
        False
    """
    with name_scope(name, "is_jpeg", [contents]):
        return equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)
