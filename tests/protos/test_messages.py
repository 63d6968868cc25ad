"""The message classes have TensorFlow's wire and text format, and share a process with its own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from google.protobuf import text_format
from places import ROOT

from tensordraft.protos import messages as m


def test_text_format() -> None:
    text = """
        node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT_REF } } }
        versions { producer: 22 }
        library { function { signature { name: "f" } ret { key: "y" value: "x:output:0" } } }
    """
    graph = text_format.Parse(text, m.GraphDef())
    assert graph.node[0].attr["dtype"].type == m.DT_FLOAT_REF == 101
    assert graph.library.function[0].ret["y"] == "x:output:0"
    assert text_format.Parse(text_format.MessageToString(graph), m.GraphDef()) == graph


def test_the_version_of_the_oldest_files() -> None:
    assert m.GraphDef.FromString(b"\x18\x07").version == 7


@pytest.mark.parametrize(
    ("message", "data"),
    [
        (m.MetaGraphDef, b"\x3a\x04\x0a\x02ab"),  # object_graph_def
        (m.TensorInfo, b"\x10\x01\x2a\x02\x0a\x00"),  # composite_tensor, after a dtype
        (m.NodeDef, b"\x0a\x01x\xfa\x01\x02ab"),  # field 31, which is not defined yet
    ],
)
def test_fields_of_newer_versions_survive(message: type[m.NodeDef], data: bytes) -> None:
    assert message.FromString(data).SerializeToString() == data


def test_enum_values() -> None:
    assert m.DataType.Name(m.DT_BFLOAT16) == "DT_BFLOAT16"
    plain = {name: number for name, number in m.DataType.items() if 0 < number < 100}
    references = {name: number for name, number in m.DataType.items() if number > 100}
    assert references == {f"{name}_REF": number + 100 for name, number in plain.items()}


def test_nested_messages_are_attributes_of_their_parent() -> None:
    arg = m.OpDef.ArgDef(name="x", type=m.DT_INT32)
    assert m.OpDef(input_arg=[arg]).input_arg[0].type == 3


TENSORFLOWS = """
from google.protobuf import descriptor_pb2, descriptor_pool
for name in ("tensorflow/core/framework/types.proto", "types.proto"):
    file = descriptor_pb2.FileDescriptorProto(name=name, package="tensorflow")
    if "/" in name:
        values = [{"name": "DT_INVALID", "number": 0}, {"name": "DT_ELSE", "number": 1}]
        file.enum_type.add(name="DataType", value=values)
        file.message_type.add(name="GraphDef")
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
assert descriptor_pool.Default().FindMessageTypeByName("tensorflow.GraphDef").fields == []
"""
OURS = """
from tensordraft.protos import messages
assert messages.GraphDef(node=[{"name": "x"}]).node[0].name == "x"
assert messages.DT_FLOAT == 1
"""


@pytest.mark.parametrize("script", [TENSORFLOWS + OURS, OURS + TENSORFLOWS], ids=["last", "first"])
def test_messages_of_the_same_names_in_one_process(script: str) -> None:
    subprocess.run([sys.executable, "-c", script], check=True)


def test_generated_files_are_up_to_date() -> None:
    pytest.importorskip("grpc_tools", reason="regenerating needs grpcio-tools")
    command = [sys.executable, str(ROOT / "tools" / "protos.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
