"""Attrs of nodes to and from their wire form.

The kinds of attrs, as op definitions name them, and their Python values:

    string  bytes          shape   whatever the caller makes of the dimensions
    int     int            tensor  `TensorValue`
    float   float          func    `NameAttrList`
    bool    bool           type    `DType`

and `list(kind)` for a list of any of these.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .dtypes import DType, as_dtype
from .messages import AttrValue, NameAttrList, TensorProto
from .shape_codec import decode_shape, encode_shape
from .tensor_codec import TensorValue

AsShape: TypeAlias = Callable[[tuple[int | str | None, ...] | None], Any]

_FLOAT32_MAX = float(np.finfo(np.float32).max)
_KIND_OF_FIELD = {
    "s": "string",
    "i": "int",
    "f": "float",
    "b": "bool",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def as_float32(number: float) -> float:
    """`number` as a float attr holds it on the wire; infinite if it is too large for that."""
    return array("f", [number])[0]


def kind_of(attr: AttrValue) -> str:
    """The kind of an attr: `"int"`, `"list(shape)"`, or just `"list"` for an empty list.

    Raises:
        ValueError: the attr has no value.

    Example:
        >>> from tensordraft.protos.attr_codec import kind_of
        >>> from tensordraft.protos.messages import AttrValue
        >>> kind_of(AttrValue(list={"f": [0.5]}))
        'list(float)'
    """
    field = _field_of(attr)
    if field != "list":
        return _KIND_OF_FIELD[field]
    item_field, _ = _items_of(attr)
    return f"list({_KIND_OF_FIELD[item_field]})" if item_field else "list"


def decode_attr(attr: AttrValue, as_shape: AsShape) -> Any:
    """The value of an attr.

    Args:
        attr: the attr.
        as_shape: makes a shape of its dimensions, given as by `decode_shape`.

    Returns:
        The value, or a list of values. Floats are float32 on the wire, so 0.1 comes back as
        0.10000000149011612.

    Raises:
        ValueError: the attr has no value, or one that is malformed.

    Example:
        >>> from tensordraft.protos.attr_codec import decode_attr
        >>> from tensordraft.protos.messages import AttrValue
        >>> decode_attr(AttrValue(list={"shape": [{"dim": [{"size": 2}]}]}), as_shape=list)
        [[2]]
    """
    field = _field_of(attr)
    if field == "list":
        field, items = _items_of(attr)
        decode = _DECODERS.get(field)
        return list(items) if decode is None else [decode(item, as_shape) for item in items]
    value = getattr(attr, field)
    decode = _DECODERS.get(field)
    return value if decode is None else decode(value, as_shape)


def encode_attr(value: Any, kind: str) -> AttrValue:
    """The wire form of an attr.

    Args:
        value: the value. Beside what `decode_attr` returns, a string may be a str, a type anything
            that `as_dtype` takes, a tensor a TensorProto, and a shape anything with `as_proto()` or
            what `encode_shape` takes.
        kind: the kind, such as `"int"` or `"list(shape)"`.

    Raises:
        TypeError: the value is not of that kind.
        ValueError: there is no such kind, or the value does not fit the wire.

    Example:
        >>> from tensordraft.protos.attr_codec import encode_attr
        >>> encode_attr([1, 2], "list(int)").list.i
        [1, 2]
    """
    if kind in _ENCODERS:
        field, encode = _ENCODERS[kind]
        return AttrValue(**{field: encode(value)})
    item_kind = kind.removeprefix("list(").removesuffix(")")
    if item_kind not in _ENCODERS or kind != f"list({item_kind})":
        raise ValueError(f"{kind!r} is not a kind of attr")
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"expected a list, got {value!r}")
    field, encode = _ENCODERS[item_kind]
    attr = AttrValue()
    attr.list.SetInParent()
    getattr(attr.list, field).extend([encode(item) for item in value])
    return attr


def _field_of(attr: AttrValue) -> str:
    field = attr.WhichOneof("value")
    if field is None:
        raise ValueError("the attr has no value")
    if field == "placeholder":
        raise ValueError(f"the attr is a placeholder for {attr.placeholder!r} of a function call")
    return field


def _items_of(attr: AttrValue) -> tuple[str, Any]:
    """The field of a list that is in use, and its items; an empty name if none is."""
    fields = attr.list.ListFields()
    if not fields:
        return "", ()
    if len(fields) > 1:
        names = ", ".join(_KIND_OF_FIELD[descriptor.name] for descriptor, _ in fields)
        raise ValueError(f"the list has items of several kinds: {names}")
    ((descriptor, items),) = fields
    return descriptor.name, items


def _decode_type(number: int, as_shape: AsShape) -> DType:
    try:
        return as_dtype(number)
    except TypeError:
        raise ValueError(f"type = {number} is not a known data type") from None


def _decode_shape(proto: Any, as_shape: AsShape) -> Any:
    return as_shape(decode_shape(proto))


def _decode_tensor(proto: TensorProto, as_shape: AsShape) -> TensorValue:
    return TensorValue.from_proto(proto)


def _decode_func(proto: NameAttrList, as_shape: AsShape) -> NameAttrList:
    func = NameAttrList()
    func.CopyFrom(proto)
    return func


_DECODERS: dict[str, Callable[[Any, AsShape], Any]] = {
    "type": _decode_type,
    "shape": _decode_shape,
    "tensor": _decode_tensor,
    "func": _decode_func,
}


def _encode_string(value: Any) -> bytes:
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{value!r} is not valid text") from None
    if not isinstance(value, bytes):
        raise TypeError(f"expected a string, got {value!r}")
    return value


def _encode_int(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"expected an int, got {value!r}") from None
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{number} is not in [-2**63, 2**63)")
    return number


def _encode_float(value: Any) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"expected a float, got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"expected a float, got {value!r}") from None
    except OverflowError:
        raise ValueError(f"{value} does not fit in a float32") from None
    if abs(number) > _FLOAT32_MAX and math.isfinite(number):
        raise ValueError(f"{number} does not fit in a float32")
    return number


def _encode_bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"expected a bool, got {value!r}")
    return bool(value)


def _encode_type(value: Any) -> int:
    return as_dtype(value).as_datatype_enum


def _encode_shape(value: Any) -> Any:
    return value.as_proto() if hasattr(value, "as_proto") else encode_shape(value)


def _encode_tensor(value: Any) -> TensorProto:
    if isinstance(value, TensorValue):
        return value.to_proto()
    if not isinstance(value, TensorProto):
        raise TypeError(f"expected a tensor value, got {value!r}")
    return value


def _encode_func(value: Any) -> NameAttrList:
    if not isinstance(value, NameAttrList):
        raise TypeError(f"expected a NameAttrList, got {value!r}")
    return value


_ENCODERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "string": ("s", _encode_string),
    "int": ("i", _encode_int),
    "float": ("f", _encode_float),
    "bool": ("b", _encode_bool),
    "type": ("type", _encode_type),
    "shape": ("shape", _encode_shape),
    "tensor": ("tensor", _encode_tensor),
    "func": ("func", _encode_func),
}
