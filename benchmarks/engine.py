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
    yield _one_add()


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


def _one_add() -> Row:
    value = np.ones((4, 4), np.float32)
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [4, 4])
        y = x + x
        session.run(y, {x: value})
        return compare(
            "session.run of one small add / np.add",
            lambda: session.run(y, {x: value}),
            lambda: value + value,
        )
