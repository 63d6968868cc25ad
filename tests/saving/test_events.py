"""Event files: records that TensorBoard reads, with a graph in the second."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tensordraft as td
from tensordraft import write_graph_events
from tensordraft.formats.crc32c import masked_crc32c


def records(data: bytes) -> Iterator[bytes]:
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert data[8:12] == struct.pack("<I", masked_crc32c(data[:8]))
        record = data[12 : 12 + length]
        assert data[12 + length : 16 + length] == struct.pack("<I", masked_crc32c(record))
        yield record
        data = data[16 + length :]


def test_a_graph_is_the_second_event(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        large = td.constant(np.zeros(1000, np.float32), name="large")
        td.identity(large, name="y")
    path = write_graph_events(graph, tmp_path / "logs")
    first, second = records(Path(path).read_bytes())
    assert first.endswith(b"\x1a\x0dbrain.Event:2")
    assert second[9] == 4 << 3 | 2
    start = 10 + next(i for i, byte in enumerate(second[10:], 1) if byte < 0x80)
    graph_def = td.GraphDef.FromString(second[start:])
    assert [node.name for node in graph_def.node] == ["large", "y"]
    assert not graph_def.node[0].attr["value"].tensor.tensor_content
    assert graph.as_graph_def().node[0].attr["value"].tensor.tensor_content
    assert len(graph_def.node[1].attr["_output_shapes"].list.shape) == 1
