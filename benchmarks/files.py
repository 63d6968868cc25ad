"""Loading, checking and saving graph files, small and large."""

from __future__ import annotations

import contextlib
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from timing import Row

import tensordraft as td
from tensordraft.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SIZES = (1_000, 10_000, 100_000)
_PER_NODE = 25e-6
_CONSTANT_BYTES = 1 << 30

# Peak memory of a process that loads a file, as reported by Linux.
_PEAK = """
import sys, tensordraft as td
td.load_graph(sys.argv[1])
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def rows() -> Iterator[Row]:
    """Loading a node, at several sizes of graph; showing, checking, saving; one huge constant."""
    with tempfile.TemporaryDirectory() as folder:
        costs = []
        for size in _SIZES:
            path = td.save_graph(_chain(size), os.path.join(folder, f"{size}.pb"))
            cost = _median(lambda path=path: td.load_graph(path)) / size  # type: ignore[misc]
            yield Row(f"load, a node of {size:,} / 25 us", cost, _PER_NODE, 1.0)
            costs.append(cost)
        yield Row("load, a node of 100,000 / of 1,000", costs[-1], costs[0], 1.3)
        yield Row("show 100,000 nodes / 8 s", _median(lambda: _shown(path), 3), 8.0, 1.0)
        graph = td.load_graph(os.path.join(folder, "10000.pb"))
        check = _median(lambda: td.check_graph(graph)) / _SIZES[1]
        yield Row("check, a node of 10,000 / 60 us", check, 60e-6, 1.0)
        save = _median(lambda: td.save_graph(graph, os.path.join(folder, "copy.pb"))) / _SIZES[1]
        yield Row("save, a node of 10,000 / 25 us", save, _PER_NODE, 1.0)
        yield from _huge_constant(os.path.join(folder, "huge.pb"))


def _chain(size: int) -> td.GraphDef:
    """Additions, multiplications and constants, each behind the one before, in scopes."""
    graph_def = td.GraphDef()
    node = graph_def.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = td.float32.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(td.TensorShape([None, 4]).as_proto())
    previous = constant = "x"
    for number in range(size - 1):
        node = graph_def.node.add(name=f"layer_{number // 9}/node_{number}")
        if number % 3 == 0:
            node.op = "Const"
            node.attr["dtype"].type = td.float32.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(td.make_tensor_proto([1.0, 2.0, 3.0, 4.0]))
            constant = node.name
            continue
        node.op = "AddV2" if number % 3 == 1 else "Mul"
        node.attr["T"].type = td.float32.as_datatype_enum
        node.input.extend([previous, constant])
        previous = node.name
    return graph_def


def _shown(path: str) -> None:
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        main(["show", path])


def _huge_constant(path: str) -> Iterator[Row]:
    """Time, against reading the bytes of the file; memory, against their number."""
    graph_def = td.GraphDef()
    node = graph_def.node.add(name="huge", op="Const")
    node.attr["dtype"].type = td.float32.as_datatype_enum
    tensor = node.attr["value"].tensor
    tensor.dtype = td.float32.as_datatype_enum
    tensor.tensor_shape.dim.add(size=_CONSTANT_BYTES // 4)
    tensor.tensor_content = bytes(_CONSTANT_BYTES)
    td.save_graph(graph_def, path)
    del graph_def, node, tensor

    def load() -> None:
        td.load_graph(path)

    def read() -> None:
        with open(path, "rb") as file:
            file.read()

    yield Row("load a constant of 1 GiB / read its file", _median(load, 3), _median(read, 3), 1.5)
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, path], capture_output=True, text=True, check=True
    )
    size = os.path.getsize(path)
    yield Row("the memory for that / the file's size", int(done.stdout) * 1024, size, 1.1, "B")


def _median(action: Callable[[], object], rounds: int = 5) -> float:
    seconds = []
    for _ in range(rounds):
        gc.collect()  # what the round before has left is not this round's
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)
