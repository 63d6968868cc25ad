"""Message classes for the `.proto` files of this folder: TensorFlow's wire and text format.

Every message of the files is an attribute of this module (`GraphDef`, `NodeDef`, `AttrValue`, ...),
every enum too (`DataType`), and every enum value (`DT_FLOAT`). `messages.pyi` lists them all.

The descriptors live in a pool of their own. In protobuf's default pool they would clash with those
of TensorFlow, which have the same names, whenever a process imports both.
"""

from __future__ import annotations

import os

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

_POOL = DescriptorPool()


def _message_class(descriptor: Descriptor) -> type[Message]:
    message_class = GetMessageClass(descriptor)
    for nested in descriptor.nested_types:
        nested_class = _message_class(nested)
        if not hasattr(message_class, nested.name):  # in protobuf's pure Python implementation
            setattr(message_class, nested.name, nested_class)
    return message_class


def _define_all() -> None:
    with open(os.path.join(os.path.dirname(__file__), "descriptors.binpb"), "rb") as file:
        files = FileDescriptorSet.FromString(file.read()).file
    for file_proto in files:  # every file comes after those that it imports
        _POOL.AddSerializedFile(file_proto.SerializeToString())
        if file_proto.package != "tensorflow":
            continue
        descriptor = _POOL.FindFileByName(file_proto.name)
        for name, message in descriptor.message_types_by_name.items():
            globals()[name] = _message_class(message)
        for name, enum in descriptor.enum_types_by_name.items():
            globals()[name] = EnumTypeWrapper(enum)
            globals().update((value.name, value.number) for value in enum.values)


_define_all()
