"""Messages of ONNX files, as far as they are read: field numbers from `onnx.proto`.

The classes live in a descriptor pool of their own, beside those of the `onnx` package, which is not
needed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

# A line for each message: its name, and its fields as `number name type`; `*` marks a repeated one.
# Alternatives that exclude each other are told apart by `HasField`.
_SCHEMA = """
ModelProto: 1 ir_version int64, 8 opset_import OperatorSetIdProto*, 2 producer_name string,
    7 graph GraphProto, 25 functions FunctionProto*
OperatorSetIdProto: 1 domain string, 2 version int64
GraphProto: 1 node NodeProto*, 2 name string, 5 initializer TensorProto*,
    15 sparse_initializer SparseTensorProto*, 11 input ValueInfoProto*, 12 output ValueInfoProto*,
    13 value_info ValueInfoProto*
FunctionProto: 1 name string, 4 input string*, 5 output string*, 6 attribute string*,
    11 attribute_proto AttributeProto*, 7 node NodeProto*, 9 opset_import OperatorSetIdProto*,
    10 domain string, 13 overload string
NodeProto: 1 input string*, 2 output string*, 3 name string, 4 op_type string, 7 domain string,
    8 overload string, 5 attribute AttributeProto*
AttributeProto: 1 name string, 21 ref_attr_name string, 20 type int32, 2 f float, 3 i int64,
    4 s bytes, 5 t TensorProto, 6 g GraphProto, 22 sparse_tensor SparseTensorProto, 14 tp TypeProto,
    7 floats float*, 8 ints int64*, 9 strings bytes*, 10 tensors TensorProto*, 11 graphs GraphProto*
TensorProto: 1 dims int64*, 2 data_type int32, 4 float_data float*, 5 int32_data int32*,
    6 string_data bytes*, 7 int64_data int64*, 8 name string, 9 raw_data bytes,
    13 external_data StringStringEntryProto*, 14 data_location int32, 10 double_data double*,
    11 uint64_data uint64*
SparseTensorProto: 1 values TensorProto, 2 indices TensorProto, 3 dims int64*
StringStringEntryProto: 1 key string, 2 value string
ValueInfoProto: 1 name string, 2 type TypeProto
TypeProto: 1 tensor_type TensorTypeProto, 4 sequence_type ElementTypeProto,
    9 optional_type ElementTypeProto, 5 map_type MapTypeProto, 8 sparse_tensor_type TensorTypeProto
TensorTypeProto: 1 elem_type int32, 2 shape TensorShapeProto
ElementTypeProto: 1 elem_type TypeProto
MapTypeProto: 1 key_type int32, 2 value_type TypeProto
TensorShapeProto: 1 dim DimensionProto*
DimensionProto: 1 dim_value int64, 2 dim_param string
"""
_EDITION_2023 = 1000  # fields have presence, and strings must be UTF-8
_PACKAGE = "tensordraft.onnx"
_SCALARS = {
    name: getattr(FieldDescriptorProto, f"TYPE_{name.upper()}")
    for name in ("int32", "int64", "uint64", "float", "double", "string", "bytes")
}


def _define(message: DescriptorProto, fields: str) -> None:
    for text in fields.split(","):
        number, name, kind = text.split()
        field = message.field.add(name=name, number=int(number))
        field.label = (
            FieldDescriptorProto.LABEL_REPEATED
            if kind.endswith("*")
            else FieldDescriptorProto.LABEL_OPTIONAL
        )
        kind = kind.rstrip("*")
        if kind in _SCALARS:
            field.type = _SCALARS[kind]
        else:
            field.type = FieldDescriptorProto.TYPE_MESSAGE
            field.type_name = f".{_PACKAGE}.{kind}"


@cache
def message_class(name: str) -> Any:
    """The class of a message of ONNX.

    Args:
        name: its name, such as "ModelProto".
    """
    return GetMessageClass(_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}"))


@cache
def _pool() -> DescriptorPool:
    file = FileDescriptorProto(name="tensordraft/onnx.proto", package=_PACKAGE)
    file.syntax = "editions"
    setattr(file, "edition", _EDITION_2023)  # noqa: B010 - a number, as far as the stubs know
    for line in _SCHEMA.strip().replace(",\n", ",").splitlines():
        name, _, fields = line.partition(":")
        _define(file.message_type.add(name=name), fields)
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool
