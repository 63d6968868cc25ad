"""Writing a model as a file, whole or not at all; what is too large for a message beside it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...formats.replacement import replacing
from .messages import tensor_message
from .opsets import imported_onnx
from .writing.element_types import onnx_type
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
        for value in constants.values():
            model.graph.initializer.append(tensor_message(onnx, value))
        with replacing(path) as file:
            file.write(model.SerializeToString())
        return
    location = f"{os.path.basename(path)}.data"
    with replacing(path) as file, replacing(os.path.join(os.path.dirname(path), location)) as data:
        offset = 0
        for name, value in constants.items():
            array = np.ascontiguousarray(value.array)
            data.write(bytes(-offset % _ALIGNMENT))
            offset += -offset % _ALIGNMENT
            message = model.graph.initializer.add(name=name, data_type=onnx_type(value.dtype) or 0)
            message.dims.extend(array.shape)
            message.data_location = onnx.TensorProto.EXTERNAL
            for key, text in (("location", location), ("offset", offset), ("length", array.nbytes)):
                message.external_data.add(key=key, value=str(text))
            data.write(array.reshape(-1).view(np.uint8).data)
            offset += array.nbytes
        file.write(model.SerializeToString())
