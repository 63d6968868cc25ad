"""One-hot tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...protos.constant_array import constant_array
from ...protos.dtypes import DType, as_dtype, float32
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.split_parts import WHOLE, NotSplittable, Partition, SplitContext, along
from ...shape_inference.symbolic.symbolic import less
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move
from ..common.allocation import new_array
from .gather import in_range

public = {"td": "one_hot"}

ONE_HOT = OpDef(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    "axis: int32 = -1, T: type, TI: {uint8, int8, int32, int64} = int64",
    traits=Move(),
)


@ONE_HOT.split
def _one_hot_split(c: SplitContext) -> Partition:
    axis = c.axis("indices")
    if axis is None:
        raise NotSplittable("only indices can be split")
    new = c.attr("axis") % len(c.known_sizes(c.node.outputs[0]))
    return Partition([along(axis), WHOLE, WHOLE, WHOLE], [along(axis + (new <= axis))])


@ONE_HOT.shape
def _one_hot_shape(c: ShapeContext) -> TensorShape:
    axis = c.attr("axis")
    if axis < -1:
        raise ValueError(f"axis = {axis} is not at least -1")
    if c.const("depth") is not None:  # TensorFlow looks at that of a fed depth at the run
        c.shape("depth", rank=0)
    depth = c.scalar("depth")
    if depth is not None and less(depth, 0):
        raise ValueError(f"depth = {depth} is negative")
    indices = c.shape("indices")
    if indices.sizes is None:
        return indices
    # An axis past the end is refused at the run only, as by TensorFlow.
    at = axis % (len(indices.sizes) + 1)
    return indices[:at] + TensorShape.of((depth,)) + indices[at:]


@ONE_HOT.fresh_kernel
def _one_hot_kernel(c: KernelContext) -> Kernel:
    axis = c.attr("axis")

    def one_hot(indices: Array, depth: Array, on: Array, off: Array) -> Array:
        for name, value in (("depth", depth), ("on_value", on), ("off_value", off)):
            if value.ndim:
                raise ValueError(f"{name} must be a scalar, got shape {list(value.shape)}")
        if axis > indices.ndim:
            raise ValueError(f"axis = {axis} is not in [-1, {indices.ndim}]")
        at = indices.ndim if axis == -1 else axis
        number = int(depth)
        sizes = (*indices.shape[:at], number, *indices.shape[at:])
        result = new_array(sizes, on.dtype)
        result[...] = off
        _switch_on(result.reshape(-1), indices, number, math.prod(indices.shape[at:]), on)
        return result

    return one_hot


def _switch_on(flat: Array, indices: Array, depth: int, step: int, on: Array) -> None:
    """Puts `on` at each index that is in range; `step` elements lie between two depths."""
    places = indices.reshape(-1)
    number = np.arange(len(places))
    if not in_range(places, depth):
        good = (places >= 0) & (places < depth)
        places, number = places[good], number[good]
    if step == 1:
        flat[number * depth + places] = on
        return
    before, after = np.divmod(number, step)
    flat[(before * depth + places) * step + after] = on


def one_hot(
    indices: TensorLike,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """For each index a vector that is `on_value` at this index and `off_value` elsewhere.

    An index that is not in `[0, depth)` gives `off_value` throughout.

    Args:
        indices: uint8, int8, int32 or int64 of any shape.
        depth: the length of the vectors: a non-negative int32 scalar.
        on_value: a scalar; 1 by default.
        off_value: a scalar of the same dtype; 0 by default.
        axis: where the dimension of size `depth` goes in the result: -1, the default, puts it last.
        dtype: the dtype of the result; by default that of `on_value` or `off_value`, or float32.
            For dtypes other than numbers, both values must be given.
        name: a name for the op.

    Returns:
        A Tensor of the shape of `indices` with `depth` inserted at `axis`.

    Raises:
        TypeError: the dtypes do not agree, or a value is missing for a dtype that has no numbers.
        ValueError: `depth` is negative or no scalar, or `axis` less than -1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.one_hot([0, 2, -1], 3, 5, 0)))
        [[5 0 0]
         [0 0 5]
         [0 0 0]]
    """
    wanted = None if dtype is None else as_dtype(dtype)
    for label, value in (("on_value", on_value), ("off_value", off_value)):
        if value is not None:
            found = _dtype_of(value)
            if wanted is not None and found is not wanted:
                raise TypeError(f"{label} must have dtype {wanted.name}, got {found.name}")
            wanted = found
    return ONE_HOT(
        indices,
        depth,
        1 if on_value is None else on_value,
        0 if off_value is None else off_value,
        axis=-1 if axis is None else axis,
        T=float32 if wanted is None else wanted,
        name=name or "one_hot",
    )


def _dtype_of(value: Any) -> DType:
    dtype = value.dtype if isinstance(value, Tensor) else constant_array(value)[1]
    return dtype.base_dtype
