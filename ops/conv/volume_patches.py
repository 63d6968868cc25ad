"""Patches of volumes: what every position of a window in three dimensions sees."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.sliding_windows import Window
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size, new_zeros
from .window_views import seen_through, with_margins

public = {"td": "extract_volume_patches"}

EXTRACT_VOLUME_PATCHES = OpDef(
    "ExtractVolumePatches",
    "input: T -> patches: T",
    "ksizes: list(int32) >= 5, strides: list(int32) >= 5, T: {float32, float64, int32, uint8, "
    "int16, int8, int64, bfloat16, uint16, half, uint32, uint64}, padding: {'SAME', 'VALID'}",
    traits=Move(symbolic=False, misstated=(0,)),
)


def _windows(c: OpContext) -> list[Window]:
    """The window along planes, rows and columns."""
    for name in ("ksizes", "strides"):
        value = c.attr(name)
        if len(value) != 5 or value[0] != 1 or value[4] != 1 or min(value) < 1:
            raise ValueError(f"{name} must be [1, planes, rows, columns, 1], got {value}")
    same = c.attr("padding") == b"SAME"
    pairs = zip(c.attr("ksizes")[1:4], c.attr("strides")[1:4], strict=True)
    return [Window(size, stride, 1, same) for size, stride in pairs]


def _seen(windows: Sequence[Window]) -> int:
    """How many elements a window has."""
    return math.prod(int(window.size) for window in windows)


@EXTRACT_VOLUME_PATCHES.shape
def _extract_volume_patches_shape(c: ShapeContext) -> TensorShape:
    windows = _windows(c)
    batch, *space, channels = c.sizes("input", rank=5) or ()
    taken = [window.positions(size) for window, size in zip(windows, space, strict=True)]
    return TensorShape.of((batch, *taken, channels * _seen(windows)))


@EXTRACT_VOLUME_PATCHES.view_kernel
def _extract_volume_patches_kernel(c: KernelContext) -> Kernel:
    windows = _windows(c)

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
    """What a window sees at each of its positions in volumes, laid out in the channels.

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
