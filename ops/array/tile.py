"""Repetition along axes: tile, and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, shape_from_value
from ...shape_inference.split_parts import Partition, SplitContext
from ...shape_inference.split_rules import following, made_of_sizes
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import check_size, new_array

public = {"td, td.manip": "tile"}

# Rows of fewer elements are copied one by one more slowly than they are repeated.
_LONG_ROW = 64
_MOST_TILED_AT_ONCE = 32  # dimensions; NumPy has at most twice as many

TILE = OpDef(
    "Tile",
    "input: T, multiples: Tmultiples -> output: T",
    "T: type, Tmultiples: {int32, int64} = int32",
    traits=Move(),
)


@TILE.split
def _tile_split(c: SplitContext) -> Partition:
    split = c.axis("input") is not None
    return following("input")(c) if split else made_of_sizes(c)


@TILE.shape
def _tile_shape(c: ShapeContext) -> TensorShape:
    rank = c.shape("input").rank
    stated = c.shape("multiples", rank=1)
    if rank is not None and not stated.is_compatible_with([rank]):
        raise ValueError(f"multiples must have {rank} elements, got shape {stated}")
    counts: Any = shape_from_value(c, "multiples", minus_one_is_unknown=True).sizes
    if counts is None:
        if rank is None:
            return UNKNOWN_SHAPE
        counts = (None,) * rank
    sizes: Any = c.shape("input", rank=len(counts)).sizes
    return TensorShape.of(
        tuple(
            [
                n * (dim_symbol() if count is None else count)
                for n, count in zip(sizes, counts, strict=True)
            ]
        )
    )


@TILE.view_kernel
def _tile_kernel(c: KernelContext) -> Kernel:
    def tile(x: Array, multiples: Array) -> Array:
        if multiples.shape != (x.ndim,):
            raise ValueError(
                f"multiples must have shape ({x.ndim},), the rank of the input, got "
                f"{multiples.shape}"
            )
        counts = multiples.tolist()
        for i, count in enumerate(counts):
            if count < 0:
                raise ValueError(f"multiples[{i}] = {count} is negative")
        shape = check_size([n * count for n, count in zip(x.shape, counts, strict=True)], x.dtype)
        if 0 in shape:
            return new_array(shape, x.dtype)
        if x.ndim and x.shape[-1] >= _LONG_ROW and x.ndim <= _MOST_TILED_AT_ONCE:
            return _tiled_at_once(x, counts).reshape(shape)
        # From the last dimension on, so that the small blocks are copied while they are few.
        result, block = x, 1
        for n, count in zip(reversed(x.shape), reversed(counts), strict=True):
            block *= n
            if count != 1:
                result = result.reshape(-1, block).repeat(count, axis=0)
                block *= count
        return result.reshape(shape)

    return tile


def _tiled_at_once(x: Array, counts: Sequence[int]) -> Array:
    """The tiles, with a dimension for each count before that which it repeats."""
    sizes = [size for pair in zip(counts, x.shape, strict=True) for size in pair]
    result = new_array(sizes, x.dtype)
    result[...] = x.reshape([size for n in x.shape for size in (1, n)])
    return result


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """The tensor repeated along each of its dimensions, as `np.tile`.

    Unlike NumPy's, `multiples` must be as long as the tensor has dimensions.

    Args:
        input: a tensor of any dtype and shape.
        multiples: an int32 or int64 vector: how often to repeat, for each dimension.
        name: a name for the op.

    Returns:
        A Tensor, whose dimension i has size `input.shape[i] * multiples[i]`.

    Raises:
        ValueError: `multiples` is known not to fit; what is known only in the run is an
            InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.tile([[1, 2], [3, 4]], [1, 2])))
        [[1 2 1 2]
         [3 4 3 4]]
    """
    return TILE(input, multiples, name=name)


TILE_GRAD = OpDef("TileGrad", "input: T, multiples: int32 -> output: T", "T: type")
TILE_GRAD.split(following("input"))


@TILE_GRAD.shape
def _tile_grad_shape(c: ShapeContext) -> TensorShape:
    rank = c.shape("input").rank
    stated = c.shape("multiples", rank=1)
    if rank is not None and not stated.is_compatible_with([rank]):
        raise ValueError(f"multiples must have {rank} elements, got shape {stated}")
    counts = c.const("multiples")
    if counts is None:
        return UNKNOWN_SHAPE if rank is None else TensorShape([None] * rank)
    sizes: Any = c.shape("input", rank=len(counts)).sizes
    pairs = enumerate(zip(sizes, counts.tolist(), strict=True))
    return TensorShape.of(tuple(_share(i, size, count) for i, (size, count) in pairs))


def _share(axis: int, size: Any, count: int) -> Any:
    """Number of elements in each of `count` tiles.

    Raises:
        ValueError: the tiles do not share out `size`.
    """
    if count < 1:
        raise ValueError(f"multiples[{axis}] = {count} is not at least 1")
    if not isinstance(size, int):
        return size if count == 1 else size // count
    if size % count:
        raise ValueError(f"multiples[{axis}] = {count} does not divide {size}, a size of the input")
    return size // count


@TILE_GRAD.kernel
def _tile_grad_kernel(c: KernelContext) -> Kernel:

    def tile_grad(x: Array, multiples: Array) -> Array:
        if multiples.shape != (x.ndim,):
            raise ValueError(f"multiples must have {x.ndim} elements, got {multiples.tolist()}")
        result = x
        for axis, count in enumerate(multiples.tolist()):
            size = _share(axis, x.shape[axis], count)
            if count > 1:
                shape = (*result.shape[:axis], count, size, *result.shape[axis + 1 :])
                result = result.reshape(shape).sum(axis, dtype=x.dtype)
        return result

    return tile_grad
