"""A call of an op while a graph is built, as a rule of translation sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...graph.node import Tensor
from ...protos.dtypes import DType
from ...shape_inference.protocols import Array
from .nodes import constant
from .tensors import MalformedError, UnsupportedError, dtype_of
from .values import Value, type_of

Index = int  # `int` itself is a method of `Call`
Rule = Callable[["Call"], Any]
"""Translation of an op: the value of its output, or a list of those of its outputs."""

_REQUIRED: Any = object()
# Fields of an attribute by the number of its type.
_FIELDS = {
    1: "f",
    2: "i",
    3: "s",
    4: "t",
    5: "g",
    6: "floats",
    7: "ints",
    8: "strings",
    9: "tensors",
    10: "graphs",
    11: "sparse_tensor",
    13: "tp",
}


def attr_value(attr: Any) -> Any:
    """The value of an attribute: a number, bytes, a message, or a list of these."""
    field = _FIELDS.get(attr.type)
    if field is None:
        field = next((name for name in ("f", "i", "s", "t", "g") if attr.HasField(name)), None)
        if field is None:
            field = next((x for x in _FIELDS.values() if x[-1] == "s" and getattr(attr, x)), "ints")
    value = getattr(attr, field)
    if field in ("floats", "ints", "strings", "tensors", "graphs"):
        return list(value)
    return value


class Call:
    """A call of an op.

    `call[i]` is the tensor of input `i`.

    Args:
        builder: the builder of the graph, which builds subgraphs, too.
        scope: the scope of names that the op is in, for its subgraphs.
        op_type: the op type.
        version: the version of the op's opset.
        inputs: the values of its inputs; None for one that is left out.
        outputs: the names of its outputs; "" for one that is not wanted.
        attrs: its attributes.
        title: where it is, for errors.
    """

    def __init__(
        self,
        builder: Any,
        scope: Any,
        op_type: str,
        version: int,
        inputs: Sequence[Value],
        outputs: Sequence[str],
        attrs: dict[str, Any],
        title: str,
    ) -> None:
        self.builder = builder
        self.scope = scope
        self.op_type = op_type
        self.version = version
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.title = title

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> Tensor:
        value = self.value(index)
        if not isinstance(value, Tensor):
            raise MalformedError(f"its input {index} is a {type_of(value).kind}, not a tensor")
        return value

    def value(self, index: int) -> Value:
        """The value of an input, of any type."""
        if not self.has(index):
            raise MalformedError(f"it has no input {index}")
        return self.inputs[index]

    def has(self, index: int) -> bool:
        """Returns whether there is such an input."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def all(self) -> list[Tensor]:
        """The tensors of all inputs."""
        return [self[i] for i in range(len(self))]

    def wants(self, index: int) -> bool:
        """Returns whether an output is used."""
        return index < len(self.outputs) and bool(self.outputs[index])

    def const(self, index: int) -> Array | None:
        """The value of an input where it is known; else None."""
        return constant(self[index])

    def known(self, index: int, what: str) -> Array:
        """The value of an input that must be known.

        Raises:
            MalformedError: it is not.
        """
        value = self.const(index)
        if value is None:
            raise UnsupportedError(f"its input {what} is not constant: not supported")
        return value

    def known_ints(self, index: int, what: str) -> list[int]:
        """The value of an input that must be known, as a list of integers."""
        value = self.known(index, what)
        if value.dtype.kind not in "iu":
            raise MalformedError(f"its input {what} must be integers, got {value.dtype}")
        return [int(x) for x in value.reshape(-1)]

    def int(self, name: str, default: int = _REQUIRED) -> int:
        """An integer attribute."""
        return int(self._attr(name, default, int))

    def float(self, name: str, default: float = _REQUIRED) -> float:
        """A number that is an attribute."""
        return float(self._attr(name, default, float, int))

    def text(self, name: str, default: str = _REQUIRED) -> str:
        """A string attribute."""
        value = self._attr(name, default, bytes, str)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def list(self, name: str, default: Any = _REQUIRED) -> Any:
        """A list that is an attribute."""
        return self._attr(name, default, list, type(default))

    def dtype(self, name: str, default: DType | None = None) -> DType:
        """An attribute that is the number of a dtype."""
        if name not in self.attrs and default is not None:
            return default
        return dtype_of(self.int(name), f"the attribute {name}")

    def graph(self, name: str) -> Any:
        """A subgraph that is an attribute."""
        value = self._attr(name, _REQUIRED, object)
        if not hasattr(value, "node"):
            raise MalformedError(f"its attribute {name} is not a graph")
        return value

    def tensor(self, name: str) -> tuple[Array, DType]:
        """A constant that is an attribute."""
        value = self._attr(name, _REQUIRED, object)
        if not hasattr(value, "data_type"):
            raise MalformedError(f"its attribute {name} is not a tensor")
        array: tuple[Array, DType] = self.builder.tensors.read(value, f"its attribute {name}")
        return array

    def axes(self, index: Index = 1, name: str = "axes") -> Any:
        """Axes, which are an input in newer opsets and an attribute before; None by default."""
        if name in self.attrs:
            return self.list(name)
        return self.known_ints(index, name) if self.has(index) else None

    def _attr(self, name: str, default: Any, *types: type) -> Any:
        if name not in self.attrs:
            if default is _REQUIRED:
                raise MalformedError(f"it lacks the attribute {name}")
            return default
        value = self.attrs[name]
        if not isinstance(value, types):
            raise MalformedError(f"its attribute {name} is of another type: {value!r:.40}")
        return value


def strings(values: Sequence[bytes]) -> Array:
    """A vector of strings."""
    array = np.empty(len(values), object)
    array[:] = list(values)
    return array
