"""Staging areas by keys: whole and in parts, in order, within their limits, and who waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import covers
from waiters import Background

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
for _prefix in ("Map", "OrderedMap"):
    for _op in ("Stage", "Peek", "Unstage", "UnstageNoKey", "Size", "IncompleteSize", "Clear"):
        covers(_prefix + _op)

Area = td.contrib.staging.MapStagingArea
SOON = td.RunOptions(timeout_in_ms=10)


@pytest.mark.parametrize("ordered", [False, True])
def test_by_key_and_without(session: td.Session, ordered: bool) -> None:
    area = Area([td.int32, td.string], shapes=[[], [1]], ordered=ordered)
    key = td.placeholder(td.int64, [])
    put = area.put(key, [td.cast(key, td.int32), ["a"]], indices=[0, 1])
    for number in (5, 2, 9):
        session.run(put, {key: number})
    assert session.run([area.size(), area.incomplete_size()]) == [3, 0]
    assert session.run(area.peek(9))[0] == 9
    found, (number, text) = area.get()
    assert (number.shape.as_list(), text.shape.as_list()) == ([], [1])
    assert session.run([found, number]) == ([2, 2] if ordered else [5, 5])
    assert session.run(area.get(9)[1])[1].tolist() == [b"a"]
    session.run(area.clear())
    assert session.run(area.size()) == 0


def test_parts_come_and_leave_one_by_one(session: td.Session) -> None:
    area = Area([td.int32] * 3, names=["a", "b", "c"])
    session.run(area.put(1, {"b": 20}))
    assert session.run([area.size(), area.incomplete_size()]) == [0, 1]
    with pytest.raises(td.errors.InvalidArgumentError, match="was already initialized"):
        session.run(area.put(1, {"b": 20}))
    session.run(area.put(1, {"c": 30, "a": 10}))
    assert session.run([area.size(), area.incomplete_size()]) == [1, 0]
    with pytest.raises(td.errors.InvalidArgumentError, match="is in the staging area already"):
        session.run(area.put(1, {"b": 20}))
    assert session.run(area.get(1, ["c", "a"])[1]) == {"c": 30, "a": 10}
    with pytest.raises(td.errors.InvalidArgumentError, match="has already been removed"):
        session.run(area.peek(1))
    assert session.run(area.get(indices=[1])) == (1, {"b": 20})
    assert session.run(area.size()) == 0


def test_who_waits_waits_for_a_key(session: td.Session, arrived: Callable[[], None]) -> None:
    area = Area([td.int32])
    first = Background(session.run, area.get(1)[1])
    arrived()
    second = Background(session.run, area.get(2)[1])
    arrived()
    session.run(area.put(2, [22], [0]))
    assert second.result() == [22]  # though the other came before
    session.run(area.put(1, 11))
    assert first.result() == [11]
    with pytest.raises(td.errors.DeadlineExceededError):
        session.run(area.get(3), options=SOON)
    out, put = area.get(4)[1], area.put(4, [44], [0])
    assert session.run([out, put])[0] == [44]


def test_limits(session: td.Session, arrived: Callable[[], None]) -> None:
    area = Area([td.float32, td.float32], capacity=1, memory_limit=16)
    session.run(area.put(1, [1.0, 2.0], [0, 1]))
    session.run(area.put(2, [1.0], [0]))  # what is not whole takes no place
    waiting = Background(session.run, area.put(2, [2.0], [1]))
    arrived()
    session.run(area.get(1))
    waiting.result()
    assert session.run(area.get(2)[1]) == [1.0, 2.0]
    with pytest.raises(td.errors.ResourceExhaustedError, match="'20' bytes"):
        session.run(area.put(3, [td.zeros([5])], [0]))


def test_what_does_not_fit(session: td.Session) -> None:
    area = Area([td.int32, td.int32], shapes=[[], []])
    named = Area([td.int32], names=["a"])
    bad: list[tuple[Callable[[], Any], str]] = [
        (lambda: area.put(1, {"a": 1}), "a list of tensors"),
        (lambda: named.put(1, [1]), "a dict"),
        (lambda: named.put(1, {"b": 1}), r"or of \['a'\], got 'b'"),
        (lambda: area.put(1, [1]), "which 1 components"),
        (lambda: area.put(1, [1], [2]), r"in \[0, 2\), got 2"),
        (lambda: area.put(1, [[1]], [0]), "not compatible|incompatible"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()
    raw = td.raw_ops.MapUnstage(
        key=td.constant(1, td.int64),
        indices=td.placeholder_with_default([0, 0], None),
        dtypes=[td.int32, td.int32],
        shared_name=area.name,
    )
    session.run(area.put(1, [1, 2], [0, 1]))
    with pytest.raises(td.errors.InvalidArgumentError, match="must differ"):
        session.run(raw)
    wrong = td.raw_ops.MapPeek(
        key=td.constant(1, td.int64), indices=[1], dtypes=[td.float32], shared_name=area.name
    )
    with pytest.raises(td.errors.InvalidArgumentError, match="got int32"):
        session.run(wrong)
