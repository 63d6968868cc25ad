"""Memory of training: one run's activations at a time, and no growth after many steps."""

from __future__ import annotations

import gc
import platform
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.runtime.kept_memory import keep_freed_memory

LAYERS, ROWS, SIZE = 8, 256, 16
ACTIVATION = ROWS * SIZE * 4


@pytest.fixture
def step() -> Iterator[Callable[[], Any]]:
    """A step of a chain of layers, each of which the gradient needs the result of."""
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [ROWS, SIZE])
        y = x
        for _ in range(LAYERS):
            y = td.tanh(td.matmul(y, td.Variable(np.eye(SIZE, dtype="f"))))
        weights = td.trainable_variables()
        loss = td.reduce_mean(td.square(y))
        slopes = td.gradients(loss, weights)
        train = td.group(*[w.assign_sub(g * 0.1).op for w, g in zip(weights, slopes, strict=True)])
        session.run(td.global_variables_initializer())
        feeds = {x: np.ones((ROWS, SIZE), "f")}
        yield lambda: session.run([train, loss], feeds)


@pytest.fixture
def traced() -> Iterator[None]:
    """Memory is watched; what is made before does not count."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


def run(step: Callable[[], Any], times: int) -> tuple[int, int]:
    """Growth of memory over some steps, and its peak."""
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    for _ in range(times):
        step()
    peak = tracemalloc.get_traced_memory()[1]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    return after - before, peak - before


def test_activations_of_one_run_are_alive_at_a_time(traced: None, step: Callable[[], Any]) -> None:
    run(step, 5)
    once, several = run(step, 1)[1], run(step, 4)[1]
    # Those of the layers, and what is under way.
    assert LAYERS * ACTIVATION < once < (LAYERS + 5) * ACTIVATION
    assert several < once + ACTIVATION


def test_steps_leave_nothing_behind(traced: None, step: Callable[[], Any]) -> None:
    run(step, 20)
    assert run(step, 1000)[0] < ACTIVATION


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another library allocates otherwise")
def test_what_is_freed_is_not_asked_of_the_system_again() -> None:
    import resource

    keep_freed_memory()
    pages = 1 << 9
    faults = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(20):
            np.ones(pages << 12, np.uint8)
        faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    assert min(faults) < pages
