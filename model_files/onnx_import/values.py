"""Values of ONNX graphs: tensors, sequences of tensors, and optional values."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...graph.node import Tensor
from ...protos import dtypes
from ...protos.dtypes import DType
from .nodes import apply
from .tensors import MalformedError, UnsupportedError, dtype_of


class Type(NamedTuple):
    """Type of a value.

    Attributes:
        kind: "tensor", "sequence" or "optional".
        dtype: the dtype of a tensor, or of the tensors of a sequence.
        inner: the type of an optional value.
        shape: the shape of a tensor, whose sizes may be named or None; None for an unknown rank.
    """

    kind: str
    dtype: DType
    inner: Type | None = None
    shape: tuple[Any, ...] | None = None


class SequenceValue(NamedTuple):
    """A sequence: a TensorList, and the dtype of its tensors."""

    handle: Tensor
    dtype: DType


class OptionalValue(NamedTuple):
    """An optional value, and the type of what it may hold."""

    handle: Tensor
    inner: Type


Value = Any  # a Tensor, SequenceValue or OptionalValue; None where an input is left out


def type_of(value: Value) -> Type:
    """The type of a value."""
    if isinstance(value, SequenceValue):
        return Type("sequence", value.dtype)
    if isinstance(value, OptionalValue):
        return Type("optional", dtypes.variant, value.inner)
    return Type("tensor", value.dtype)


def handle_of(value: Value) -> Tensor:
    """The tensor that a value is in the graph."""
    handle: Tensor = value if isinstance(value, Tensor) else value.handle
    return handle


def value_of(handle: Tensor, kind: Type) -> Value:
    """The value that a tensor of the graph is."""
    if kind.kind == "sequence":
        return SequenceValue(handle, kind.dtype)
    if kind.kind == "optional":
        if kind.inner is None:
            raise MalformedError("an optional value does not state its type")
        return OptionalValue(handle, kind.inner)
    return handle


def stored_dtype(kind: Type) -> DType:
    """The dtype of the tensor that a value is in the graph."""
    return kind.dtype if kind.kind == "tensor" else dtypes.variant


def stated_type(proto: Any, what: str) -> Type:
    """The type that the file states for a value.

    Raises:
        MalformedError: it states none, or one that is not supported.
    """
    if proto.HasField("tensor_type"):
        tensor = proto.tensor_type
        shape = None
        if tensor.HasField("shape"):
            shape = tuple(_size(dim, what) for dim in tensor.shape.dim)
        return Type("tensor", dtype_of(tensor.elem_type, what), None, shape)
    if proto.HasField("sequence_type"):
        element = stated_type(proto.sequence_type.elem_type, what)
        if element.kind != "tensor":
            raise MalformedError(f"{what} is a sequence of values that are not tensors")
        return Type("sequence", element.dtype)
    if proto.HasField("optional_type"):
        inner = stated_type(proto.optional_type.elem_type, what)
        if inner.kind == "optional":
            raise MalformedError(f"{what} is an optional value of an optional value")
        return Type("optional", dtypes.variant, inner)
    raise UnsupportedError(f"{what} states no type, or one that is not supported, such as a map")


def _size(dim: Any, what: str) -> int | str | None:
    if dim.HasField("dim_value"):
        if not 0 <= dim.dim_value < 1 << 62:
            if dim.dim_value < 0:
                return None
            raise MalformedError(f"{what} has the size {dim.dim_value}")
        return int(dim.dim_value)
    return legal_size(dim.dim_param) if dim.HasField("dim_param") else None


def legal_size(text: str) -> str | None:
    """The name of a size, as far as it can be one here."""
    text = text.strip()
    return text if text.isidentifier() else None


def optional_of(value: Value) -> OptionalValue:
    """An optional value that holds a value."""
    handle = handle_of(value)
    return OptionalValue(
        apply("OptionalFromValue", [handle], Toutput_types=[handle.dtype]), type_of(value)
    )


def held(value: OptionalValue) -> Value:
    """The value that an optional value holds."""
    inner = value.inner
    [handle] = apply(
        "OptionalGetValue",
        value.handle,
        output_types=[stored_dtype(inner)],
        output_shapes=[None if inner.kind == "tensor" else []],
    )
    return value_of(handle, inner)


def fitted(value: Value, kind: Type) -> Value:
    """A value as one of a type: in an optional value, or taken out of one, where they differ."""
    is_optional = isinstance(value, OptionalValue)
    if kind.kind == "optional" and not is_optional:
        return optional_of(value)
    return held(value) if is_optional and kind.kind != "optional" else value
