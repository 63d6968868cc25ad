"""Assertions and messages: what a graph says about itself while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, Traits
from ..common.array_text import summary

public = {"td, td.debugging": "Assert check_numerics"}

ASSERT: OpDef[Operation] = OpDef(
    "Assert",
    "condition: bool, data: T ->",
    "T: list(type) >= 1, summarize: int32 = 3",
    traits=STATEFUL,
)
_CHECKED = "T: {bfloat16, half, float32, float64}, message: string"
CHECK_NUMERICS = OpDef(
    "CheckNumerics",
    "tensor: T -> output: T",
    _CHECKED,
    traits=Traits(stateful=True, splits="...->..."),
)
CHECK_NUMERICS_V2 = OpDef(
    "CheckNumericsV2",
    "tensor: T -> output: T",
    _CHECKED,
    traits=Traits(stateful=True, splits="...->..."),
)


@ASSERT.kernel
def _assert_kernel(c: KernelContext) -> Kernel:
    most = c.attr("summarize")

    def check(condition: Array, *data: Array) -> None:
        if condition.ndim:
            raise ValueError(f"condition must have rank 0, got shape {list(condition.shape)}")
        if not condition:
            shown = " ".join(summary(array, most) for array in data)
            raise ValueError(f"assertion failed: {shown}")

    return check


@CHECK_NUMERICS.shape
@CHECK_NUMERICS_V2.shape
def _check_numerics_shape(c: ShapeContext) -> TensorShape:
    return c.shape("tensor")


@CHECK_NUMERICS.view_kernel
@CHECK_NUMERICS_V2.view_kernel
def _check_numerics_kernel(c: KernelContext) -> Kernel:
    message = c.attr("message").decode(errors="backslashreplace")
    signed = c.node.definition.name.endswith("V2")

    def check(x: Array) -> Array:
        if np.isfinite(x).all():
            return x
        kinds = {
            "-Inf" if signed else "Inf": (x == -np.inf).any(),
            "+Inf" if signed else " Inf": (x == np.inf).any(),
            "NaN": np.isnan(x).any(),
        }
        found = list(dict.fromkeys(kind.strip() for kind, seen in kinds.items() if seen))
        *more, last = found
        listed = f"{', '.join(more)}{',' * (len(more) > 1)} and {last}" if more else last
        raise ValueError(f"{message} : Tensor had {listed} values")

    return check


def Assert(  # noqa: N802 - TensorFlow's name
    condition: TensorLike,
    data: Sequence[Any],
    summarize: int | None = None,
    name: str | None = None,
) -> Operation:
    """An op that fails the run where a condition does not hold.

    Args:
        condition: a bool scalar.
        data: a list of tensors, whose elements the error shows.
        summarize: how many elements of each it shows: 3 by default; all of them, if negative.
        name: a name for the op.

    Returns:
        The Operation: something has to depend on it, or run it.

    Raises:
        TypeError: `condition` is not a bool.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.placeholder(td.float32, [])
        ...     with td.control_dependencies([td.Assert(x > 0, ["x is", x])]):
        ...         root = td.sqrt(x)
        ...     try:
        ...         session.run(root, {x: -2.0})
        ...     except td.errors.InvalidArgumentError as error:
        ...         print(str(error).splitlines()[0])
        assertion failed: [x is] [-2]
    """
    with get_default_graph().name_scope(name or "Assert"):
        for item in data:  # TensorFlow makes constants of them twice
            convert_to_tensor(item)
        most = 3 if summarize is None else summarize
        return ASSERT(condition, data, summarize=most, name="Assert")


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """A tensor that must not hold infinity or NaN.

    Args:
        tensor: a tensor of half, bfloat16, float32 or float64.
        message: how the error begins.
        name: a name for the op.

    Returns:
        A Tensor with the value of `tensor`. Where this is not finite everywhere, it is an
        InvalidArgumentError at the run.

    Raises:
        TypeError: `tensor` is of another dtype.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     print(session.run(td.check_numerics([1.0, 2.0], "the weights")))
        [1. 2.]
    """
    return CHECK_NUMERICS(tensor, message=message, name=name)
