"""Printing tensors while a graph runs, and the time."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...graph.sparse_tensor import SparseTensor
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import STATEFUL, Traits
from ..common.array_text import summary
from ..strings.format import format as format_text

public = {"td": "Print print print_v2=print timestamp"}

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
TIMESTAMP = OpDef("Timestamp", "-> ts: float64", traits=STATEFUL)
_PLACEHOLDER = "\x00{}\x00"  # which no text of a program holds


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


@TIMESTAMP.shape
def _timestamp_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


@TIMESTAMP.fresh_kernel
def _timestamp_kernel(c: KernelContext) -> Kernel:

    def timestamp() -> Array:
        return np.array(time.time())

    return timestamp


class _Placeholder:
    """Placeholder for a tensor in a formatted structure."""

    def __repr__(self) -> str:
        return _PLACEHOLDER


def _template(value: Any, tensors: list[Any]) -> Any:
    """`value` with placeholders for the tensors inside, which are added to `tensors`."""
    match value:
        case Tensor():
            tensors.append(value)
            return _Placeholder()
        case SparseTensor():
            parts = (value.indices, value.values, value.dense_shape)
            shown = [repr(_template(part, tensors)) for part in parts]
            return _Text("SparseTensor(indices={}, values={}, shape={})".format(*shown))
        case dict():
            return {key: _template(item, tensors) for key, item in value.items()}
        case list():
            return [_template(item, tensors) for item in value]
        case tuple() if not hasattr(value, "_fields"):
            return tuple(_template(item, tensors) for item in value)
        case tuple():
            return type(value)(*(_template(item, tensors) for item in value))
        case _:
            # A variable, or another tensor-like object.
            if hasattr(value, "op") and hasattr(value, "dtype"):
                return _template(convert_to_tensor(value), tensors)
            return value


class _Text:
    """A text whose repr has no quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """Operation that prints tensors and other values when it runs.

    Args:
        inputs: tensors, SparseTensors, strings and other values, and lists, tuples and dicts of
            them.
        kwargs: `output_stream`: `sys.stderr`, the default, or `sys.stdout`; `summarize`: how many
            elements of each dimension are shown at either end, by default 3, and -1 for all;
            `sep`: separator of the inputs, by default a space; `end`: text after
            them, by default a new line; `name`: a name for the ops.

    Returns:
        The Operation, which is to be fetched or depended on.

    Raises:
        TypeError: a keyword is another.
        ValueError: `output_stream` is another.

    Example:
        >>> import sys
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     session.run(td.print("x is", td.range(9), output_stream=sys.stdout))
        x is [0 1 2 ... 6 7 8]
    """
    options: dict[str, Any] = {"output_stream": None, "summarize": 3, "sep": " ", "end": "\n"}
    options["name"] = None
    if unknown := kwargs.keys() - options:
        raise TypeError(f"td.print takes no {', '.join(sorted(unknown))}; it takes {[*options]}")
    options |= kwargs
    stream = options["output_stream"]
    if stream not in (None, sys.stderr, sys.stdout, "stderr", "stdout"):
        raise ValueError(f"output_stream must be sys.stderr or sys.stdout, got {stream!r}")
    out = "stdout" if stream in (sys.stdout, "stdout") else "stderr"
    with name_scope(options["name"], "print"):
        tensors: list[Any] = []
        shown = [_template(item, tensors) for item in inputs]
        text: Any = inputs[0] if len(inputs) == 1 else None
        if not (isinstance(text, Tensor) and text.dtype.name == "string" and text.shape.rank == 0):
            template = str(options["sep"]).join(map(str, shown))
            text = format_text(template, tensors, _PLACEHOLDER, options["summarize"])
        operation: Any = PRINT_V2(text, output_stream=out, end=options["end"])
        return operation


def Print(  # noqa: N802 - TensorFlow's name
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Identity that prints a list of tensors to standard error whenever it is computed.

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


def timestamp(name: str | None = None) -> Tensor:
    """The time when the op runs, in seconds since 1970.

    Args:
        name: a name for the op.

    Returns:
        A float64 Tensor of a scalar.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     float(session.run(td.timestamp())) > 1.7e9
        True
    """
    return TIMESTAMP(name=name)
