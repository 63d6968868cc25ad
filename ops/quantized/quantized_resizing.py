"""Resizing of quantized images in TensorFlow's integer arithmetic."""

from __future__ import annotations

import numpy as np

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ..image.resize_scales import between, modes_of
from ..image.resizing import RESIZE_MODES, bilinear_mean, resize_shape, resizing
from .quantized_arithmetic import check_scalars, ends

QUANTIZED_RESIZE_BILINEAR = OpDef(
    "QuantizedResizeBilinear",
    "images: T, size: int32, min: float32, max: float32 "
    "-> resized_images: T, out_min: float32, out_max: float32",
    f"T: {{quint8, qint32, float32}}, {RESIZE_MODES}",
)
_BITS = {"uint8": 7, "int32": 30}  # of the shares that pixels have


@QUANTIZED_RESIZE_BILINEAR.shape
def _quantized_resize_shape(c: ShapeContext) -> list[TensorShape]:
    check_scalars(c, "min", "max")
    return [resize_shape(c), SCALAR, SCALAR]


@QUANTIZED_RESIZE_BILINEAR.kernel
def _quantized_resize_kernel(c: KernelContext) -> Kernel:
    modes = modes_of(c)

    def resize(images: Array, rows: int, columns: int) -> Array:
        top, bottom, down = between(images.shape[1], rows, *modes)
        left, right, across = between(images.shape[2], columns, *modes)
        upper, lower = images[:, top], images[:, bottom]
        bits = _BITS.get(images.dtype.name)
        if bits is None:
            return bilinear_mean(upper, lower, left, right, across, down[:, None, None])
        one = 1 << bits
        x, y = ((share * np.float32(one)).astype(np.int64) for share in (across, down))
        # TensorFlow takes its integers by way of float32, which cuts those of 32 bits short.
        wide = [line.astype(np.float32).astype(np.int64) for line in (upper, lower)]
        upper, lower = (
            line[:, :, left] * one + (line[:, :, right] - line[:, :, left]) * x[:, None]
            for line in wide
        )
        mean = upper + _divided(lower - upper, one) * y[:, None, None]
        return _divided(mean + one // 2, one).astype(images.dtype)

    resized = resizing(c, resize)

    def quantized(images: Array, size: Array, low: Array, high: Array) -> tuple[Array, ...]:
        ends(("min", "max"), low, high)
        return resized(images, size), low.copy(), high.copy()

    return quantized


def _divided(x: Array, by: int) -> Array:
    """Integers divided as in C, towards 0."""
    return np.asarray(np.sign(x) * (np.abs(x) // by))
