"""Memory of runs: counted, not timed."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

_ELEMENTS = 1 << 20
_HOT = 8


def _peak(call: Callable[[], Any]) -> int:
    """The most memory that is alive at once during a call, its result included."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = call()
        peak = tracemalloc.get_traced_memory()[1] - before
        del result
    finally:
        tracemalloc.stop()
    return peak


def test_a_chain_needs_its_result_alone() -> None:
    """40 ops in a row work in one array: that of the result."""
    value = np.ones(_ELEMENTS, np.float32)
    with td.Graph().as_default(), td.Session() as session:
        x = y = td.placeholder(td.float32, [None])
        for _ in range(40):
            y = td.exp(-y) if y is not x else -y
        call = session.make_callable(y, [x])
        for _ in range(_HOT):
            call(value)
        assert _peak(lambda: call(value)) <= 1.1 * value.nbytes


def _network() -> tuple[td.Tensor, td.Tensor]:
    random = np.random.default_rng(0)
    images = y = td.placeholder(td.float32, [None, 8, 8, 8])
    for _ in range(3):
        filters = td.constant(random.standard_normal((3, 3, 8, 8), np.float32) / 8)
        factor, offset = (td.constant(random.random(8, np.float32)) for _ in range(2))
        y = td.nn.relu(td.nn.conv2d(y, filters, [1, 1, 1, 1], "SAME") * factor + offset)
    return images, td.reduce_mean(y, [1, 2])


def _serve(session: td.Session, runs: int, threads: int) -> list[int]:
    """Runs batches of all sizes in threads; how much memory is held after each half."""
    images, result = session.graph.get_tensor_by_name("Placeholder:0"), "result:0"
    errors: list[BaseException] = []
    held = []

    def worker(seed: int) -> None:
        random = np.random.default_rng(seed)
        try:
            for _ in range(runs):
                batch = np.ones((int(random.integers(0, 17)), 8, 8, 8), np.float32)
                rows = session.run(result, {images: batch})
                assert rows.shape == (len(batch), 8)
                np.testing.assert_allclose(rows, np.repeat(rows[:1], len(rows), 0), 1e-5)
        except BaseException as error:  # noqa: BLE001 - reported by the main thread
            errors.append(error)

    for _ in range(2):
        workers = [threading.Thread(target=worker, args=(i,)) for i in range(threads)]
        for thread in workers:
            thread.start()
        for thread in workers:
            thread.join()
        held.append(tracemalloc.get_traced_memory()[0])
    if errors:
        raise errors[0]
    return held


@pytest.mark.parametrize(
    ("runs", "threads"), [(5, 4), pytest.param(1_000, 32, marks=pytest.mark.soak)]
)
def test_serving_batches_of_all_sizes(runs: int, threads: int) -> None:
    """Threads that share a session, with batches that change, share one plan and keep no more."""
    with td.Graph().as_default(), td.Session() as session:
        images, y = _network()
        td.identity(y, "result")
        for size in (16, *range(17), *[16] * _HOT):
            session.run("result:0", {images: np.ones((size, 8, 8, 8), np.float32)})
        plans = len(session._calls.plans)
        tracemalloc.start()
        try:
            first, second = _serve(session, runs, threads)
        finally:
            tracemalloc.stop()
        assert second < first + (1 << 20)
        assert len(session._calls.plans) == plans


def test_a_network_that_runs_again_allocates_little_but_its_result() -> None:
    """Work memory of a hot plan is kept: little is allocated in a run, nothing between runs."""
    random = np.random.default_rng(0)
    with td.Graph().as_default(), td.Session() as session:
        x = y = td.placeholder(td.float32, [1024, 512])
        for _ in range(4):
            weights = td.constant(random.standard_normal((512, 512), np.float32) / 16)
            y = td.nn.relu(td.matmul(y, weights) + td.constant(random.random(512, np.float32)))
        call = session.make_callable(y, [x])
        value = random.random((1024, 512), np.float32)
        for _ in range(_HOT):
            call(value)
        result = call(value)
        # The activations of one layer, beside those of the next, and blocks that threads keep.
        assert _peak(lambda: call(value)) <= 2.4 * result.nbytes
        tracemalloc.start()
        try:
            call(value)
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(20):
                call(value)
            assert tracemalloc.get_traced_memory()[0] - before < result.nbytes // 2
        finally:
            tracemalloc.stop()


def test_folded_weights_stand_in_place_of_those_they_were_made_of() -> None:
    """A plan that multiplies constants into its filters does not keep what it read them from."""
    filters = np.random.default_rng(0).standard_normal((3, 3, 64, 128), np.float32)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        with td.Graph().as_default(), td.Session() as session:
            images = td.placeholder(td.float32, [1, 4, 4, 64])
            scaled = td.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME") * np.full(128, 0.5)
            call = session.make_callable(td.nn.relu(scaled), [images])
            for _ in range(_HOT):
                call(np.ones((1, 4, 4, 64), np.float32))
            held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # The graph's own constant, and the filters of the plan.
    assert held < 2.5 * filters.nbytes
