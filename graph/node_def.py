"""Between operations and NodeDefs: how an op is written, and how its attrs are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..protos.attr_codec import decode_attr, encode_attr
from ..protos.messages import AttrValue, NodeDef
from ..shape_inference.tensor_shape import TensorShape
from .attrs import coerce_attr
from .signature import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .node import Operation, Tensor
    from .op_def import OpDef


_NUMBERED = re.compile(r"[^:]+:[0-9]{1,9}")


def node_def(op: Operation) -> NodeDef:
    """`op` as a NodeDef message: attrs by name, control inputs last."""
    message = NodeDef()
    if op.definition.template is not None:
        message.CopyFrom(op.definition.template)
        del message.input[:]
    message.name, message.op, message.device = op.name, op.type, op.device
    message.input.extend([input_name(tensor) for tensor in op.inputs])
    message.input.extend([f"^{control.name}" for control in op.control_inputs])
    specs = op.definition.signature.attrs
    for name in sorted(op.attrs):
        value = op.attrs[name]
        message.attr[name].CopyFrom(
            value if isinstance(value, AttrValue) else encode_attr(value, specs[name].kind)
        )
    return message


def full_input(text: str) -> str:
    """The full form of a NodeDef's input: `"x"` is `"x:0"`; a control input is what it is."""
    return text if text.startswith("^") or _NUMBERED.fullmatch(text) else f"{text}:0"


def input_name(tensor: Tensor) -> str:
    """How a NodeDef refers to `tensor`: the number of a first output is left out."""
    return tensor.op.name if tensor.value_index == 0 else tensor.name


def read_attrs(definition: OpDef, given: Mapping[str, Any]) -> dict[str, Any]:
    """The attrs of an op in the form that operations keep, from a NodeDef's or a caller's.

    Defaults stand in for what is missing. Attrs whose name begins with "_" are not part of any
    definition and are kept as they are.

    Raises:
        ValueError: an attr is missing, unknown or not legal.
    """
    specs = definition.signature.attrs
    attrs: dict[str, Any] = {}
    for name, value in given.items():
        spec = specs.get(name)
        if spec is None:
            if not name.startswith("_"):
                known = ", ".join(specs) or "none"
                raise ValueError(f"{definition.name} has no attr {name!r}; it has {known}")
            attrs[name] = value
            continue
        if isinstance(value, AttrValue):
            try:
                value = decode_attr(value, TensorShape)
            except (TypeError, ValueError) as error:
                raise ValueError(f"attr {name!r} of {definition.name}: {error}") from error
        try:
            attrs[name] = coerce_attr(spec, value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"attr of {definition.name}: {error}") from error
    for name, spec in specs.items():
        if name not in attrs:
            if spec.default is REQUIRED:
                raise ValueError(f"{definition.name} needs the attr {name!r}")
            attrs[name] = spec.default
    return attrs


def check_inputs(definition: OpDef, inputs: list[Tensor], attrs: Mapping[str, Any]) -> None:
    """Checks that the number and dtypes of `inputs` are those of the definition.

    Raises:
        ValueError: they are not.
    """
    dtypes = definition.input_dtypes(attrs)
    if len(inputs) != len(dtypes):
        raise ValueError(f"{definition.name} takes {len(dtypes)} inputs, got {len(inputs)}")
    for i, (tensor, dtype) in enumerate(zip(inputs, dtypes, strict=True)):
        if not tensor.dtype.is_compatible_with(dtype):
            raise ValueError(
                f"input {i} of {definition.name} must be {dtype.name}, got {tensor.dtype.name} "
                f"from {tensor.name!r}"
            )
