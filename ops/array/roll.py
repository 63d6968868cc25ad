"""Roll: the elements of a tensor moved along its axes, around the ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import normal_axes
from ...shape_inference.split_rules import all_but
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Move

public = {"td, td.manip": "roll"}

ROLL = OpDef(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis -> output: T",
    "T: type, Tshift: {int32, int64}, Taxis: {int32, int64}",
    traits=Move(),
)
ROLL.split(all_but("axis"))


@ROLL.shape
def _roll_shape(c: ShapeContext) -> TensorShape:
    c.merged("shift and axis", [c.shape(name, max_rank=1) for name in ("shift", "axis")])
    return c.shape("input", min_rank=1)


@ROLL.fresh_kernel
def _roll_kernel(c: KernelContext) -> Kernel:

    def roll(x: Array, shift: Array, axis: Array) -> Array:
        if not x.ndim:
            raise ValueError("input must have rank at least 1, got shape ()")
        for name, value in (("shift", shift), ("axis", axis)):
            if value.ndim > 1:
                raise ValueError(f"{name} must have rank at most 1, got shape {list(value.shape)}")
        if shift.shape != axis.shape:
            raise ValueError(
                "shift and axis must have equal shapes, got "
                f"{list(shift.shape)} and {list(axis.shape)}"
            )
        axes = normal_axes(axis.reshape(-1).tolist(), x.ndim)
        return np.roll(x, tuple(map(int, shift.reshape(-1))), tuple(axes))

    return roll


def roll(
    input: TensorLike,
    shift: Any = None,
    axis: Any = None,
    name: str | None = None,
) -> Tensor:
    """A tensor whose elements are moved along axes; those that leave at one end enter at the other.

    Args:
        input: a tensor of any dtype, of rank at least 1.
        shift: by how many places, an int32 or int64 scalar or vector; a negative number moves
            towards the front.
        axis: along which axes, in [-rank, rank), of the shape of `shift`. The shifts along an axis
            that is named several times are added.
        name: a name for the op.

    Returns:
        A Tensor of the shape and dtype of `input`. An axis out of range, or another number of axes
        than of shifts, is an InvalidArgumentError at the run.

    Raises:
        ValueError: `input` is a scalar, or `shift` or `axis` has a rank above 1.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.roll([1, 2, 3, 4, 5], 2, 0)))
        [4 5 1 2 3]
    """
    return ROLL(input, shift, axis, name=name)
