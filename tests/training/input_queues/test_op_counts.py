"""Producers add as many ops as TensorFlow's, of which the seeds of later ops are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Callable

# How many ops TensorFlow 2.21 adds, in graph mode.
MAKERS: dict[str, tuple[Callable[[], Any], int]] = {
    "strings": (lambda: td.train.string_input_producer(["a", "b"], shuffle=False), 18),
    "shuffled": (lambda: td.train.string_input_producer(["a", "b"], 3, seed=3), 25),
    "rows": (lambda: td.train.input_producer([[1], [2]], num_epochs=2, seed=1).dequeue(), 13),
    "numbers": (lambda: td.train.range_input_producer(5, num_epochs=2, seed=1), 21),
    "assertion": (lambda: td.Assert(td.placeholder(td.bool, []), ["a", "b"]), 6),
}


@pytest.mark.parametrize("name", MAKERS)
def test_as_many_ops_are_made(name: str) -> None:
    make, number = MAKERS[name]
    with td.Graph().as_default() as graph:
        make()
        assert len(graph.get_operations()) == number


def test_a_named_producer_has_its_queue_in_its_scope() -> None:
    with td.Graph().as_default() as graph:
        queue = td.train.input_producer([[1], [2]], name="rows")
        assert queue.name == "rows/rows"
        td.train.string_input_producer(["a"], name="files")
        assert graph.get_operation_by_name("files").type == "FIFOQueueV2"
        assert graph.get_operation_by_name("files/Assert/Assert").type == "Assert"
