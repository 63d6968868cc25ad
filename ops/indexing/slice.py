"""Slicing by begin and size: slice."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Sequence
from typing import Any

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.dtypes import DType
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import UNKNOWN_SHAPE, shape_from_value
from ...shape_inference.split_rules import following
from ...shape_inference.symbolic.symbolic import Dim, DimExpr, dim_symbol, less, less_equal
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move

public = {"td": "slice"}

SLICE = OpDef(
    "Slice",
    "input: T, begin: Index, size: Index -> output: T",
    "T: type, Index: {int32, int64}",
    traits=Move(views=True),
)
SLICE.split(following("input"))


@SLICE.shape
def _slice_shape(c: ShapeContext) -> TensorShape:
    spec = c.merged("begin and size", [c.shape("begin", rank=1), c.shape("size", rank=1)])
    length = (spec.sizes or (None,))[0]
    rank = length if isinstance(length, int) else None
    sizes: Any = c.shape("input", rank=rank).sizes
    if sizes is None:
        return UNKNOWN_SHAPE
    for name in ("begin", "size"):
        shape_from_value(
            c, name, minus_one_is_unknown=True
        )  # sizes that are too large are rejected in the run
    size = c.const("size")
    if size is not None and (size < -1).any():
        raise ValueError(f"size = {size.tolist()} must hold nothing below -1")
    begins, lengths = elements(c, ("begin", "size"), len(sizes))
    for i, (n, begin, number) in enumerate(zip(sizes, begins, lengths, strict=True)):
        if size is not None and number == -1 and less(n, begin):
            raise ValueError(f"begin[{i}] = {begin} is more than the size {n}")
    return TensorShape.of(tuple(map(_slice_size, sizes, begins, lengths)))


def elements(c: ShapeContext, names: Sequence[str], length: int) -> list[list[Dim]]:
    """The elements of index vectors, with a symbol for each that is not known."""
    values = [c.value(name) for name in names]
    return [
        [dim_symbol(lower=None) for _ in range(length)] if value is None else value.tolist()
        for value in values
    ]


def _slice_size(n: Dim, begin: Dim, size: Dim) -> Dim | None:
    if isinstance(size, DimExpr):
        return size if less_equal(0, size) else None  # it may be -1
    if size >= 0:
        return size
    fails = size < -1 or less(begin, 0) or less(n, begin)
    return None if fails else n - begin


@SLICE.view_kernel
def _slice_kernel(c: KernelContext) -> Kernel:
    begin, size = c.const("begin"), c.const("size")
    if begin is None or size is None:

        def slice_dynamic(x: Array, begin: Array, size: Array) -> Array:
            return x[_slice_index(x.shape, begin, size)]

        return slice_dynamic

    @functools.lru_cache(maxsize=8)
    def index_for(shape: tuple[int, ...]) -> tuple[Any, ...]:
        return _slice_index(shape, begin, size)

    def slice_constant(x: Array, *_: Array) -> Array:
        return x[index_for(x.shape)]

    return slice_constant


def _slice_index(shape: Sequence[int], begin: Array, size: Array) -> tuple[Any, ...]:
    if begin.shape != (len(shape),) or size.shape != begin.shape:
        raise ValueError(
            f"begin and size must have shape ({len(shape)},), the rank of the input, got "
            f"{begin.shape} and {size.shape}"
        )
    index: list[Any] = []
    for i, (n, b, s) in enumerate(zip(shape, begin.tolist(), size.tolist(), strict=True)):
        if not 0 <= b <= n:
            raise ValueError(f"begin[{i}] = {b} is not in [0, {n}]")
        if not -1 <= s <= n - b:
            raise ValueError(f"size[{i}] = {s} is not in [-1, {n - b}]")
        index.append(builtins.slice(b, n if s == -1 else b + s))
    return (*index, ...)


def slice(input_: Any, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The part of a tensor that starts at `begin` and is as large as `size`.

    Unlike a NumPy slice, one that reaches out of the tensor is an error.

    Args:
        input_: a tensor of any dtype and shape.
        begin: an int32 or int64 vector: where the part starts, for each dimension.
        size: a vector of the dtype of `begin`: how many elements to take, for each dimension; -1
            takes all that are left.
        name: a name for the op.

    Returns:
        A Tensor of the dtype of `input_`.

    Raises:
        ValueError: `begin` and `size` are known not to fit `input_`; what only the run shows is
            an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2])))
        [[2 3]
         [5 6]]
    """
    return SLICE(input_, begin, size, Index=index_dtype(begin, size), name=name)


def index_dtype(*vectors: Any) -> DType | None:
    """The dtype of the tensors among index vectors, which the numbers beside them take on."""
    for vector in vectors:
        items = vector if isinstance(vector, (list, tuple)) else (vector,)
        for item in items:
            if isinstance(item, Tensor):
                return item.dtype.base_dtype
    return None
