"""TensorArrays: written and read in place, in the order of their flows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td
from tensordraft import raw_ops

pytestmark = pytest.mark.usefixtures("graph")
VERSIONS = ["V3", "V2", ""]
for _op in ("", "Write", "Read", "Gather", "Scatter", "Concat", "Split", "Size", "Close", "Grad"):
    for _version in VERSIONS:
        covers(f"TensorArray{_op}{_version}")
covers("TensorArrayPack")
covers("TensorArrayUnpack")
covers("TensorArrayGradWithShape")

F = td.float32


def run(*tensors: Any) -> Any:
    with td.Session(graph=tensors[0].graph) as session:
        results = session.run(list(tensors))
    return results[0] if len(tensors) == 1 else results


class Made:
    """A TensorArray in one of the forms that TensorFlow has had, by raw ops."""

    def __init__(self, version: str, size: Any, **attrs: Any) -> None:
        self.version = version
        made = self.call("", size=size, dtype=F, **attrs)
        self.handle = made.handle if version == "V3" else made
        self.flow = made.flow if version == "V3" else td.constant(0.0)

    def call(self, name: str, **arguments: Any) -> Any:
        return getattr(raw_ops, f"TensorArray{name}{self.version}")(**arguments)

    def on(self, name: str, **arguments: Any) -> Any:
        return self.call(name, handle=self.handle, flow_in=self.flow, **arguments)

    def put(self, name: str, **arguments: Any) -> Made:
        self.flow = self.on(name, **arguments)
        return self


@pytest.mark.parametrize("version", VERSIONS)
def test_written_and_read(version: str) -> None:
    array = Made(version, 2, clear_after_read=False)
    array.put("Write", index=1, value=td.constant([1.0, 2.0]))
    array.put("Write", index=0, value=td.constant([3.0, 4.0]))
    one = array.on("Read", index=1, dtype=F)
    both = array.on("Gather", indices=[0, 1], dtype=F)
    assert one.shape.as_list() == [2]
    assert both.shape.as_list() == [2, 2]
    results = run(one, both, array.on("Size"))
    assert [item.tolist() for item in results] == [[1, 2], [[3, 4], [1, 2]], 2]


@pytest.mark.parametrize("version", VERSIONS)
def test_scattered_split_and_joined(version: str) -> None:
    array = Made(version, 2, clear_after_read=False)
    array.put("Scatter", indices=[1, 0], value=td.constant([[1.0], [2.0]]))
    whole, lengths = array.on("Concat", dtype=F)
    assert [item.tolist() for item in run(whole, lengths)] == [[2, 1], [1, 1]]
    parts = Made(version, 2)
    parts.put("Split", value=td.constant([1.0, 2.0, 3.0]), lengths=np.array([1, 2], np.int64))
    again, lengths = parts.on("Concat", dtype=F)
    assert again.shape.as_list() == [None]
    assert [item.tolist() for item in run(again, lengths)] == [[1, 2, 3], [1, 2]]


def test_packed_and_unpacked() -> None:
    array = Made("", 3)
    array.put("Unpack", value=td.constant([1.0, 2.0, 3.0]))
    packed = array.on("Pack", dtype=F)
    assert packed.shape.as_list() == [3]
    assert run(packed).tolist() == [1, 2, 3]


def test_longer_arrays() -> None:
    array = Made("V3", 0, dynamic_size=True, element_shape=[])
    array.put("Write", index=2, value=td.constant(5.0))
    assert run(array.on("Gather", indices=[0, 2], dtype=F)).tolist() == [0, 5]


@pytest.mark.parametrize("version", VERSIONS)
def test_gradients_add_up(version: str) -> None:
    array = Made(version, 2, clear_after_read=False)
    array.put("Scatter", indices=[0, 1], value=td.constant([[1.0], [2.0]]))
    made = array.on("Grad", source="gradients")
    gradient = Made(version, 2)
    gradient.handle, gradient.flow = made if version == "V3" else (made, array.flow)
    gradient.put("Write", index=1, value=td.constant([3.0]))
    gradient.put("Write", index=1, value=td.constant([4.0]))
    assert run(gradient.on("Gather", indices=[0, 1], dtype=F)).tolist() == [[0], [7]]


def test_gradients_with_more_dimensions() -> None:
    array = Made("V3", 1, element_shape=[2])
    made = raw_ops.TensorArrayGradWithShape(
        handle=array.handle, flow_in=array.flow, shape_to_prepend=[3], source="gradients"
    )
    gradient = Made("V3", 1)
    gradient.handle, gradient.flow = made
    assert run(gradient.on("Read", index=0, dtype=F)).shape == (3, 2)


@pytest.mark.parametrize("version", VERSIONS)
def test_closed(version: str) -> None:
    array = Made(version, 1, element_shape=[])
    closed = array.call("Close", handle=array.handle)
    with td.control_dependencies([closed]):
        read = array.on("Read", index=0, dtype=F)
    with pytest.raises(td.errors.InvalidArgumentError, match="has been closed"):
        run(read)


def write(array: Made, index: int = 0, value: Any = 1.0) -> Any:
    return array.on("Write", index=index, value=td.constant(value))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: write(Made("V3", 1), 1), r"index = 1 is not in \[0, 1\)"),
        (lambda: write(Made("V3", 1).put("Write", index=0, value=1.0)), "written already"),
        (lambda: Made("V3", 1).on("Read", index=0, dtype=F), "was not written"),
        (lambda: write(Made("V3", -1)), "size must be at least 0"),
        (lambda: Made("V3", 1).on("Read", index=0, dtype=td.int32), "but the TensorArray holds"),
    ],
)
def test_what_does_not_work(made: Any, message: str) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match=message):
        run(made())


def test_an_element_is_gone_after_it_was_read() -> None:
    array = Made("V3", 1).put("Write", index=0, value=td.constant(1.0))
    first = array.on("Read", index=0, dtype=F)
    with td.control_dependencies([first]):
        second = array.on("Read", index=0, dtype=F)
    with pytest.raises(td.errors.InvalidArgumentError, match="clear_after_read=False"):
        run(second)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="must have equal shapes"):
        write(Made("V3", 1, element_shape=[2]), value=[1.0])
