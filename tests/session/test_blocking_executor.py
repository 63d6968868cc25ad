"""Runs in which a step waits for what a later step of that run does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest
from waiters import Background, only_waiting_takes_time

import tensordraft as td
from tensordraft.session.blocking_executor import WaitingProgram

pytestmark = pytest.mark.usefixtures("session")
INT = td.int32
SOON = td.RunOptions(timeout_in_ms=10)


def ints(capacity: int = 10) -> td.FIFOQueue:
    return td.FIFOQueue(capacity, INT, shapes=[[]])


def test_a_run_gives_itself_what_it_waits_for(session: td.Session) -> None:
    queue = ints()
    out, put = queue.dequeue(), queue.enqueue(7)
    for _ in range(5):  # past the runs after which plans are compiled
        assert session.run([out, put]) == [7, None]
    assert session.run(queue.size()) == 0


def test_what_waits_may_be_behind_what_waits(session: td.Session) -> None:
    first, second = ints(), ints()
    last, middle = second.dequeue(), first.dequeue()
    puts = [second.enqueue(middle + 1), first.enqueue(3)]
    assert session.run([last, middle, *puts]) == [4, 3, None, None]


def test_many_go_through_little_room(session: td.Session) -> None:
    queue = ints(1)
    put, outs = queue.enqueue_many([[1, 2, 3]]), [queue.dequeue() for _ in range(3)]
    assert sorted(session.run([put, *outs])[1:]) == [1, 2, 3]


def test_control_inputs_are_kept(session: td.Session) -> None:
    queue = ints()
    step = td.Variable(0, name="step")
    session.run(step.initializer)
    out = queue.dequeue()
    with td.control_dependencies([out]):
        after = td.group(step.assign_add(1))
    put = queue.enqueue(step.read_value())
    for i in range(3):
        # What is put in was read before the step was counted: that waits for what is taken out.
        assert session.run([after, put, out])[2] == i


def test_what_waits_may_be_inside_a_body(session: td.Session) -> None:
    queue, fed = ints(), td.placeholder(td.bool, [])
    out = td.cond(fed, lambda: td.cond(fed, queue.dequeue, lambda: 1), lambda: 2)
    put = queue.enqueue(7)
    soon = td.RunOptions(timeout_in_ms=60_000)
    for _ in range(5):  # past the runs after which plans are compiled
        assert session.run([out, put], {fed: True}, options=soon) == [7, None]
    assert session.run([out, put], {fed: False}) == [2, None]


def test_loops_and_functions_of_the_program_go_on_meanwhile(session: td.Session) -> None:
    queue = ints()
    out = queue.dequeue()
    total = td.while_loop(lambda i: i < 100, lambda i: [i + 1], [0])
    put = queue.enqueue(td.py_func(lambda n: n + 1, [total], INT, stateful=True))
    assert session.run([out, put])[0] == 101
    assert session.run([out, put], options=td.RunOptions(timeout_in_ms=60_000))[0] == 101


def test_an_error_meanwhile_ends_the_run(session: td.Session) -> None:
    queue, fed = ints(), td.placeholder(td.bool, [])
    out, check = queue.dequeue(), td.Assert(fed, ["wrong"])
    with pytest.raises(td.errors.InvalidArgumentError, match="wrong"):
        session.run([out, check], {fed: False})
    session.run(queue.enqueue(1))
    assert session.run(out) == 1  # the one that had waited is gone


def test_time_limits_and_closing_end_it(
    session: td.Session, arrived: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    only_waiting_takes_time(monkeypatch)
    queue, other = ints(), ints()
    out, put = queue.dequeue(), other.enqueue(1)
    with pytest.raises(td.errors.DeadlineExceededError):
        session.run([out, put], options=SOON)
    arrived()
    with td.Session() as second:
        waiting = Background(second.run, [out, put])
        arrived()
    with pytest.raises(td.errors.CancelledError):
        waiting.result()


def test_an_interrupt_ends_it(session: td.Session) -> None:
    queue, other = ints(), ints()
    ended = threading.Event()

    def interrupt() -> Any:
        def insist() -> None:  # a signal just before a thread goes to sleep does not wake it
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            while not ended.wait(2.0):
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        threading.Thread(target=insist, daemon=True).start()
        return 0

    out, put = queue.dequeue(), td.py_func(interrupt, [], td.int64)
    try:
        session.run([out, other.dequeue(), put])
    except KeyboardInterrupt:
        ended.set()
    assert ended.is_set()
    assert not [thread for thread in threading.enumerate() if "beside" in thread.name]


def test_only_such_plans_are_run_so(session: td.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError("an ordinary plan")

    queue = ints()
    variable = td.Variable(0)
    session.run([variable.initializer, queue.enqueue_many([range(9)])])
    monkeypatch.setattr(WaitingProgram, "run", refused)
    update = variable.assign_add(queue.dequeue())
    for i in range(5):
        assert session.run(update) == sum(range(i + 1))
    with pytest.raises(AssertionError, match="ordinary"):
        session.run([queue.dequeue(), queue.enqueue(1)])
