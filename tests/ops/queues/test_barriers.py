"""Barriers: components by keys, in order, closed, and who waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness import covers
from waiters import Background

import tensordraft as td

pytestmark = pytest.mark.usefixtures("session")
for _op in (
    "Barrier",
    "BarrierInsertMany",
    "BarrierTakeMany",
    "BarrierClose",
    "BarrierReadySize",
    "BarrierIncompleteSize",
):
    covers(_op)

Barrier = td.contrib.staging.Barrier
FIRST = -(2**63)


def two() -> td.contrib.staging.Barrier:
    return Barrier((td.float32, td.int32), shapes=((), (2,)), name="B")


def test_elements_leave_in_the_order_of_their_first_components(session: td.Session) -> None:
    barrier = two()
    assert barrier.name == "B"
    session.run(barrier.insert_many(0, ["k1", "k2"], [1.0, 2.0]))
    session.run(barrier.insert_many(1, ["k1"], [[1, 1]]))
    session.run(barrier.insert_many(0, ["k3"], [3.0]))
    session.run(barrier.insert_many(1, ["k3", "k2"], [[3, 3], [2, 2]]))
    assert session.run([barrier.ready_size(), barrier.incomplete_size()]) == [3, 0]
    taken = barrier.take_many(3)
    assert [item.shape.as_list() for item in (*taken[:2], *taken[2])] == [[3], [3], [3], [3, 2]]
    indices, keys, (floats, ints) = session.run(taken)
    assert indices.tolist() == [FIRST, FIRST, FIRST + 1]
    assert keys.tolist() == [b"k1", b"k2", b"k3"]
    assert (floats.tolist(), ints.tolist()) == ([1, 2, 3], [[1, 1], [2, 2], [3, 3]])
    assert session.run(barrier.take_many(0))[2][1].shape == (0, 2)


def test_who_takes_waits(session: td.Session, arrived: Callable[[], None]) -> None:
    barrier = Barrier(td.string, shapes=())
    waiting = Background(session.run, barrier.take_many(2))
    arrived()
    session.run(barrier.insert_many(0, ["a"], ["x"]))
    session.run(barrier.insert_many(0, ["b"], ["y"]))
    assert waiting.result()[2][0].tolist() == [b"x", b"y"]
    session.run(barrier.insert_many(0, ["c"], ["z"]))
    with pytest.raises(td.errors.DeadlineExceededError):
        session.run(barrier.take_many(2, timeout=5))
    assert session.run(barrier.take_many(1)[1]).tolist() == [b"c"]
    put, out = barrier.insert_many(0, ["d"], ["w"]), barrier.take_many(1)
    assert session.run([out[1], put])[0].tolist() == [b"d"]


def test_closed_barriers_take_what_completes(
    session: td.Session, arrived: Callable[[], None]
) -> None:
    barrier = two()
    session.run(barrier.insert_many(0, ["a", "b"], [1.0, 2.0]))
    session.run(barrier.close())
    with pytest.raises(td.errors.CancelledError, match="already closed"):
        session.run(barrier.close())
    with pytest.raises(td.errors.CancelledError, match="brand new key: c"):
        session.run(barrier.insert_many(0, ["c"], [1.0]))
    with pytest.raises(td.errors.OutOfRangeError, match="requested 3, total size 2"):
        session.run(barrier.take_many(3))
    waiting = Background(session.run, barrier.take_many(2)[1])
    arrived()
    session.run(barrier.insert_many(1, ["b", "a"], [[1, 1], [2, 2]]))
    assert waiting.result().tolist() == [b"b", b"a"]
    with pytest.raises(td.errors.CancelledError, match="is closed"):
        session.run(barrier.insert_many(1, ["a"], [[1, 1]]))


def test_cancelled_barriers_and_small_batches(session: td.Session) -> None:
    barrier = two()
    session.run(barrier.insert_many(0, ["a", "b"], [1.0, 2.0]))
    session.run(barrier.insert_many(1, ["b"], [[1, 1]]))
    session.run(barrier.close())
    session.run(barrier.close(cancel_pending_enqueues=True))
    assert session.run([barrier.ready_size(), barrier.incomplete_size()]) == [1, 0]
    with pytest.raises(td.errors.CancelledError):
        session.run(barrier.insert_many(1, ["a"], [[1, 1]]))
    small = barrier.take_many(9, allow_small_batch=True)
    assert session.run(small)[1].tolist() == [b"b"]
    with pytest.raises(td.errors.OutOfRangeError):
        session.run(small)


def test_shared_barriers_are_one(session: td.Session) -> None:
    first, second = (Barrier([td.int32], [[]], shared_name="one") for _ in range(2))
    session.run(first.insert_many(0, ["a"], [5]))
    assert session.run(second.take_many(1))[2][0].tolist() == [5]
    other = Barrier([td.float32], [[]], shared_name="one")
    with pytest.raises(td.errors.InvalidArgumentError, match="something else"):
        session.run(other.ready_size())


def test_what_does_not_fit(session: td.Session) -> None:
    barrier = two()
    values = td.placeholder_with_default([1.0], None)
    session.run(barrier.insert_many(0, ["a"], values))
    for component, keys, given, message in (
        (0, ["a"], [1.0], "already has a value for component 0"),
        (7, ["b"], [1.0], "out of range 7"),
        (0, ["b"], [1], "of dtype float32"),
        (1, ["b"], [[1, 2, 3]], r"Expected \[2\], got \[3\]"),
        (1, ["b"], td.zeros([1, 0], td.int32), "no elements"),
    ):
        with pytest.raises(td.errors.InvalidArgumentError, match=message):
            session.run(barrier.insert_many(component, keys, given))
    with pytest.raises(td.errors.InvalidArgumentError, match="row for each of the 2 keys"):
        session.run(barrier.insert_many(0, ["b", "c"], values))
    with pytest.raises(td.errors.InvalidArgumentError, match="at least 0"):
        session.run(barrier.take_many(-1))
    with pytest.raises(ValueError, match="Empty tensors"):
        Barrier([td.int32], shapes=[[0]])
    with pytest.raises(ValueError, match="as many as types"):
        Barrier([td.int32], shapes=[[], []])
