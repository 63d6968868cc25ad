"""Assertions and messages: what a graph says about itself while it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
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

public = {"td": "Print", "td, td.debugging": "Assert check_numerics"}

ASSERT: OpDef[Operation] = OpDef(
    "Assert",
    "condition: bool, data: T ->",
    "T: list(type) >= 1, summarize: int32 = 3",
    traits=STATEFUL,
)
PRINT = OpDef(
    "Print",
    "input: T, data: U -> output: T",
    "T: type, U: list(type) >= 0, message: string = '', first_n: int = -1, summarize: int32 = 3",
    traits=STATEFUL,
)
PRINT_V2 = OpDef(
    "PrintV2",
    "input: string ->",
    "output_stream: string = 'stderr', end: string = '\n'",
    traits=Traits(stateful=True, writes_at="output_stream=file://"),
)
_STREAMS = "stderr", "stdout", "log(info)", "log(warning)", "log(error)"
_FILE = "file://"  # before the path of one that lines are added to
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


@PRINT.shape
def _print_shape(c: ShapeContext) -> TensorShape:
    return c.shape("input")


@PRINT.kernel
def _print_kernel(c: KernelContext) -> Kernel:
    message, most = c.attr("message").decode(errors="backslashreplace"), c.attr("summarize")
    counter: list[int] = c.state.setdefault(c.node, [c.attr("first_n")])

    def show(x: Array, *data: Array) -> Array:
        if counter[0]:  # a negative number is never counted down to 0
            counter[0] -= 1
            sys.stderr.write(message + "".join(summary(array, most) for array in data) + "\n")
        return x

    return show


@PRINT_V2.shape
def _print_v2_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("input", rank=0)
    return []


@PRINT_V2.kernel
def _print_v2_kernel(c: KernelContext) -> Kernel:
    name, end = c.attr("output_stream").decode(errors="backslashreplace"), c.attr("end")
    path = name.removeprefix(_FILE) if name.startswith(_FILE) else ""
    if not path and name not in _STREAMS:
        raise ValueError(
            f"output_stream must be one of {', '.join(_STREAMS)} or {_FILE}PATH, got {name!r}"
        )

    def show(text: Array) -> None:
        if text.ndim:
            raise ValueError(f"input must have rank 0, got shape {list(text.shape)}")
        line = (text.item() + end).decode(errors="backslashreplace")
        if path:
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(line)
        else:
            stream = sys.stdout if name == "stdout" else sys.stderr
            stream.write(line)

    return show


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


def Print(  # noqa: N802 - TensorFlow's name
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """A tensor that tells about others, on the standard error stream, whenever it is computed.

    Args:
        input_: the tensor.
        data: a list of tensors to print.
        message: what to print before them.
        first_n: how many times to print at all in a session; by default always.
        summarize: how many elements of each to print: 3 by default; all of them, if negative.
        name: a name for the op.

    Returns:
        A Tensor with the value of `input_`.

    Example:
        >>> import contextlib, sys
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.Print(td.constant([1, 2]), [[0.5, 2.0]], "seen: ")
        ...     with contextlib.redirect_stderr(sys.stdout):
        ...         print(session.run(x + 1))
        seen: [0.5 2]
        [2 3]
    """
    return PRINT(
        input_,
        data,
        message=message or "",
        first_n=-1 if first_n is None else first_n,
        summarize=3 if summarize is None else summarize,
        name=name,
    )


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
