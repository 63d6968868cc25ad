"""Devices of ops: what functions that give them may do, and what an import makes of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from toy_ops import mark

import tensordraft as td


@pytest.fixture
def graph() -> Iterator[td.Graph]:
    with td.Graph().as_default() as graph:
        yield graph


def test_a_device_function_that_raises_leaves_no_op_behind(graph: td.Graph) -> None:
    def refuse(op: td.Operation) -> str:
        raise KeyError(f"no device for {op.outputs[0].shape}")

    with graph.device(refuse), pytest.raises(KeyError, match=r"no device for \(2,\)"):
        td.constant([1, 2], name="c")
    assert graph.get_operations() == []
    assert td.constant(3, name="d").op.index == 0


def test_a_device_function_may_add_ops_of_its_own(graph: td.Graph) -> None:
    def place(op: td.Operation) -> str:
        return mark("aside").device if op.type == "Const" else "/cpu:1"

    with graph.device(place):
        assert td.constant(1).device == "/device:CPU:1"
    assert [(op.index, op.name) for op in graph.get_operations()] == [(0, "aside"), (1, "Const")]


def test_the_blocks_around_an_import_count_for_its_ops(graph: td.Graph) -> None:
    with td.Graph().as_default() as other, other.device("/gpu:1"):
        td.identity(td.constant(1, name="x"), name="y")
    seen = []

    def place(op: td.Operation) -> str:
        seen.append((op.name, op.device, str(op.outputs[0].shape)))
        return "/job:w"

    first = mark("first")
    with graph.device(place), graph.control_dependencies([first]), graph.colocate_with(first):
        td.import_graph_def(other.as_graph_def(), name="")
    with graph.device(place):
        td.import_graph_def(other.as_graph_def(), name="again")
    y, again = graph.get_operation_by_name("y"), graph.get_operation_by_name("again/y")
    assert (y.controls, y.colocation_groups()) == ((first,), [b"loc:@first"])
    assert (y.device, again.device) == ("/device:GPU:1", "/job:w/device:GPU:1")
    assert seen == [("again/x", "/device:GPU:1", "()"), ("again/y", "/device:GPU:1", "()")]
