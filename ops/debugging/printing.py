"""What programs say while a graph runs: `td.print`; and the time."""

from __future__ import annotations

import sys
import time
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
from ...shape_inference.traits import STATEFUL
from ..strings.format import format as format_text
from .assertions import PRINT_V2

public = {"td": "print print_v2=print timestamp"}

TIMESTAMP = OpDef("Timestamp", "-> ts: float64", traits=STATEFUL)
_PLACEHOLDER = "\x00{}\x00"  # which no text of a program holds


@TIMESTAMP.shape
def _timestamp_shape(c: ShapeContext) -> TensorShape:
    return SCALAR


@TIMESTAMP.fresh_kernel
def _timestamp_kernel(c: KernelContext) -> Kernel:

    def timestamp() -> Array:
        return np.array(time.time())

    return timestamp


class _Placeholder:
    """What stands for a tensor in a structure that is written down."""

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
            # A variable, or whatever else is a tensor by its own account.
            if hasattr(value, "op") and hasattr(value, "dtype"):
                return _template(convert_to_tensor(value), tensors)
            return value


class _Text:
    """A text that is no string, so that it is shown without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def print(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints tensors, and whatever else it gets, when it runs.

    Args:
        inputs: tensors, SparseTensors, strings and other values, and lists, tuples and dicts of
            them.
        kwargs: `output_stream`: `sys.stderr`, the default, or `sys.stdout`; `summarize`: how many
            elements of each dimension are shown at either end, by default 3, and -1 for all;
            `sep`: what stands between the inputs, by default a space; `end`: what stands behind
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
    given: dict[str, Any] = {"output_stream": None, "summarize": 3, "sep": " ", "end": "\n"}
    given["name"] = None
    if unknown := kwargs.keys() - given:
        raise TypeError(f"td.print takes no {', '.join(sorted(unknown))}; it takes {[*given]}")
    given |= kwargs
    stream = given["output_stream"]
    if stream not in (None, sys.stderr, sys.stdout, "stderr", "stdout"):
        raise ValueError(f"output_stream must be sys.stderr or sys.stdout, got {stream!r}")
    out = "stdout" if stream in (sys.stdout, "stdout") else "stderr"
    with name_scope(given["name"], "print"):
        tensors: list[Any] = []
        shown = [_template(item, tensors) for item in inputs]
        text: Any = inputs[0] if len(inputs) == 1 else None
        if not (isinstance(text, Tensor) and text.dtype.name == "string" and text.shape.rank == 0):
            template = str(given["sep"]).join(map(str, shown))
            text = format_text(template, tensors, _PLACEHOLDER, given["summarize"])
        operation: Any = PRINT_V2(text, output_stream=out, end=given["end"])
        return operation


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
