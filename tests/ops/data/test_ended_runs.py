"""Runs over datasets that give nothing for long: time limits end them, and closing the session."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import effort
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


def _barren() -> Dataset:
    return _numbers().filter(_never)


_E = td.data.experimental
MORE: dict[str, Callable[[], Dataset]] = {
    "cache": lambda: _barren().cache(),
    "padded_batch": lambda: _barren().padded_batch(2, []),
    "large padded batches": lambda: _numbers().padded_batch(10**9, []),
    "take": lambda: _barren().take(3),
    "repeat": lambda: _barren().repeat(),
    "take_while": lambda: _barren().apply(_E.take_while(lambda x: x >= 0)),
    "scan": lambda: _barren().apply(_E.scan(np.int64(0), lambda s, x: (s + x, s))),
    "map_and_batch": lambda: _barren().apply(_E.map_and_batch(lambda x: x + 1, 2)),
    "sample_from_datasets": lambda: _E.sample_from_datasets([_barren(), _barren()]),
    "choose_from_datasets": lambda: _E.choose_from_datasets(
        [_barren(), _numbers()], td.data.Dataset.from_tensors(np.int64(0)).repeat()
    ),
    "dense_to_sparse_batch": lambda: (
        _barren().map(lambda x: td.fill([3], x)).apply(_E.dense_to_sparse_batch(2, [4]))
    ),
    "bucket_by_sequence_length": lambda: (
        _numbers()
        .map(lambda x: td.fill([2], x))
        .apply(_E.bucket_by_sequence_length(lambda x: td.shape(x)[0], [5], [10**9, 10**9]))
    ),
    "parallel_interleave": lambda: _numbers().apply(_E.parallel_interleave(_empty, 2)),
    "interleave by threads": lambda: _numbers().interleave(_empty, 2, num_parallel_calls=2),
    "enumerate_dataset": lambda: _barren().apply(_E.enumerate_dataset()),
    "shuffle_and_repeat": lambda: _barren().apply(_E.shuffle_and_repeat(10)),
    "large shuffles": lambda: _numbers().shuffle(10**9),
    "from_generator": lambda: td.data.Dataset.from_generator(lambda: iter(int, 1), td.int64).filter(
        lambda x: x > 1
    ),
    "prefetch twice": lambda: (
        _barren().prefetch(2).map(lambda x: x, num_parallel_calls=2).prefetch(2)
    ),
    "skip much": lambda: _numbers().skip(10**14).take(2),
    "Counter": lambda: _E.Counter().filter(_never),
    "RandomDataset": lambda: _E.RandomDataset(1).filter(_never),
    "py_func": lambda: (
        _numbers().map(lambda x: td.py_func(lambda v: v, [x], td.int64)).filter(_never)
    ),
    "a loop without end": lambda: _numbers().map(
        lambda x: td.while_loop(lambda i: i >= 0, lambda i: i * 1, [x])
    ),
    "cache of shuffle": lambda: _barren().shuffle(3).cache().repeat(2),
    "barren parts": lambda: _numbers().flat_map(lambda x: td.data.Dataset.range(x).filter(_never)),
    "batches of empty parts": lambda: _numbers().flat_map(_empty).batch(2),
    "unbatch of empty ones": lambda: _numbers().map(lambda _: td.zeros([0])).apply(_E.unbatch()),
    "windows of many keys": lambda: _numbers().apply(
        _E.group_by_window(lambda x: x, lambda _, window: window.batch(2), window_size=2)
    ),
}
CASES = [*BARREN, "reduce", "while_loop", *effort.sample(MORE, 5)]


def _fetched(what: str) -> Any:
    if what == "reduce":
        return _numbers().reduce(np.int64(0), lambda s, x: s + x)
    if what == "while_loop":
        return td.while_loop(lambda i: i >= 0, lambda i: i * 1, [td.constant(1)])
    return (BARREN | MORE)[what]().make_one_shot_iterator().get_next()


@pytest.mark.parametrize("what", CASES)
def test_a_time_limit_ends_the_run(what: str) -> None:
    with td.Graph().as_default():
        fetched = _fetched(what)
        with td.Session() as session:
            for _ in range(2):
                with pytest.raises(td.errors.DeadlineExceededError):
                    session.run(fetched, options=td.RunOptions(timeout_in_ms=30))


@pytest.mark.parametrize("what", CASES)
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
