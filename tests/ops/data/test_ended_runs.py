"""Runs over datasets that give nothing for long: time limits end them, and closing the session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensordraft as td

Dataset = Any
_FOREVER = 10**15


def _numbers() -> Dataset:
    return td.data.Dataset.range(_FOREVER)


def _never(x: Any) -> Any:
    return td.less(x, np.int64(0))


def _empty(_: Any) -> Dataset:
    return td.data.Dataset.range(0)


BARREN: dict[str, Callable[[], Dataset]] = {
    "filter": lambda: _numbers().filter(_never),
    "filter of repeated elements": lambda: (
        td.data.Dataset.from_tensors(1).repeat().filter(lambda x: td.less(x, 0))
    ),
    "skip": lambda: _numbers().skip(_FOREVER),
    "batch": lambda: _numbers().filter(lambda x: td.less(x, np.int64(3))).batch(4),
    "shuffle": lambda: _numbers().filter(_never).shuffle(10),
    "shard": lambda: _numbers().shard(_FOREVER, _FOREVER - 1),
    "flat_map": lambda: _numbers().flat_map(_empty),
    "interleave": lambda: _numbers().interleave(_empty, 2),
    "group_by_window": lambda: _numbers().apply(
        td.data.experimental.group_by_window(
            lambda x: x * np.int64(0), lambda _, window: window.batch(2), window_size=_FOREVER
        )
    ),
    "group_by_reducer": lambda: _numbers().apply(
        td.data.experimental.group_by_reducer(
            lambda x: np.int64(0) * x,
            td.data.experimental.Reducer(
                lambda _: np.int64(0), lambda s, x: s + x * np.int64(0), lambda s: s
            ),
        )
    ),
    "unbatch": lambda: _numbers().filter(_never).batch(2).apply(td.data.experimental.unbatch()),
    "window": lambda: _numbers().filter(_never).window(2).flat_map(lambda d: d.batch(2)),
    "ignore_errors": lambda: (
        _numbers()
        .map(lambda x: td.check_numerics(td.cast(x, td.float32) * np.nan, "no number"))
        .apply(td.data.experimental.ignore_errors())
    ),
    "prefetch": lambda: _numbers().filter(_never).prefetch(1),
    "map by threads": lambda: (
        _numbers().filter(_never).map(lambda x: x + np.int64(1), num_parallel_calls=2)
    ),
    "zip": lambda: td.data.Dataset.zip((_numbers(), _numbers().filter(_never))),
    "concatenate": lambda: _numbers().filter(_never).concatenate(_numbers()),
}


def _fetched(what: str) -> Any:
    if what == "reduce":
        return _numbers().reduce(np.int64(0), lambda s, x: s + x)
    if what == "while_loop":
        return td.while_loop(lambda i: i >= 0, lambda i: i * 1, [td.constant(1)])
    return BARREN[what]().make_one_shot_iterator().get_next()


@pytest.mark.parametrize("what", [*BARREN, "reduce", "while_loop"])
def test_a_time_limit_ends_the_run(what: str) -> None:
    with td.Graph().as_default():
        fetched = _fetched(what)
        with td.Session() as session:
            for _ in range(2):
                with pytest.raises(td.errors.DeadlineExceededError):
                    session.run(fetched, options=td.RunOptions(timeout_in_ms=30))


@pytest.mark.parametrize("what", [*BARREN, "reduce", "while_loop"])
def test_closing_the_session_ends_the_run(what: str) -> None:
    ended: list[BaseException] = []
    with td.Graph().as_default():
        begun = threading.Event()

        def start() -> np.int64:
            begun.set()
            return np.int64(0)

        started = td.py_func(start, [], td.int64)
        fetched = _fetched(what)  # behind it, as ops run in the order of their creation
        session = td.Session()

        def run() -> None:
            try:
                session.run([started, fetched])
            except Exception as error:  # noqa: BLE001
                ended.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        begun.wait()
        session.close()
        thread.join(30)
    assert not thread.is_alive()
    assert isinstance(ended[0], (td.errors.CancelledError, RuntimeError)), ended


def test_elements_stay_side_by_side_when_a_run_ends_between_them() -> None:
    ended = False
    with td.Graph().as_default(), td.Session() as session:
        first = td.data.Dataset.range(1)
        slow = _numbers().filter(lambda x: td.equal(x % np.int64(20_000), np.int64(0)))
        pairs = td.data.Dataset.zip((td.data.Dataset.range(6), first.concatenate(slow.skip(1))))
        following = pairs.make_one_shot_iterator().get_next()
        found: list[Any] = []
        while len(found) < 3:
            try:
                found.append(session.run(following, options=td.RunOptions(timeout_in_ms=20)))
            except td.errors.DeadlineExceededError:
                ended = True
    assert ended
    assert found == [(0, 0), (1, 20_000), (2, 40_000)]
