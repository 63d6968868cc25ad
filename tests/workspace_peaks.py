"""Graphs whose kernels take memory for themselves, and how much is alive at once in their runs.

As a program it prints what was alive: of each graph for each batch.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

import tensordraft as td
from tensordraft.session.interpreter import FlatProgram
from tensordraft.session.passes.plan_options import PlanOptions
from tensordraft.session.planner import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

BATCHES = (2, 7)


def built(make: Callable[[], Any]) -> td.Graph:
    with td.Graph().as_default() as graph:
        td.identity(make(), name="end")
    return graph


def image(*sizes: Any) -> td.Tensor:
    return td.placeholder(td.float32, list(sizes), name="x")


def numbers(*sizes: int) -> td.Tensor:
    return td.constant(np.ones(sizes, np.float32))


# What takes memory besides results: patches and frames, repeated filters, rows of a pool, a matrix
# that is turned.
WORKSPACES: dict[str, Callable[[], Any]] = {
    "patches": lambda: td.nn.conv2d(image("b", 40, 40, 16), numbers(3, 3, 16, 8), 1, "SAME"),
    "blocks of patches": lambda: td.nn.conv2d(
        image("b", 120, 120, 16), numbers(5, 5, 16, 8), 1, "VALID"
    ),
    "channels first": lambda: td.nn.conv2d(
        image("b", 3, 90, 90), numbers(7, 7, 3, 16), 2, "SAME", data_format="NCHW"
    ),
    "groups": lambda: td.nn.conv2d(image("b", 40, 40, 32), numbers(3, 3, 16, 32), 1, "SAME"),
    "channels alone": lambda: td.nn.conv2d(image("b", 40, 40, 32), numbers(3, 3, 1, 32), 1, "SAME"),
    "volumes": lambda: td.nn.conv3d(
        image("b", 16, 16, 16, 4), numbers(3, 3, 3, 4, 8), [1] * 5, "SAME"
    ),
    "depthwise": lambda: td.nn.depthwise_conv2d(
        image("b", 40, 40, 32), numbers(5, 5, 32, 1), [1, 1, 1, 1], "SAME"
    ),
    "depthwise strides": lambda: td.nn.depthwise_conv2d(
        image("b", 80, 80, 16), numbers(3, 3, 16, 2), [1, 2, 2, 1], "SAME"
    ),
    "pool": lambda: td.nn.max_pool(image("b", 120, 120, 16), [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
    "turned": lambda: td.matmul(td.reshape(image("b", 512), [-1, 512]), numbers(512, 2048)),
}


def peak_of(name: str, batch: int) -> int:
    """Peak of live bytes in a run of a graph."""
    graph = built(WORKSPACES[name])
    [x, *_] = graph.get_operations()
    _, *sizes = map(str, x.outputs[0].shape.dims or ())
    feed = np.ones((batch, *map(int, sizes)), np.float32)
    end = graph.get_tensor_by_name("end:0")
    peaks: list[int] = []

    def measure() -> None:  # in a thread that keeps no scratch memory yet
        plan = make_plan(graph, [end], [x.outputs[0]], {}, PlanOptions(exact=True))
        lasting = feed.nbytes + sum(array.nbytes for array in plan.constants.values())
        tracemalloc.start()
        with threadpool_limits(1):  # each further thread would have scratch memory of its own
            FlatProgram(plan).run([feed])
        peaks.append(lasting + tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    for _ in range(2):  # the first run also takes what modules take when they are first used
        thread = Thread(target=measure)
        thread.start()
        thread.join()
    return min(peaks)


if __name__ == "__main__":
    found = [(name, batch, peak_of(name, batch)) for name in WORKSPACES for batch in BATCHES]
    sys.stdout.write(json.dumps(found))
