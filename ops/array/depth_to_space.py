"""Blocks of space moved to the depth dimension, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, OpContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.symbolic.symbolic import Dim
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move

if TYPE_CHECKING:
    Sizes = tuple[Dim, ...]
    Resize = Callable[[OpContext, Sequence[Dim], int, "Layout"], tuple[Sizes, Sizes]]

public = {"td, td.nn": "depth_to_space space_to_depth"}

_ATTRS = "T: type, block_size: int32 >= 2, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"

SPACE_TO_DEPTH = OpDef(
    "SpaceToDepth", "input: T -> output: T", _ATTRS, traits=Move(symbolic=False, splits="n*->n*")
)
DEPTH_TO_SPACE = OpDef(
    "DepthToSpace", "input: T -> output: T", _ATTRS, traits=Move(symbolic=False, splits="n*->n*")
)


class Layout(NamedTuple):
    """Positions of the image dimensions, and the order of their blocks.

    `to_depth` orders (batch, depth, grid and block of the height, grid and block of the width) as
    they are split, `to_space` (batch, blocks and depth, height, width).
    """

    rank: int
    depth: int
    height: int
    to_depth: tuple[int, ...]
    to_space: tuple[int, ...]


_LAYOUTS = {
    b"NHWC": Layout(4, 3, 1, (0, 1, 3, 2, 4, 5), (0, 1, 3, 2, 4, 5)),
    b"NCHW": Layout(4, 1, 2, (0, 3, 5, 1, 2, 4), (0, 3, 4, 1, 5, 2)),
    # The depth in vectors of four, which stay together: one more dimension at the end.
    b"NCHW_VECT_C": Layout(5, 1, 2, (0, 3, 5, 1, 2, 4, 6), (0, 3, 4, 1, 5, 2, 6)),
}


def _space_to_depth(
    c: OpContext, sizes: Sequence[Dim], block: int, layout: Layout
) -> tuple[Sizes, Sizes]:
    """The sizes of the input split into blocks, and those of the output."""
    _, depth, height, *_ = layout
    rows, columns = (
        c.divided(f"dimension {axis} of input", sizes[axis], block) for axis in (height, height + 1)
    )
    split = list(sizes)
    split[height : height + 2] = [rows, block, columns, block]
    result = list(sizes)
    result[height : height + 2] = [rows, columns]
    result[depth] = sizes[depth] * (block * block)
    return tuple(split), tuple(result)


def _depth_to_space(
    c: OpContext, sizes: Sequence[Dim], block: int, layout: Layout
) -> tuple[Sizes, Sizes]:
    """The sizes of the input split into blocks, and those of the output."""
    _, depth, height, *_ = layout
    channels = c.divided(f"dimension {depth} of input", sizes[depth], block * block)
    split = list(sizes)
    split[depth : depth + 1] = [block, block, channels]
    result = list(sizes)
    result[depth] = channels
    result[height : height + 2] = [sizes[height] * block, sizes[height + 1] * block]
    return tuple(split), tuple(result)


@SPACE_TO_DEPTH.shape
def _space_to_depth_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, _space_to_depth)


@DEPTH_TO_SPACE.shape
def _depth_to_space_shape(c: ShapeContext) -> TensorShape:
    return _inferred(c, _depth_to_space)


def _inferred(c: ShapeContext, move: Resize) -> TensorShape:
    layout = _LAYOUTS[c.attr("data_format")]
    sizes: Any = c.shape("input", rank=layout.rank).sizes
    _, result = move(c, sizes, c.attr("block_size"), layout)
    return TensorShape.of(result)


@SPACE_TO_DEPTH.view_kernel
def _space_to_depth_kernel(c: KernelContext) -> Kernel:
    return _kernel(c, _space_to_depth, _LAYOUTS[c.attr("data_format")].to_depth)


@DEPTH_TO_SPACE.view_kernel
def _depth_to_space_kernel(c: KernelContext) -> Kernel:
    return _kernel(c, _depth_to_space, _LAYOUTS[c.attr("data_format")].to_space)


def _kernel(c: KernelContext, move: Resize, order: tuple[int, ...]) -> Kernel:
    layout = _LAYOUTS[c.attr("data_format")]
    block = c.attr("block_size")

    def rearrange(x: Array) -> Array:
        if x.ndim != layout.rank:
            raise ValueError(f"input must have rank {layout.rank}, got shape {list(x.shape)}")
        split, sizes = move(c, x.shape, block, layout)
        return x.reshape(split).transpose(order).reshape(sizes)

    return rearrange


def space_to_depth(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Cuts images into square blocks and lays the pixels of a block one after another in depth.

    Args:
        input: a tensor `[batch, height, width, depth]` of any dtype.
        block_size: the sides of a block: at least 2, dividing height and width.
        name: a name for the op.
        data_format: "NHWC", or "NCHW" where the depth is the second dimension.

    Returns:
        A Tensor `[batch, height / block_size, width / block_size, depth * block_size**2]`.

    Raises:
        ValueError: the input is not of rank 4, or a size is no multiple of `block_size`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[[[1], [2]], [[3], [4]]]])
        ...     print(session.run(td.space_to_depth(x, 2)))
        [[[[1 2 3 4]]]]
    """
    return SPACE_TO_DEPTH(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Lays the depth of each pixel out as a square block of pixels: undoes `space_to_depth`.

    Args:
        input: a tensor `[batch, height, width, depth]` of any dtype.
        block_size: the sides of a block: at least 2, with a square that divides the depth.
        name: a name for the op.
        data_format: "NHWC", or "NCHW" where the depth is the second dimension.

    Returns:
        A Tensor `[batch, height * block_size, width * block_size, depth / block_size**2]`.

    Raises:
        ValueError: the input is not of rank 4, or the depth is no multiple of `block_size**2`.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.constant([[[[1, 2, 3, 4]]]])
        ...     print(session.run(td.depth_to_space(x, 2))[0, :, :, 0])
        [[1 2]
         [3 4]]
    """
    return DEPTH_TO_SPACE(input, block_size=block_size, data_format=data_format, name=name)
