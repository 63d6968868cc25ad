"""Which op an error is about: its name, its type, the line that made it, and its inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..runtime import errors
from ..shape_inference.inference import Inference
from .api.public_calls import WIRE_NAMES, public_call
from .graph_protocols import Op, Value

_MOST_INPUTS = 8


def add_context(error: Exception, op: Op, inference: Inference) -> Exception:
    """The error of building `op`, with the op and the inferred shapes of its inputs told."""
    inputs = [type_text(tensor.dtype.name, inference.shape(tensor).sizes) for tensor in op.inputs]
    kind, clause = _classified(error)
    message = _told(clause, op, inputs)
    if isinstance(error, TypeError):
        return TypeError(message)
    if kind is errors.InvalidArgumentError:
        return ValueError(message)
    return kind(None, op, message)


def run_error(error: BaseException, op: Op, arrays: Sequence[Any]) -> errors.OpError:
    """The error of running `op` on `arrays`, as one of `errors`, with the op told."""
    kind, clause = _classified(error)
    inputs = [
        type_text(tensor.dtype.name, getattr(array, "shape", ()))
        for tensor, array in zip(op.inputs, arrays, strict=False)
    ]
    return kind(None, op, _told(clause, op, inputs))


def _classified(error: BaseException) -> tuple[type[errors.OpError], str]:
    """The class of `errors` for what a shape function or a kernel raised, and what to say of it.

    An error that says which class it is keeps it. What NumPy or a kernel says of an input is an
    invalid argument; memory that cannot be had is a resource exhausted; the rest is internal.
    """
    message = str(error)
    if isinstance(error, errors.OpError):
        return type(error), message
    if isinstance(error, (ValueError, IndexError, TypeError, OverflowError)):
        return errors.InvalidArgumentError, message
    if isinstance(error, MemoryError):
        return errors.ResourceExhaustedError, message or "out of memory"
    return errors.InternalError, f"{type(error).__name__}: {message}"


def describe_op(op: Op) -> str:
    """`'name' (function), created at file:line`; the type of an op that no function has made."""
    site = op.site
    if site is None:
        return f"{op.name!r} ({op.type})"
    return f"{op.name!r} ({site.call or op.type}), created at {site}"


def _spelled(op: Op) -> Callable[[str], str]:
    """What puts the names of arguments as the user has written them, where a function was called.

    While an op is built, the call that builds it tells; later, what functions always call them.
    """
    if op.site is None or not op.site.call:
        return str
    stated = WIRE_NAMES | ({"begin": "index"} if op.site.call == "[]" else {})
    names: dict[str, str] = {}
    call = public_call()
    if call is not None:
        for wire, tensor in zip(input_names(op), op.inputs, strict=True):
            own = call.argument(tensor)
            if own is not None and own not in ("self", "other"):
                names[wire.partition("[")[0]] = own.partition("[")[0]
    # Some are words of the language, too.
    either = rf"(?:{'|'.join(stated)})(?=(?:\[\d+\])?(?: = |:))|(?:{'|'.join(names) or '(?!)'})"
    pattern = re.compile(rf"(?<!an )(?<![\w'])(?:{either})(?![\w'])")
    return lambda text: pattern.sub(lambda found: (stated | names)[found[0]], text)


def _told(clause: str, op: Op, inputs: Sequence[str]) -> str:
    spelled = _spelled(op)
    where, *rest = _context(op, inputs)
    return "\n".join([spelled(clause), where, *map(spelled, rest)])


def _context(op: Op, inputs: Sequence[str]) -> list[str]:
    lines = [f"  in {describe_op(op)}"]
    if inputs:
        names = input_names(op)
        shown = [
            f"{name}: {text}"
            for name, text in list(zip(names, inputs, strict=False))[:_MOST_INPUTS]
        ]
        more = ", …" if len(inputs) > _MOST_INPUTS else ""
        lines.append(f"  with {', '.join(shown)}{more}")
    return lines


def input_names(op: Op) -> list[str]:
    """What the inputs of `op` are called in its definition; those of a list with numbers."""
    names = [""] * len(op.inputs)
    for name, position in op.definition.input_positions(op.attrs).items():
        if isinstance(position, int):
            names[position] = name
        else:
            for i in position:
                names[i] = f"{name}[{i - position.start}]"
    return names


def type_text(dtype: str, shape: Sequence[Any] | None) -> str:
    """A tensor's type on few columns: `float32[batch,10]`, `float32[...]` for an unknown rank."""
    return f"{dtype}[{'...' if shape is None else ','.join(map(str, shape))}]"


def tensor_type(tensor: Value) -> str:
    """The static type of `tensor`: `float32[batch,10]`."""
    return type_text(tensor.dtype.name, tensor.shape.sizes)
