"""Images in JPEG files, read by Pillow; users find these in `td.image`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..kit.allocation import check_size

if TYPE_CHECKING:
    from ...graph.node import Tensor
    from ...shape_inference.context import KernelContext, ShapeContext
    from ...shape_inference.protocols import Array, Kernel

public = {"td.image, td.io": "decode_jpeg"}

DECODE_JPEG = OpDef(
    "DecodeJpeg",
    "contents: string -> image: uint8",
    "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "
    "try_recover_truncated: bool = false, acceptable_fraction: float = 1.0, "
    "dct_method: string = ''",
)

_MODES = {1: "L", 3: "RGB"}
_END = b"\xff\xd9"  # after which there are no pixels


@DECODE_JPEG.shape
def _decode_jpeg_shape(c: ShapeContext) -> TensorShape:
    c.shape("contents", rank=0)
    channels, ratio = c.attr("channels"), c.attr("ratio")
    if channels not in (0, 1, 3):
        raise ValueError(f"channels must be 0, 1, or 3 of a JPEG file, got {channels}")
    if ratio not in (1, 2, 4, 8):
        raise ValueError(f"ratio must be 1, 2, 4 or 8, got {ratio}")
    return TensorShape.of((dim_symbol(), dim_symbol(), channels or dim_symbol()))


@DECODE_JPEG.fresh_kernel
def _decode_jpeg_kernel(c: KernelContext) -> Kernel:
    channels, ratio = c.attr("channels"), c.attr("ratio")
    recovers = c.attr("try_recover_truncated")

    def decode_jpeg(contents: Array) -> Array:
        if contents.ndim:
            raise ValueError(f"contents must be a scalar, got shape {list(contents.shape)}")
        data = contents.item()
        return _jpeg(data + _END if recovers else data, channels, ratio)

    return decode_jpeg


def _jpeg(data: bytes, channels: int, ratio: int) -> Array:
    module = _pillow()
    if not data.startswith(b"\xff\xd8\xff"):
        raise ValueError(f"contents is not a JPEG file: it begins with {data[:8]!r}")
    try:
        image = module.open(io.BytesIO(data), formats=["JPEG"])
        wanted = channels or (1 if image.mode == "L" else 3)
        width, height = (-(-size // ratio) for size in image.size)
        check_size((height, width, wanted), np.dtype(np.uint8))
        scaled = tuple(max(size // ratio, 1) for size in image.size)
        image.draft(_MODES[wanted] if image.mode != "CMYK" else "CMYK", scaled)
        if image.mode == "CMYK":
            ink = 255 - np.asarray(image).astype(np.int32)
            image = module.fromarray((ink[..., :3] * ink[..., 3:] // 255).astype(np.uint8))
        pixels = np.array(image.convert(_MODES[wanted]), np.uint8)
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError) as error:
        raise ValueError(f"the JPEG file is damaged: {error}") from error
    except (module.DecompressionBombError, module.DecompressionBombWarning) as error:
        raise ValueError(f"the JPEG file has too many pixels: {error}") from error
    return pixels.reshape(*pixels.shape[:2], wanted)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ValueError(
            "image files need Pillow, which `pip install tensordraft[image]` brings"
        ) from error
    return Image


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The image in a JPEG file.

    Args:
        contents: a scalar string: the file.
        channels: 1 for grey, 3 for colours, 0 for what the file has.
        ratio: 2, 4 or 8 to read an image so many times smaller, faster.
        fancy_upscaling: kept in the graph; Pillow always smooths the colours.
        try_recover_truncated: whether to take what there is of a file that ends too early.
        acceptable_fraction: kept in the graph; any part is taken.
        dct_method: kept in the graph; Pillow always takes the exact one.
        name: a name for the op.

    Returns:
        A Tensor [rows, columns, channels] of uint8. Its low bits depend on the library that reads
        the file: they are TensorFlow's for `dct_method="INTEGER_ACCURATE"`, and differ from its
        default by up to 3.

    Raises:
        ValueError: there are no such channels, or no such ratio; what only the run can tell, such
            as a damaged file, is an InvalidArgumentError.

    Example:
        >>> import tensordraft as td
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
