"""Patches of images and volumes, one for each position of a sliding window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...runtime import errors
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.sliding_windows import Window
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size, new_zeros
from ..common.call_forms import older_form, renamed, string_at
from .window_views import seen_through, with_margins

public = {
    "td, td.image": "extract_image_patches",
    "td.image": "extract_patches",
    "td": "extract_volume_patches",
}

EXTRACT_IMAGE_PATCHES = OpDef(
    "ExtractImagePatches",
    "images: T -> patches: T",
    "ksizes: list(int32) >= 4, strides: list(int32) >= 4, rates: list(int32) >= 4, "
    "T: {bfloat16, half, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, "
    "uint64, complex64, complex128, bool}, padding: {'SAME', 'VALID'}",
    traits=Move(symbolic=False, splits="n*->n*"),
)


def _windows(c: OpContext) -> tuple[Window, Window]:
    """The window along rows and columns."""
    for name in ("ksizes", "strides", "rates"):
        if len(c.attr(name)) != 4:
            raise ValueError(f"{name} must have 4 elements, got {c.attr(name)}")
    same = c.attr("padding") == b"SAME"
    rows, columns = (
        Window(size, stride, rate, same, slack=2 * stride - 1)
        for size, stride, rate in zip(
            *(c.attr(name)[1:3] for name in ("ksizes", "strides", "rates")), strict=True
        )
    )
    return rows, columns


@EXTRACT_IMAGE_PATCHES.shape
def _extract_image_patches_shape(c: ShapeContext) -> TensorShape:
    rows, columns = _windows(c)
    sizes: Any = c.shape("images", rank=4).sizes
    batch, height, width, depth = sizes
    # TensorFlow looks at the attrs before the run only where it knows both sizes.
    static = isinstance(height, int) and isinstance(width, int)
    legal = min(c.attr("ksizes") + c.attr("strides") + c.attr("rates")) >= 1
    taken = [
        window.positions(size, "images") if static or (legal and window.fits(size)) else None
        for window, size in ((rows, height), (columns, width))
    ]
    seen = depth * (rows.size * columns.size)
    if isinstance(seen, int) and seen < 0:
        raise ValueError(f"ksizes must be at least 1, got {c.attr('ksizes')}")
    return TensorShape.of((batch, *taken, seen if rows.size * columns.size >= 0 else None))


@EXTRACT_IMAGE_PATCHES.view_kernel
def _extract_image_patches_kernel(c: KernelContext) -> Kernel:
    windows = _windows(c)
    attrs = {name: c.attr(name) for name in ("ksizes", "strides", "rates")}

    def extract(images: Array) -> Array:
        _check_attrs(attrs)
        return _patches(images, *windows)

    return extract


def _check_attrs(attrs: dict[str, list[int]]) -> None:
    for name, value in attrs.items():
        if value[0] != 1 or value[3] != 1:
            raise errors.UnimplementedError(
                None, None, f"{name} must be 1 for batch and depth, got {value}"
            )
        if min(value) < 1:
            raise errors.OutOfRangeError(None, None, f"{name} must be at least 1, got {value}")


def _patches(images: Array, rows: Window, columns: Window) -> Array:
    if images.ndim != 4:
        raise ValueError(f"images must have rank 4, got shape {list(images.shape)}")
    batch, height, width, depth = images.shape
    down, across = (int(w.positions(n, "images")) for w, n in ((rows, height), (columns, width)))
    sizes = check_size((batch, down, across, rows.size * columns.size * depth), images.dtype)
    if 0 in sizes:
        return new_zeros(sizes, images.dtype)
    windows, positions = (rows, columns), (down, across)
    view = seen_through(with_margins(images, windows, positions), windows, positions)
    return view.reshape(sizes)


@renamed(sizes="ksizes")
@older_form("images, padding, ksizes, strides, rates, name", is_older=string_at(1))
def extract_image_patches(
    images: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extracts the patch at each position of a sliding window into the depth dimension.

    An older order of the arguments, with `padding` second, is understood too.

    Args:
        images: a tensor `[batch, rows, columns, depth]` of numbers or bools.
        ksizes: `[1, rows, columns, 1]`: how many elements the window has.
        strides: `[1, rows, columns, 1]`: how far it moves from one position to the next.
        rates: `[1, rows, columns, 1]`: how far apart its elements are in the image.
        padding: "VALID" for the positions inside the image, "SAME" for one position per stride,
            where the image is continued with zeros.
        name: a name for the op.

    Returns:
        A Tensor `[batch, out_rows, out_columns, ksizes[1] * ksizes[2] * depth]` of the dtype of
        `images`. It is empty where a "VALID" window is larger than the image by less than its
        stride.

    Raises:
        ValueError: the images are not of rank 4, a list has not 4 elements, a stride is less than
            1, or the window is too large for the image.

    Example:
        >>> image = np.arange(1, 10).reshape(1, 3, 3, 1)
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     patches = td.extract_image_patches(
        ...         image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
        ...     )
        ...     print(session.run(patches)[0, 0])
        [[1 2 4 5]
         [2 3 5 6]]
    """
    return EXTRACT_IMAGE_PATCHES(
        images, ksizes=ksizes, strides=strides, rates=rates, padding=padding, name=name
    )


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """As `td.extract_image_patches`, under the name that TensorFlow gave it later.

    Args:
        images: a tensor `[batch, rows, columns, depth]` of numbers or bools.
        sizes: `[1, rows, columns, 1]`: how many elements the window has.
        strides: `[1, rows, columns, 1]`: how far it moves from one position to the next.
        rates: `[1, rows, columns, 1]`: how far apart its elements are in the image.
        padding: "VALID" or "SAME".
        name: a name for the op.

    Returns:
        A Tensor `[batch, out_rows, out_columns, sizes[1] * sizes[2] * depth]`.

    Raises:
        ValueError: the images are not of rank 4, or the window is none.

    Example:
        >>> with td.Graph().as_default():
        ...     image, ones = td.zeros([1, 6, 6, 3]), [1, 1, 1, 1]
        ...     td.image.extract_patches(image, [1, 2, 2, 1], ones, ones, "VALID").shape.as_list()
        [1, 5, 5, 12]
    """
    return extract_image_patches(images, sizes, strides, rates, padding, name)


EXTRACT_VOLUME_PATCHES = OpDef(
    "ExtractVolumePatches",
    "input: T -> patches: T",
    "ksizes: list(int32) >= 5, strides: list(int32) >= 5, T: {float32, float64, int32, uint8, "
    "int16, int8, int64, bfloat16, uint16, half, uint32, uint64}, padding: {'SAME', 'VALID'}",
    traits=Move(symbolic=False, misstated=(0,)),
)


def _volume_windows(c: OpContext) -> list[Window]:
    """The window along planes, rows and columns."""
    for name in ("ksizes", "strides"):
        value = c.attr(name)
        if len(value) != 5 or value[0] != 1 or value[4] != 1 or min(value) < 1:
            raise ValueError(f"{name} must be [1, planes, rows, columns, 1], got {value}")
    same = c.attr("padding") == b"SAME"
    pairs = zip(c.attr("ksizes")[1:4], c.attr("strides")[1:4], strict=True)
    return [Window(size, stride, 1, same) for size, stride in pairs]


def _seen(windows: Sequence[Window]) -> int:
    """Number of elements in a window."""
    return math.prod(int(window.size) for window in windows)


@EXTRACT_VOLUME_PATCHES.shape
def _extract_volume_patches_shape(c: ShapeContext) -> TensorShape:
    windows = _volume_windows(c)
    batch, *space, channels = c.sizes("input", rank=5) or ()
    taken = [window.positions(size) for window, size in zip(windows, space, strict=True)]
    return TensorShape.of((batch, *taken, channels * _seen(windows)))


@EXTRACT_VOLUME_PATCHES.view_kernel
def _extract_volume_patches_kernel(c: KernelContext) -> Kernel:
    windows = _volume_windows(c)

    def extract(volumes: Array) -> Array:
        if volumes.ndim != 5:
            raise ValueError(f"input must have rank 5, got shape {list(volumes.shape)}")
        batch, *space, channels = volumes.shape
        taken = [int(w.positions(size)) for w, size in zip(windows, space, strict=True)]
        sizes = check_size((batch, *taken, _seen(windows) * channels), volumes.dtype)
        if 0 in sizes:
            return new_zeros(sizes, volumes.dtype)
        return seen_through(with_margins(volumes, windows, taken), windows, taken).reshape(sizes)

    return extract


def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extracts the patch at each position of a window over volumes into the channels.

    Args:
        input: [batch, planes, rows, columns, channels] of numbers.
        ksizes: `[1, planes, rows, columns, 1]`: how many elements the window has.
        strides: `[1, planes, rows, columns, 1]`: how far it moves from one position to the next.
        padding: "VALID" for the positions inside the volume, "SAME" for one position per stride,
            where the volume is continued with zeros.
        name: a name for the op.

    Returns:
        A Tensor `[batch, out_planes, out_rows, out_columns, elements * channels]` of the dtype of
        `input`.

    Raises:
        ValueError: the volumes are not of rank 5, or the window is none, or too large for them.

    Example:
        >>> with td.Graph().as_default():
        ...     volume, ones = td.zeros([1, 4, 4, 4, 2]), [1, 1, 1, 1, 1]
        ...     patches = td.extract_volume_patches(volume, [1, 2, 2, 2, 1], ones, "VALID")
        ...     patches.shape.as_list()
        [1, 3, 3, 3, 16]
    """
    return EXTRACT_VOLUME_PATCHES(input, ksizes=ksizes, strides=strides, padding=padding, name=name)
