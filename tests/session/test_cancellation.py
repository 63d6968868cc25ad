"""Runs that end when an event is set."""

from __future__ import annotations

import threading

import pytest

import tensordraft as td


@pytest.mark.parametrize("loop", [True, False])
def test_an_event_that_is_set_ends_a_run(loop: bool) -> None:
    event = threading.Event()
    options = td.RunOptions(cancellation=event)
    with td.Graph().as_default(), td.Session() as session:
        n = td.placeholder(td.int32, [], name="n")
        if loop:
            result = td.while_loop(lambda i: i < n, lambda i: i + 1, [td.constant(0)])
        else:
            result = td.add(n, 1) * 2
        wanted = 7 if loop else 16
        for _ in range(5):  # also when the plan is hot
            assert session.run(result, {n: 7}, options=options) == wanted
        event.set()
        with pytest.raises(td.errors.CancelledError, match="cancelled"):
            session.run(result, {n: 2**31 - 1 if loop else 7}, options=options)
        assert session.run(result, {n: 7}) == wanted


def test_an_event_that_is_set_meanwhile_ends_a_run() -> None:
    event = threading.Event()
    with td.Graph().as_default(), td.Session() as session:
        n = td.placeholder(td.int32, [], name="n")
        count = td.while_loop(lambda i: i < n, lambda i: i + 1, [td.constant(0)])
        timer = threading.Timer(0.01, event.set)
        timer.start()
        with pytest.raises(td.errors.CancelledError):
            session.run(count, {n: 2**31 - 1}, options=td.RunOptions(cancellation=event))
        timer.join()
