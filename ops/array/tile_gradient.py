"""The gradient of tiles, as TensorFlow wrote it before 0.12.

There is no public function; graphs that TensorFlow differentiated hold this op.
"""

from __future__ import annotations

from typing import Any

from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE
from ...shape_inference.split_rules import following
from ...shape_inference.tensor_shape import TensorShape

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
    """How many elements each of `count` tiles has.

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
