"""Monitored sessions, their hooks and coordinators: what happens when, and how it ends."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


class Noting(td.train.SessionRunHook):
    def __init__(self) -> None:
        self.calls: list[str] = []

    def begin(self) -> None:
        self.calls.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.calls.append("created")

    def before_run(self, run_context: Any) -> None:
        self.calls.append("before")

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.calls.append("after")

    def end(self, session: Any) -> None:
        self.calls.append("end")


def test_hooks_are_called_in_order() -> None:
    hook, one = Noting(), td.constant(1)
    with td.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(one) == 1
    assert hook.calls == ["begin", "created", "before", "after", "end"]
    assert session.should_stop()
    with pytest.raises(RuntimeError, match="after should_stop"):
        session.run(one)


def test_an_error_ends_the_session_without_the_end_of_hooks() -> None:
    hook, x = Noting(), td.placeholder(td.float32, [])
    check = td.check_numerics(x, "bad")
    with (
        pytest.raises(td.errors.InvalidArgumentError, match="bad"),
        td.train.MonitoredSession(hooks=[hook]) as session,
    ):
        session.run(check, {x: float("nan")})
    assert hook.calls == ["begin", "created", "before"]
    assert session.graph is None


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        with td.Graph().as_default():
            v, step = td.Variable(8.0), td.train.create_global_step()
            train = td.train.GradientDescentOptimizer(0.25).minimize(v * v, step)
            hook = td.train.StopAtStepHook(num_steps=2)
            with td.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), hooks=[hook], save_checkpoint_steps=1
            ) as session:
                while not session.should_stop():
                    session.run(train)
                raw = session._tf_sess()
                assert raw is not None
                found.append([float(item) for item in raw.run([v, step])])
    assert found == [[2.0, 2.0], [0.5, 4.0]]
    assert td.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-4")


def test_a_nan_loss_ends_the_run() -> None:
    loss = td.log(td.constant(-1.0))
    with (
        pytest.raises(td.train.NanLossDuringTrainingError, match="NaN loss"),
        td.train.MonitoredSession(hooks=[td.train.NanTensorHook(loss)]) as session,
    ):
        session.run(loss)


def test_values_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    loss = td.constant(0.5, name="loss")
    hook = td.train.LoggingTensorHook(["loss:0"], every_n_iter=2, at_end=True)
    with (
        caplog.at_level(logging.INFO, "tensordraft"),
        td.train.MonitoredSession(hooks=[hook]) as session,
    ):
        for _ in range(3):
            session.run(loss)
    logged = [record.getMessage() for record in caplog.records]
    assert [text for text in logged if "loss" in text] == ["loss:0 = 0.5"] * 3


def test_two_may_not_feed_one_tensor() -> None:
    x = td.placeholder(td.float32, [])
    hook = td.train.FeedFnHook(lambda: {x: 1.0})
    with (
        pytest.raises(RuntimeError, match="Same tensor is fed"),
        td.train.MonitoredSession(hooks=[hook]) as session,
    ):
        session.run(x, {x: 2.0})


def test_what_a_thread_raises_reaches_the_one_that_joins() -> None:
    coordinator = td.train.Coordinator()

    def fail() -> None:
        with coordinator.stop_on_exception():
            raise KeyError("lost")

    thread = threading.Thread(target=fail)
    thread.start()
    with pytest.raises(KeyError, match="lost"):
        coordinator.join([thread])
    assert coordinator.joined
    coordinator.clear_stop()
    coordinator.request_stop(td.errors.OutOfRangeError(None, None, "the end"))
    coordinator.join()
    assert coordinator.should_stop()
