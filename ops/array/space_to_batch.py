"""Blocks of space moved to the batch dimension, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import int32
from ...shape_inference.context import KernelContext, ShapeContext, is_symbolic
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.symbolic.symbolic import Dim, dim_symbol, divides_exactly, less
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import new_zeros
from ..common.call_forms import renamed
from ..math.arithmetic import negative
from ..math.division import floormod
from .block_layout import (
    batch_to_space_layout,
    batch_to_space_sizes,
    checked_block,
    space_to_batch_layout,
    space_to_batch_sizes,
)
from .constants import zeros_like
from .stack import stack

if TYPE_CHECKING:
    from .block_layout import Block, Margins, Quotient

public = {
    "td": "batch_to_space required_space_to_batch_paddings",
    "td, td.manip": "batch_to_space_nd space_to_batch_nd",
    "td, td.nn": "space_to_batch",
}

SPACE_TO_BATCH_ND = OpDef(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
    "T: type, Tblock_shape: {int32, int64} = int32, Tpaddings: {int32, int64} = int32",
    traits=Move(symbolic=False),
)
SPACE_TO_BATCH = OpDef(
    "SpaceToBatch",
    "input: T, paddings: Tpaddings -> output: T",
    "T: type, Tpaddings: {int32, int64} = int32, block_size: int32 >= 2",
    traits=Move(symbolic=False),
)
BATCH_TO_SPACE_ND = OpDef(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
    "T: type, Tblock_shape: {int32, int64} = int32, Tcrops: {int32, int64} = int32",
    traits=Move(symbolic=False),
)
BATCH_TO_SPACE = OpDef(
    "BatchToSpace",
    "input: T, crops: Tidx -> output: T",
    "T: type, block_size: int32 >= 2, Tidx: {int32, int64} = int32",
    traits=Move(symbolic=False),
)


@SPACE_TO_BATCH_ND.shape
def _space_to_batch_nd_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, space_to_batch_sizes, "paddings", _block_argument(c))


@SPACE_TO_BATCH.shape
def _space_to_batch_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, space_to_batch_sizes, "paddings", _square(c), rank=4)


@BATCH_TO_SPACE_ND.shape
def _batch_to_space_nd_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, batch_to_space_sizes, "crops", _block_argument(c))


@BATCH_TO_SPACE.shape
def _batch_to_space_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, batch_to_space_sizes, "crops", _square(c), rank=4)


def _block_argument(c: ShapeContext) -> tuple[int, Array | None]:
    """The length of `block_shape`, which must be known, and its elements, which need not."""
    (length,) = c.shape("block_shape", rank=1).sizes or (None,)
    if not isinstance(length, int):
        raise ValueError("block_shape must have a length that is known before the run")
    return length, c.value("block_shape")


def _square(c: ShapeContext | KernelContext) -> tuple[int, Array]:
    return 2, np.array([c.attr("block_size")] * 2)


def _inferred(
    c: ShapeContext,
    sizes_after: Callable[[Sequence[Dim], Block, Margins, Quotient], tuple[Dim, ...]],
    margins: str,
    blocks: tuple[int, Array | None],
    rank: int | None = None,
) -> TensorShape:
    count, block = blocks
    sizes = c.sizes("input", rank=rank, min_rank=count + 1)
    stated = c.shape(margins)
    if not stated.is_compatible_with([count, 2]):
        raise ValueError(f"{margins} must have shape [{count}, 2], got {stated}")
    checked = checked_block(margins, _open(block, 1, count), _open(c.value(margins), 0, count, 2))
    if sizes is None:
        return UNKNOWN_SHAPE
    divide = _perhaps_divided if block is None or is_symbolic(block) else c.divided
    return TensorShape.of(sizes_after(sizes, *checked, divide))


def _open(value: Array | None, lowest: int, *sizes: int) -> Array:
    """`value` with a symbol for each unknown element.

    As in TensorFlow, one below `lowest` is an error before the run only where all are known.
    """
    if value is not None and not is_symbolic(value):
        return value
    items = [lowest - 1] * math.prod(sizes) if value is None else value.ravel().tolist()
    opened = np.empty(len(items), object)
    opened[:] = [dim_symbol() if less(item, lowest) else item for item in items]
    return opened.reshape(sizes)


def _perhaps_divided(name: str, size: Dim, divisor: Dim) -> Dim:
    return dim_symbol() if divides_exactly(size, divisor) is False else size // divisor


@SPACE_TO_BATCH_ND.view_kernel
def _space_to_batch_nd_kernel(c: KernelContext) -> Kernel:
    return _kernel(c, _space_to_batch, "paddings", c.const("block_shape"))


@SPACE_TO_BATCH.view_kernel
def _space_to_batch_kernel(c: KernelContext) -> Kernel:
    return _legacy_kernel(c, _space_to_batch, "paddings")


@BATCH_TO_SPACE_ND.view_kernel
def _batch_to_space_nd_kernel(c: KernelContext) -> Kernel:
    return _kernel(c, _batch_to_space, "crops", c.const("block_shape"))


@BATCH_TO_SPACE.view_kernel
def _batch_to_space_kernel(c: KernelContext) -> Kernel:
    return _legacy_kernel(c, _batch_to_space, "crops")


def _kernel(
    c: KernelContext, move: Callable[[Array, Block, Margins], Array], name: str, block: Array | None
) -> Kernel:
    margins = c.const(name)
    if block is None or margins is None:

        def move_dynamic(x: Array, block: Array, margins: Array) -> Array:
            return move(x, *checked_block(name, block, margins))

        return move_dynamic
    fixed = checked_block(name, block, margins)

    def move_constant(x: Array, *_: Array) -> Array:
        return move(x, *fixed)

    return move_constant


def _legacy_kernel(
    c: KernelContext, move: Callable[[Array, Block, Margins], Array], name: str
) -> Kernel:
    _, block = _square(c)
    move_nd = _kernel(c, move, name, block)

    def move_images(x: Array, margins: Array) -> Array:
        if x.ndim != 4:
            raise ValueError(f"input must have rank 4, got shape {list(x.shape)}")
        return move_nd(x, block, margins)

    return move_images


def _space_to_batch(x: Array, block: Block, paddings: Margins) -> Array:
    padded, inner, split, order, sizes = space_to_batch_layout(x.shape, block, paddings)
    if padded != x.shape:
        whole = new_zeros(padded, x.dtype)
        whole[inner] = x
        x = whole
    return x.reshape(split).transpose(order).reshape(sizes)


def _batch_to_space(x: Array, block: Block, crops: Margins) -> Array:
    split, order, whole, inner = batch_to_space_layout(x.shape, block, crops)
    return x.reshape(split).transpose(order).reshape(whole)[inner]


def space_to_batch_nd(
    input: TensorLike, block_shape: Any, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Pads dimensions 1 to M with zeros, cuts them into blocks, and moves these to the batch.

    Row `k` of each block goes to part `k` of the batch: the batch becomes `prod(block_shape)`
    times as large, and each of the M dimensions smaller by its factor.

    Args:
        input: a tensor `[batch, space_1, ..., space_M, ...]` of any dtype.
        block_shape: the sizes of a block: int32 or int64 of shape [M], each at least 1. M may
            be 0; it must be known before the run.
        paddings: how many zeros to put before and after each dimension: int32 or int64 of shape
            [M, 2]. The padded sizes must be multiples of the block's.
        name: a name for the op.

    Returns:
        A Tensor `[batch * prod(block_shape), padded_1 / block_shape[0], ...]`.

    Raises:
        ValueError: the shapes do not fit, a number is too small, or a padded size is no multiple.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[1, 2, 3, 4, 5]])
        ...     print(session.run(td.space_to_batch_nd(x, [2], [[1, 0]])))
        [[0 2 4]
         [1 3 5]]
    """
    return SPACE_TO_BATCH_ND(input, block_shape, paddings, name=name)


@renamed(block_shape="block_size")
def space_to_batch(
    input: TensorLike, paddings: TensorLike, block_size: int, name: str | None = None
) -> Tensor:
    """`space_to_batch_nd` for images and square blocks.

    Args:
        input: a tensor `[batch, height, width, depth]` of any dtype.
        paddings: `[[top, bottom], [left, right]]`, int32 or int64.
        block_size: the sides of a block: at least 2.
        name: a name for the op.

    Returns:
        A Tensor `[batch * block_size**2, padded_height / block_size, padded_width / block_size,
        depth]`.

    Raises:
        ValueError: as `space_to_batch_nd`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[[[1], [2]], [[3], [4]]]])
        ...     print(session.run(td.space_to_batch(x, [[0, 0], [0, 0]], 2)).ravel())
        [1 2 3 4]
    """
    return SPACE_TO_BATCH(input, paddings, block_size=block_size, name=name)


def batch_to_space_nd(
    input: TensorLike, block_shape: Any, crops: Any, name: str | None = None
) -> Tensor:
    """Moves parts of the batch back into blocks of dimensions 1 to M, and crops these.

    The inverse of `space_to_batch_nd` with the same block and the crops for paddings.

    Args:
        input: a tensor `[batch, space_1, ..., space_M, ...]` of any dtype; the batch must be a
            multiple of `prod(block_shape)`.
        block_shape: the sizes of a block: int32 or int64 of shape [M], each at least 1. M may
            be 0; it must be known before the run.
        crops: how much to cut off the front and the end of each dimension afterwards: int32 or
            int64 of shape [M, 2], together at most what is there.
        name: a name for the op.

    Returns:
        A Tensor `[batch / prod(block_shape), space_1 * block_shape[0] - crops[0,0] - crops[0,1],
        ...]`.

    Raises:
        ValueError: the shapes do not fit, a number is too small, or the batch is no multiple.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[0, 2, 4], [1, 3, 5]])
        ...     print(session.run(td.batch_to_space_nd(x, [2], [[1, 0]])))
        [[1 2 3 4 5]]
    """
    return BATCH_TO_SPACE_ND(input, block_shape, crops, name=name)


@renamed(block_shape="block_size")
def batch_to_space(
    input: TensorLike, crops: Any, block_size: int, name: str | None = None
) -> Tensor:
    """`batch_to_space_nd` for images and square blocks.

    Args:
        input: a tensor `[batch, height, width, depth]` of any dtype; the batch must be a multiple
            of `block_size**2`.
        crops: `[[top, bottom], [left, right]]`, int32 or int64.
        block_size: the sides of a block: at least 2.
        name: a name for the op.

    Returns:
        A Tensor `[batch / block_size**2, height * block_size - top - bottom,
        width * block_size - left - right, depth]`.

    Raises:
        ValueError: as `batch_to_space_nd`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[[[1]]], [[[2]]], [[[3]]], [[[4]]]])
        ...     print(session.run(td.batch_to_space(x, [[0, 0], [0, 0]], 2))[0, :, :, 0])
        [[1 2]
         [3 4]]
    """
    return BATCH_TO_SPACE(input, crops, block_size=block_size, name=name)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings with which blocks divide a shape, and the crops that take them off again.

    Args:
        input_shape: the sizes: int32 of shape [N].
        block_shape: the sizes of a block: int32 of shape [N], each at least 1. N must be known.
        base_paddings: the least paddings: non-negative int32 of shape [N, 2]. By default none.
        name: a name for the ops.

    Returns:
        `(paddings, crops)`, int32 Tensors of shape [N, 2]. What the paddings have more than
        `base_paddings` is at the end of each dimension.

    Raises:
        ValueError: the shapes do not fit together, or N is not known before the run.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     paddings, crops = td.required_space_to_batch_paddings([3, 4], [2, 2])
        ...     print(session.run([paddings, crops]))
        [array([[0, 1],
               [0, 0]], dtype=int32), array([[0, 1],
               [0, 0]], dtype=int32)]
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        block = convert_to_tensor(block_shape, int32, "block_shape")
        if block.shape.rank != 1 or not block.shape.is_fully_defined():
            raise ValueError(
                f"block_shape must be a vector of known length, got a tensor of shape {block.shape}"
            )
        sizes = convert_to_tensor(input_shape, int32, "input_shape")
        if base_paddings is None:
            base_paddings = np.zeros((*block.shape.as_list(), 2), np.int32)
        base = convert_to_tensor(base_paddings, int32, "base_paddings")
        _check_shape("input_shape", sizes, block.shape)
        _check_shape("base_paddings", base, [*block.shape, 2])
        before, after = base[:, 0], base[:, 1]
        missing = floormod(negative(sizes + before + after), block)
        paddings = stack([before, after + missing], axis=1, name="paddings")
        crops = stack([zeros_like(missing), missing], axis=1, name="crops")
        return paddings, crops


def _check_shape(name: str, tensor: Tensor, shape: Any) -> None:
    if not tensor.shape.is_compatible_with(shape):
        raise ValueError(f"{name} must have shape {TensorShape(shape)}, got {tensor.shape}")
