"""Cost of checking a graph, per node."""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING

from timing import Row

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIMIT = 60e-6
_SIZES = (1_000, 10_000, 100_000)


def rows() -> Iterator[Row]:
    """Graphs of several sizes, with and without sizes that have to be assumed to be equal."""
    for number in _SIZES:
        yield _row(f"check a node, of {number:,} / 60 us", _blocks(number))
    yield _row("the same with 1,000 requirements / 60 us", _blocks(10_000, 1_000))


def _row(name: str, graph: td.Graph) -> Row:
    shapes = {"x": ["batch", 64]}
    seconds = []
    for _ in range(1 if len(graph.get_operations()) > 50_000 else 5):
        gc.collect()
        start = time.perf_counter()
        report = td.check_graph(graph, shapes)
        seconds.append(time.perf_counter() - start)
        report.raise_for_errors()
    return Row(name, statistics.median(seconds) / len(graph.get_operations()), _LIMIT, 1.0)


def _blocks(number: int, requirements: int = 0) -> td.Graph:
    """A graph of so many ops, such as models have: half of them compute shapes."""
    with td.Graph().as_default() as graph:
        x = y = td.placeholder(td.float32, [None, 64], name="x")
        for i in range(requirements):
            other = td.placeholder(td.float32, [f"n{i}", 1])
            td.concat([x, other], 1)
        while len(graph.get_operations()) < number:
            batch = td.shape(y)[0]
            heads = td.reshape(y, td.stack([batch, 4, -1]))
            swapped = td.transpose(td.nn.relu(heads), [0, 2, 1])
            flat = td.reshape(swapped, [-1, 64])
            y = td.concat([flat[:, :32], y[:, 32:]], 1) + y
    return graph
