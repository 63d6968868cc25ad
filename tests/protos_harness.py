"""Messages for the tests of the wire format."""

from __future__ import annotations

from typing import Any

from tensordraft.protos.dtypes import as_dtype
from tensordraft.protos.messages import TensorProto, TensorShapeProto


def proto(dtype: str, *dims: int, **fields: Any) -> TensorProto:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in dims])
    return TensorProto(dtype=as_dtype(dtype).as_datatype_enum, tensor_shape=shape, **fields)
