"""What building and running cost beside the work itself."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
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
            return fresh.run(y, {x: value})  # type: ignore[no-any-return]

    yield compare(f"first run of {_ADDS} small adds / NumPy loop", first, loop)
    with td.Session(graph=graph) as session:
        hot = session.make_callable(y, [x])
        for _ in range(5):
            hot(value)
        yield compare(f"{_ADDS} small adds, hot / NumPy loop", lambda: hot(value), loop, 1.0)


def _one_add() -> Iterator[Row]:
    """Against 3 us for a callable, 7 us for a run with a feed dict."""
    value = np.ones((4, 4), np.float32)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [4, 4])
        y = x + x
        call = session.make_callable(y, [x])
        for _ in range(5):
            session.run(y, {x: value})
            call(value)
        by_call = compare("", lambda: call(value), lambda: value + value)
        by_run = compare("", lambda: session.run(y, {x: value}), lambda: value + value)
        yield Row("one small add by make_callable / 3 us", by_call.ours, 3e-6, 1.0)
        yield Row("one small add by session.run / 7 us", by_run.ours, 7e-6, 1.0)


def _chain() -> Iterator[Row]:
    """Seven elementwise ops in a row, fused once they are hot."""
    for size, threads in ((1 << 20, 1), (1 << 20, 2), (1 << 24, 1), (1 << 24, 2)):
        yield _chain_of(size, threads)


def _chain_of(size: int, threads: int) -> Row:
    value = np.random.default_rng(0).random(size, np.float32)
    config = td.ConfigProto(intra_op_parallelism_threads=threads)
    two, one = np.float32(2), np.float32(1)
    with td.Graph().as_default(), td.Session(config=config) as session:
        a = td.placeholder(td.float32, [None])
        call = session.make_callable(a + a * a - a + a * 2.0 - a + 1.0, [a])
        for _ in range(5):
            call(value)
        return compare(
            f"a + a*a - a + a*2 - a + 1, {size >> 20}M, {threads} threads",
            lambda: call(value),
            lambda: value + value * value - value + value * two - value + one,
            0.45 if threads == 1 else 0.3,
        )


def _two_branches() -> Row:
    """Two independent heavy branches, with two threads against one."""
    value = np.random.default_rng(0).random(1 << 21)
    with td.Graph().as_default():
        x = td.placeholder(td.float64, [None])
        y = td.reduce_sum(td.cumsum(td.sin(x))) + td.reduce_sum(td.cumsum(td.cos(x)))
        calls = []
        for threads in (2, 1):
            session = td.Session(config=td.ConfigProto(inter_op_parallelism_threads=threads))
            calls.append(session.make_callable(y, [x]))
            for _ in range(5):
                calls[-1](value)
        two, one = calls
        return compare("two heavy branches, two threads / one", lambda: two(value),
                       lambda: one(value), 0.65)  # fmt: skip
