"""TensorFlow's gradient ops of image resizing, for graphs that it differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.op_def import OpDef
from ...runtime.kernel_spec import fresh
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Traits
from ..common.allocation import check_size, new_zeros
from ..common.parallel_blocks import on_one_thread
from .resize_scales import between, modes_of, nearest
from .resizing import RESIZE_MODES

RESIZE_BILINEAR_GRAD = OpDef(
    "ResizeBilinearGrad",
    "grads: float32, original_image: T -> output: T",
    f"T: {{float32, bfloat16, half, float64}}, {RESIZE_MODES}",
    traits=Traits(splits="n*,n*->n*"),
)
RESIZE_NEAREST_NEIGHBOR_GRAD = OpDef(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32 -> output: T",
    f"T: {{uint8, int8, int32, half, float32, float64, bfloat16}}, {RESIZE_MODES}",
    traits=Traits(splits="n*,*->n*"),
)

_FEW_CHANNELS = 8  # one product of rows of all channels is the faster one


@RESIZE_BILINEAR_GRAD.shape
def resize_grad_shape(c: ShapeContext) -> TensorShape:
    """The shape of the image that was resized."""
    c.shape("grads", rank=4)
    return c.shape("original_image", rank=4)


@RESIZE_NEAREST_NEIGHBOR_GRAD.shape
def _resize_nearest_neighbor_grad_shape(c: ShapeContext) -> TensorShape:
    sizes: Any = c.shape("grads", rank=4).sizes
    length: Any = c.shape("size", rank=1).sizes
    c.same_size("the length of size and the number of spatial dimensions", length[0], 2)
    size = c.value("size")
    known: list[Any] = [None, None] if size is None else size.tolist()
    space = [None if isinstance(n, int) and n < 1 else n for n in known]
    return TensorShape.of((sizes[0], *space, sizes[3]))


def check_rank(name: str, images: Array) -> None:
    """Checks that an argument holds images.

    Raises:
        ValueError: it is not of rank 4.
    """
    if images.ndim != 4:
        raise ValueError(f"{name} must have rank 4, got shape {list(images.shape)}")


def _shares(size: int, wanted: int, modes: tuple[bool, bool]) -> Array:
    """Weight of each image pixel (rows) in each pixel of the result (columns)."""
    low, high, nearness = between(size, wanted, *modes)
    shares = np.zeros((size, wanted), np.float32)
    places = np.arange(wanted)
    np.add.at(shares, (low, places), 1 - nearness)
    np.add.at(shares, (high, places), nearness)
    return shares


def _added_up(gradient: Array, shape: tuple[int, ...], modes: tuple[bool, bool]) -> Array:
    """The gradient in float64, of products that TensorFlow rounds to float32."""
    result = new_zeros(shape, np.dtype(np.float64))
    top, bottom, low = between(shape[1], gradient.shape[1], *modes)
    left, right, near = between(shape[2], gradient.shape[2], *modes)
    for rows, by_row in ((top, 1 - low), (bottom, low)):
        for columns, by_column in ((left, 1 - near), (right, near)):
            parts = gradient * by_row[:, None, None] * by_column[:, None]
            places: Any = (slice(None), rows[:, None], columns[None, :])
            np.add.at(result, places, parts)
    return result


def _gathered(x: Array, places: Array, size: int) -> Array:
    """The sums of what lies along the second axis at the same of ascending `places`."""
    result = new_zeros((len(x), size, *x.shape[2:]), x.dtype)
    firsts = np.flatnonzero(np.append(True, places[1:] != places[:-1]))
    counts = np.diff(firsts, append=len(places))
    for i in range(int(counts.max())):
        longer = counts > i
        result[:, places[firsts[longer]]] += x[:, firsts[longer] + i]
    return result


@RESIZE_BILINEAR_GRAD.kernel
@on_one_thread()
def _resize_bilinear_grad_kernel(c: KernelContext) -> Kernel:
    modes = modes_of(c)
    dtype = c.output_dtype.numpy_dtype

    def resize_bilinear_grad(gradient: Array, image: Array) -> Array:
        check_rank("grads", gradient)
        check_rank("original_image", image)
        batch, rows, columns, channels = image.shape
        if (len(gradient), gradient.shape[3]) != (batch, channels):
            raise ValueError(
                f"grads must have {batch} images of {channels} channels, got shape "
                f"{list(gradient.shape)}"
            )
        if 0 in (*image.shape, *gradient.shape):
            return new_zeros(image.shape, dtype)
        if dtype.itemsize == 8:
            return _added_up(gradient, image.shape, modes)
        down = _shares(rows, gradient.shape[1], modes)
        across = _shares(columns, gradient.shape[2], modes)
        by_rows = down @ gradient.reshape(batch, gradient.shape[1], -1)
        if channels < _FEW_CHANNELS:
            columnwise = np.kron(across.T, np.eye(channels, dtype=np.float32))
            result = by_rows.reshape(batch * rows, -1) @ columnwise
        else:
            result = across @ by_rows.reshape(batch * rows, gradient.shape[2], channels)
        return np.asarray(result).reshape(image.shape).astype(dtype, copy=False)

    return fresh(resize_bilinear_grad)


@RESIZE_NEAREST_NEIGHBOR_GRAD.kernel
def _resize_nearest_neighbor_grad_kernel(c: KernelContext) -> Kernel:
    modes = modes_of(c)
    dtype = c.output_dtype.numpy_dtype
    inner = np.dtype(np.float32) if c.output_dtype.is_floating and dtype.itemsize == 2 else dtype

    def resize_nearest_neighbor_grad(gradient: Array, size: Array) -> Array:
        check_rank("grads", gradient)
        if size.shape != (2,):
            raise ValueError(f"size must have shape [2], got {list(size.shape)}")
        rows, columns = size.tolist()
        if min(rows, columns) < 1:
            raise ValueError(f"size must be at least 1, got {[rows, columns]}")
        batch, from_rows, from_columns, channels = gradient.shape
        check_size((batch, rows, columns, channels), dtype)
        if 0 in gradient.shape:
            return new_zeros((batch, rows, columns, channels), dtype)
        wide = gradient.astype(inner, copy=False)
        by_rows = _gathered(wide, nearest(rows, from_rows, *modes), rows)
        flat = by_rows.reshape(batch * rows, from_columns, channels)
        result = _gathered(flat, nearest(columns, from_columns, *modes), columns)
        return result.reshape(batch, rows, columns, channels).astype(dtype, copy=False)

    return fresh(resize_nearest_neighbor_grad)
