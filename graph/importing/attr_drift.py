"""Unknown attrs of graph files, from differences between TensorFlow versions."""

from __future__ import annotations

from typing import Any

from ...protos.attr_codec import encode_attr
from ...protos.attr_history import added_attrs
from ...protos.messages import AttrValue, OpDef as OpDefProto, OpList
from ...shape_inference.tensor_shape import TensorShape
from ...shape_inference.traits import Input
from ..graph_protocols import OpType
from ..signature import REQUIRED, parse_signature

_LAST_WITHOUT_UNKNOWN_RANK = 21


class Drift:
    """Policy for the unknown attrs of one file.

    An attr that holds its op's default says nothing new and is dropped. One that holds something
    else changes what the op means, so it is refused, as is one of a newer producer whose default
    is not known. An attr that no version ever had means nothing: it is kept and not read, as
    TensorFlow does.

    Args:
        producer: the version that wrote the file.
        consumer: the version of this library.
        op_list: the op definitions of the producer, if the file has them.
    """

    def __init__(self, producer: int, consumer: int, op_list: OpList | None = None) -> None:
        self._producer = producer
        self._consumer = consumer
        self._definitions: dict[str, OpDefProto] = {}
        if op_list is not None:
            self._definitions = {op.name: op for op in op_list.op}

    def unknown(self, definition: OpType, name: str, value: AttrValue) -> AttrValue | None:
        """Value to keep of an attr that `definition` does not have.

        Raises:
            ValueError: it may change what the op means.
        """
        default = self._default(definition.name, name)
        if default is None and self._producer <= self._consumer:
            return value
        if value != default:
            raise ValueError(f"{definition.name} has no attr {name!r} here")
        return None

    def modernize(self, definition: OpType, attrs: dict[str, Any]) -> None:
        """Updates `attrs` to the meaning they have in old files.

        Up to version 21 a placeholder without a shape was stored as one of shape [].
        """
        if self._producer > _LAST_WITHOUT_UNKNOWN_RANK:
            return
        spec = definition.signature.attrs.get("shape")
        optional = spec is not None and spec.default is not REQUIRED
        if optional and isinstance(definition.traits, Input) and attrs["shape"].rank == 0:
            attrs["shape"] = TensorShape(None)

    def with_versions(self, message: str) -> str:
        """`message` with the versions of the producer and the consumer."""
        return (
            f"{message}; the file was written by version {self._producer}, this library knows "
            f"version {self._consumer}"
        )

    def _default(self, op_type: str, name: str) -> AttrValue | None:
        definition = self._definitions.get(op_type)
        if definition is not None:
            for attr in definition.attr:
                if attr.name == name and attr.HasField("default_value"):
                    return attr.default_value
        added = added_attrs(op_type).get(name)
        if added is None:
            return None
        spec = parse_signature("->", f"{name}: {added.text}").attrs[name]
        return encode_attr(spec.default, spec.kind)
