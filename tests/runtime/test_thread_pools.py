"""Pools of threads: begun at need, ended with their owner, and begun again in a forked child."""

from __future__ import annotations

import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from harness import RUNS_OF_BOTH_TIERS, tiny_blocks
from waiters import LIMIT

import tensordraft as td
from tensordraft.runtime.thread_pools import Pool
from tensordraft.session import parallel


@pytest.fixture(autouse=True)
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[td.Graph]:
    monkeypatch.setattr(parallel, "_HEAVY_SECONDS", 0.0)
    with td.Graph().as_default() as graph:
        yield graph


def names_of_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_threads_begin_with_the_first_work_and_end_with_the_pool() -> None:
    pool = Pool(2, "ends")
    assert not any("ends" in name for name in names_of_threads())
    worker = pool.submit(threading.current_thread).result()
    assert worker.name.startswith("tensordraft-ends")
    pool.close()
    worker.join(30)
    assert not worker.is_alive()


@pytest.mark.parametrize("threads", [0, 2])
def test_a_pool_without_threads_works_in_the_thread_that_asks(threads: int) -> None:
    pool = Pool(threads, "none")
    pool.close()
    assert pool.submit(threading.current_thread).result() is threading.current_thread()
    assert isinstance(pool.submit(divmod, 1, 0).exception(), ZeroDivisionError)


def test_what_was_shared_is_not_kept_by_a_thread_that_came_too_late() -> None:
    pool, busy = Pool(1, "late"), threading.Event()
    pool.submit(busy.wait, LIMIT)
    done: list[int] = []

    def work(parts: Iterator[int]) -> None:
        done.extend(parts)

    kept = weakref.ref(work)
    pool.share(work, range(3))
    del work
    assert done == [0, 1, 2]
    assert kept() is None
    busy.set()
    pool.close()


def in_child(function: Callable[[], None]) -> int:
    """The exit code of a forked child that calls `function`; it is killed if it hangs."""
    child = os.fork()
    if not child:
        signal.alarm(60)
        try:
            function()
        except BaseException:  # noqa: BLE001 - reported by the exit code
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize(
    "threads", [{"inter_op_parallelism_threads": 4}, {"intra_op_parallelism_threads": 3}]
)
def test_a_session_goes_on_in_a_forked_child(threads: dict[str, int]) -> None:
    x = td.placeholder(td.float64, [None])
    y = td.cumsum(td.sin(x) * 2.0) + td.cumsum(td.cos(x) * 2.0)
    values = np.linspace(0, 1, 1000)
    with tiny_blocks(), td.Session(config=td.ConfigProto(**threads)) as session:
        expected = [session.run(y, {x: values}) for _ in range(RUNS_OF_BOTH_TIERS)][-1]

        def run() -> None:
            np.testing.assert_array_equal(session.run(y, {x: values}), expected)

        assert in_child(run) == 0
        run()


@pytest.mark.parametrize("kind", ["inter_op", "intra_op"])
def test_threads_end_with_their_session(kind: str) -> None:
    x = td.placeholder(td.float64, [None])
    y = td.cumsum(td.sin(x) * 2.0) + td.cumsum(td.cos(x) * 2.0)
    before = set(threading.enumerate())
    config = td.ConfigProto(**{f"{kind}_parallelism_threads": 3})
    with tiny_blocks(), td.Session(config=config) as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(y, {x: np.linspace(0, 1, 1000)})
        mine = {thread for thread in threading.enumerate() if thread not in before}
        assert mine
    for thread in mine:
        thread.join(30)
        assert not thread.is_alive()


def test_a_light_step_that_fails_waits_for_the_heavy_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = threading.Event()
    ended = threading.Event()

    def heavy(x: Any) -> Any:
        if hot and threading.current_thread() is not main:
            failed.wait(30)
            ended.set()
        return x

    def light(x: Any) -> Any:
        if hot:
            failed.set()
            raise ValueError("too light")
        return x

    main = threading.current_thread()
    hot = False
    x = td.placeholder(td.float64, [])
    ops = [
        td.py_func(function, [x], td.float64, stateful=False) for function in (heavy, heavy, light)
    ]
    made = parallel.ParallelRun

    def only_the_first_two_are_heavy(plan: Any, heavy: set[int], pool: Pool) -> Any:
        return made(plan, {0, 1}, pool)

    monkeypatch.setattr(parallel, "ParallelRun", only_the_first_two_are_heavy)
    config = td.ConfigProto(inter_op_parallelism_threads=2)
    with td.Session(config=config) as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(ops, {x: 1.0})
        hot = True
        ended.clear()
        with pytest.raises(td.errors.InvalidArgumentError, match="too light"):
            session.run(ops, {x: 1.0})
        assert ended.is_set()
