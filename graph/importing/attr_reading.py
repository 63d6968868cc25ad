"""Reading the attrs of nodes: once for all nodes of an op type whose attrs have equal bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...formats.sorted_table import varint
from ...protos.dtypes import DType
from ...protos.messages import NodeDef
from ...shape_inference.tensor_shape import TensorShape
from ..graph_protocols import RegisteredOpType
from ..unregistered import UnregisteredOp

_NAME, _OP, _INPUT = 0x0A, 0x12, 0x1A
_MOST_BYTES = 1_024  # of attrs that are compared; those of a large constant are its own
_MOST_KEPT = 4_096


class ReadAttrs(NamedTuple):
    """The content of the op type and attrs of a node.

    Attributes:
        definition: the op type.
        attrs: the attrs, which ops share, so that they are not to be changed.
        inputs: the dtypes of the inputs; None for an op type that takes any.
        outputs: the dtypes of the outputs.
        device: the device.
        shapes: the shapes of the outputs that the node states.
    """

    definition: RegisteredOpType | UnregisteredOp
    attrs: Mapping[str, Any]
    inputs: list[DType] | None
    outputs: list[DType]
    device: str
    shapes: list[TensorShape] | None


class WireNode(NamedTuple):
    """A node in wire form: its inputs, the rest without name and op type, and its size in bytes.

    A rest that is too long to be compared is None.
    """

    inputs: list[str]
    rest: bytes | None
    size: int

    @classmethod
    def of(cls, node: NodeDef) -> WireNode:
        """A node, read from its bytes: that is faster than to ask the message field by field."""
        data = node.SerializeToString()
        inputs: list[str] = []
        start, stop = 0, len(data)
        while start < stop:
            tag = data[start]
            if tag not in (_NAME, _OP, _INPUT):
                break
            size, start = data[start + 1], start + 2
            if size > 0x7F:
                size, start = varint(data, start - 1)
            if tag == _INPUT:
                inputs.append(data[start : start + size].decode())
            start += size
        return cls(inputs, data[start:] if stop - start <= _MOST_BYTES else None, stop)


class CommonAttrs:
    """Attrs that have been read, by op type and bytes; when there are many, it begins again."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes | None], ReadAttrs] = {}

    def of(self, op_type: str, rest: bytes | None, read: Callable[[], ReadAttrs]) -> ReadAttrs:
        """Result of `read`, now or for an earlier node with the same bytes."""
        found = self._known.get((op_type, rest)) if rest is not None else None
        if found is None:
            found = read()
            if rest is not None:
                if len(self._known) >= _MOST_KEPT:
                    self._known.clear()
                self._known[op_type, rest] = found
        return found
