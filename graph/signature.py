"""The argument grammar of op definitions: `"x: T, ys: N * T -> z: T"`, `"T: {int32, float32}"`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..protos.attr_codec import as_float32
from ..protos.dtypes import DType, as_dtype
from ..protos.tensor_codec import TensorValue
from ..shape_inference.tensor_shape import TensorShape

_TYPE_GROUPS = {
    "numbertype": (
        "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 "
        "uint16 complex128 half uint32 uint64"
    ),
    "realnumbertype": (
        "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64"
    ),
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16",
}
_KINDS = ("type", "int", "float", "bool", "string", "shape", "tensor", "func")
_NARROW = {"int32": "int", "list(int32)": "list(int)"}
_ATTR = re.compile(
    r"(?P<type>list\((?:\{[^}]*\}|\w+)\)|\{[^}]*\}|\w+)"
    r"(?:\s*>=\s*(?P<minimum>-?\d+))?(?:\s*=\s*(?P<default>.+))?",
    re.DOTALL,
)

REQUIRED = object()
"""The default of an attr that has none."""


class ArgSpec(NamedTuple):
    """One argument or result: its name, and the attrs that determine its dtype and number."""

    name: str
    dtype: DType | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False

    @property
    def is_list(self) -> bool:
        """True if the argument is a list of tensors."""
        return self.number_attr is not None or self.type_list_attr is not None


class AttrSpec(NamedTuple):
    """One attr: its kind, the values allowed, the least value or length, the default.

    `bits` is what an int, or each of a list of them, must fit in.
    """

    name: str
    kind: str
    allowed: tuple[Any, ...] | None = None
    minimum: int | None = None
    default: Any = REQUIRED
    bits: int = 64

    @property
    def item_kind(self) -> str:
        """The kind of the elements of a list attr, or the kind itself."""
        return self.kind[5:-1] if self.kind.startswith("list(") else self.kind


class Signature(NamedTuple):
    """The inputs, outputs and attrs of an op type."""

    inputs: tuple[ArgSpec, ...]
    outputs: tuple[ArgSpec, ...]
    attrs: dict[str, AttrSpec]


def parse_signature(arguments: str, attrs: str) -> Signature:
    """Reads a signature written in TensorFlow's argument grammar.

    Args:
        arguments: `"name: type, … -> name: type, …"`, where a type is a dtype, a type attr,
            `N * type`, an attr of kind `list(type)`, or `Ref(type)`.
        attrs: `"name: kind, …"`, where a kind is one of `type int float bool string shape tensor
            func`, `{a, b}` for a choice, `list(kind)`, with `>= minimum` and `= default`. An
            `int32` is an int of which TensorFlow's kernels read 32 bits, and refuse any other.

    Raises:
        ValueError: the text is not in the grammar.
    """
    specs = {}
    for name, text in _pairs(attrs):
        if name in specs:
            raise ValueError(f"two attrs are named {name!r}")
        specs[name] = _parse_attr(name, text)
    inputs, arrow, outputs = arguments.partition("->")
    if not arrow:
        raise ValueError(f"no '->' in the arguments {arguments!r}")
    return Signature(
        tuple(_parse_arg(name, text, specs) for name, text in _pairs(inputs)),
        tuple(_parse_arg(name, text, specs) for name, text in _pairs(outputs)),
        specs,
    )


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The `name: rest` items of a comma-separated list, with brackets and quotes respected."""
    for item in re.findall(r"(?:[^,{(\[']|\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|'[^']*')+", text):
        if item.strip():
            name, colon, rest = item.partition(":")
            if not colon:
                raise ValueError(f"no ':' in {item.strip()!r}")
            yield name.strip(), rest.strip()


def _parse_arg(name: str, text: str, attrs: dict[str, AttrSpec]) -> ArgSpec:
    is_ref = text.startswith("Ref(")
    if is_ref:
        text = text[4:-1]
    number, star, text_type = text.rpartition("*")
    number_attr = number.strip() if star else None
    type_name = text_type.strip()
    spec = attrs.get(type_name)
    if spec is None:
        return ArgSpec(name, as_dtype(type_name), number_attr=number_attr, is_ref=is_ref)
    if spec.kind == "list(type)":
        return ArgSpec(name, type_list_attr=type_name, is_ref=is_ref)
    return ArgSpec(name, type_attr=type_name, number_attr=number_attr, is_ref=is_ref)


def _parse_attr(name: str, text: str) -> AttrSpec:
    match = _ATTR.fullmatch(text)
    if match is None:
        raise ValueError(f"cannot read the attr {name!r}: {text!r}")
    bits = 32 if match["type"] in _NARROW else 64
    kind, allowed = _parse_kind(_NARROW.get(match["type"], match["type"]))
    minimum = None if match["minimum"] is None else int(match["minimum"])
    default = REQUIRED
    if match["default"] is not None:
        default = _parse_default(kind, match["default"].strip())
    return AttrSpec(name, kind, allowed, minimum, default, bits)


def _parse_kind(text: str) -> tuple[str, tuple[Any, ...] | None]:
    if text.startswith("list("):
        kind, allowed = _parse_kind(text[5:-1])
        return f"list({kind})", allowed
    if text in _TYPE_GROUPS:
        return "type", tuple(as_dtype(item) for item in _TYPE_GROUPS[text].split())
    if text.startswith("{"):
        items = [item.strip() for item in text[1:-1].split(",")]
        if items[0].startswith("'"):
            return "string", tuple(item[1:-1].encode() for item in items)
        return "type", tuple(as_dtype(item) for item in items)
    if text not in _KINDS:
        raise ValueError(f"an attr is of one of the kinds {', '.join(_KINDS)}, got {text!r}")
    return text, None


def _parse_default(kind: str, text: str) -> Any:
    if kind.startswith("list("):
        items = text.strip("[]").split(",")
        return [_parse_default(kind[5:-1], item.strip()) for item in items if item.strip()]
    if kind == "type":
        return as_dtype(text)
    if kind == "string":
        return text[1:-1].encode()
    if kind == "bool":
        return {"true": True, "false": False}[text]
    if kind == "tensor":  # written as the dtype and its elements: uint8[255, 0]
        dtype = as_dtype(text.partition("[")[0])
        numbers = [float(item) for item in text.partition("[")[2].strip("]").split(",")]
        return TensorValue(np.array(numbers, dtype.numpy_dtype), dtype)
    if kind == "shape":
        return TensorShape([] if text == "[]" else None)  # definitions default to these two
    return int(text) if kind == "int" else as_float32(float(text))
