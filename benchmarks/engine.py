"""Overhead of building and running graphs."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from libraries import callables
from timing import Row, compare

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDS = 1000


def rows() -> Iterator[Row]:
    """Import, building, and small runs."""
    yield _import_time()
    yield _building()
    yield from _many_adds()
    yield from _one_add()
    yield from _chain()
    yield _two_branches()


def _import_time() -> Row:
    """The whole process, with and without us; the medians of alternating starts."""
    times: dict[str, list[float]] = {"tensordraft": [], "numpy": []}
    for _ in range(15):
        for module, seconds in times.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
            seconds.append(time.perf_counter() - start)
    ours, theirs = [statistics.median(seconds) for seconds in times.values()]
    return Row("import tensordraft / import numpy", ours, theirs, 1.6)


def _building() -> Row:
    """Against 30 us an op."""
    seconds = []
    for _ in range(7):
        with td.Graph().as_default():
            x = y = td.placeholder(td.float32, [4, 4])
            start = time.perf_counter()
            for _ in range(_ADDS):
                y = y + x
            seconds.append((time.perf_counter() - start) / _ADDS)
    return Row("build an op / 30 us", statistics.median(seconds), 30e-6, 1.0)


def _many_adds() -> Iterator[Row]:
    value = np.ones((4, 4), np.float32)
    graph = td.Graph()
    with graph.as_default():
        x = y = td.placeholder(td.float32, [4, 4])
        for _ in range(_ADDS):
            y = y + x

    def loop() -> np.ndarray:
        result = value
        for _ in range(_ADDS):
            result = result + value
        return result

    def first() -> np.ndarray:
        with td.Session(graph=graph) as fresh:
            result: np.ndarray = fresh.run(y, {x: value})
            return result

    name = f"{_ADDS} small adds"
    yield Row(f"{name}, first run / 25 ms", compare("", first, loop).ours, 25e-3, 1.0)
    with td.Session(graph=graph) as session:
        run = session.make_callable(y, [x])
        [plan] = session._calls.plans
        steps = plan._flat
        yield compare(f"{name}, not hot yet / NumPy loop", lambda: steps.run([value]), loop, 1.6)
        for _ in range(5):
            run(value)
        tensorflow = callables(_added_up, [value])[1]
        yield compare(f"{name}, hot / NumPy loop", lambda: run(value), loop, 1.0, tensorflow)


def _added_up(library: Any, x: Any) -> Any:
    y = x
    for _ in range(_ADDS):
        y = y + x
    return y


def _one_add() -> Iterator[Row]:
    """Against 3 us for a callable, 7 us for a run with a feed dict."""
    value = np.ones((4, 4), np.float32)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [4, 4])
        y = x + x
        call, tensorflow = callables(lambda library, x: x + x, [value])
        for _ in range(5):
            session.run(y, {x: value})
        by_call = compare("", call, lambda: value + value, tensorflow=tensorflow)
        by_run = compare("", lambda: session.run(y, {x: value}), lambda: value + value)
        beside = by_call.tensorflow
        yield Row("one small add by make_callable / 3 us", by_call.ours, 3e-6, 1.0, "s", beside)
        yield Row("one small add by session.run / 7 us", by_run.ours, 7e-6, 1.0)


def _chain() -> Iterator[Row]:
    """Seven elementwise ops in a row, fused once they are hot."""
    for size, threads in ((1 << 20, 1), (1 << 20, 2), (1 << 24, 1), (1 << 24, 2)):
        yield _chain_of(size, threads)


def _chain_of(size: int, threads: int) -> Row:
    value = np.random.default_rng(0).random(size, np.float32)
    two, one = np.float32(2), np.float32(1)
    ours, tensorflow = callables(
        lambda library, a: a + a * a - a + a * 2.0 - a + 1.0,
        [value],
        [[None]],
        intra_op_parallelism_threads=threads,
    )
    return compare(
        f"a + a*a - a + a*2 - a + 1, {size >> 20}M, {threads} threads",
        ours,
        lambda: value + value * value - value + value * two - value + one,
        0.45 if threads == 1 else 0.3,
        tensorflow,
    )


def _two_branches() -> Row:
    """Two independent heavy branches, with two threads against one."""
    value = np.random.default_rng(0).random(1 << 21)

    def branches(library: Any, x: Any) -> Any:
        sums = [library.cumsum(function(x)) for function in (library.sin, library.cos)]
        return library.reduce_sum(sums[0]) + library.reduce_sum(sums[1])

    two, tensorflow = callables(branches, [value], inter_op_parallelism_threads=2)
    one, _ = callables(branches, [value], inter_op_parallelism_threads=1)
    return compare("two heavy branches, two threads / one", two, one, 0.65, tensorflow)
