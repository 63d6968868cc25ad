"""Writing a model as a file, whole or not at all; what is too large for a message beside it."""

from __future__ import annotations

import os
from typing import Any

from ...formats.replacement import replacing
from ...formats.table_writer import varint_bytes
from .messages import tensor_bytes, tensor_head
from .opsets import imported_onnx
from .writing.values import Value

_MOST_BYTES = (1 << 31) - (1 << 20)  # of a message of protobuf
_ALIGNMENT = 4096  # so that readers can map the file into memory


def write_model(
    model: Any, constants: dict[str, Value], path: str, most: int = _MOST_BYTES
) -> None:
    """Writes a model.

    Args:
        model: the ModelProto without its large constants.
        constants: these, by name.
        path: the file.
        most: the largest message; the constants of a larger one go into a file beside it.

    Raises:
        OSError: it cannot be written.
        ValueError: it is too large even without its constants.
    """
    onnx = imported_onnx()
    total = sum(value.array.nbytes for value in constants.values() if value.array is not None)
    if model.ByteSize() > most:
        raise ValueError(f"the graph takes {model.ByteSize():,} bytes, and a file at most {most:,}")
    if total + model.ByteSize() <= most:
        with replacing(path) as file:
            _write_whole(file, model, constants)
        return
    location = f"{os.path.basename(path)}.data"
    with replacing(path) as file, replacing(os.path.join(os.path.dirname(path), location)) as data:
        offset = 0
        for value in constants.values():
            content = tensor_bytes(value)
            data.write(bytes(-offset % _ALIGNMENT))
            offset += -offset % _ALIGNMENT
            message = model.graph.initializer.add()
            message.CopyFrom(tensor_head(value))
            message.data_location = onnx.TensorProto.EXTERNAL
            place = {"location": location, "offset": offset, "length": len(content)}
            for key, text in place.items():
                message.external_data.add(key=key, value=str(text))
            data.write(content)
            offset += len(content)
        file.write(model.SerializeToString())


# Numbers of fields in onnx.proto, each as the tag of a message or of bytes.
_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9


def _write_whole(file: Any, model: Any, constants: dict[str, Value]) -> None:
    """Writes a model with its constants, one after the other, so that none is in memory twice."""
    graph = model.graph.SerializeToString()
    heads = []
    for value in constants.values():
        size = 0 if value.array is None else value.array.nbytes
        head = tensor_head(value).SerializeToString() + _tag(_RAW_DATA, size)
        heads.append(_tag(_INITIALIZER, len(head) + size) + head)
    total = len(graph) + sum(map(len, heads))
    total += sum(value.array.nbytes for value in constants.values() if value.array is not None)
    rest = type(model)()
    rest.CopyFrom(model)
    rest.ClearField("graph")
    file.write(rest.SerializeToString() + _tag(_GRAPH, total) + graph)
    for head, value in zip(heads, constants.values(), strict=True):
        file.write(head)
        file.write(tensor_bytes(value))


def _tag(field: int, size: int) -> bytes:
    """The start of a field of some bytes on the wire of protobuf."""
    return varint_bytes(field << 3 | 2) + varint_bytes(size)
