"""Sessions that are lost and recreated, and what ends a monitored one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
LOSSES = [td.errors.AbortedError, td.errors.UnavailableError]


class Failing(td.train.SessionRunHook):
    """Notes what is called, and fails once where requested."""

    def __init__(self, where: str = "", error: BaseException | None = None) -> None:
        self.where, self.error = where, error
        self.calls = ""
        self.values: Any = None

    def fail(self, where: str) -> None:
        self.calls += where[0]
        if where == self.where and self.error is not None:
            error, self.error = self.error, None
            raise error

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.coordinator = coord
        self.fail("created")

    def before_run(self, run_context: Any) -> None:
        self.fail("before")

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.values = run_values
        self.fail("after")

    def end(self, session: Any) -> None:
        self.fail("end")

    def stop_by(self, error: Exception) -> None:
        """As a thread that raises it."""
        with self.coordinator.stop_on_exception():
            raise error


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("where", "calls"), [("created", "ccbae"), ("before", "cbcbae"), ("after", "cbacbae")]
)
def test_a_lost_session_is_made_anew(loss: Any, where: str, calls: str) -> None:
    add, hook = td.Variable(0).assign_add(1), Failing(where, loss(None, None, "gone"))
    with td.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(add) == 1
        assert not session.should_stop()
    assert hook.calls == calls
    again = Failing(where, loss(None, None, "gone"))
    with (
        pytest.raises(loss, match="gone"),
        td.train.SingularMonitoredSession(hooks=[again]) as single,
    ):
        single.run(add)
    assert again.calls == calls[: calls.index("c", 1)]


def test_a_new_session_begins_with_the_checkpoint(tmp_path: Path) -> None:
    add, hook = td.train.create_global_step().assign_add(1), Failing()
    with td.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=[hook], save_checkpoint_steps=2
    ) as session:
        values = [int(session.run(add)) for _ in range(3)]
        hook.where, hook.error = "before", td.errors.AbortedError(None, None, "gone")
        values += [int(session.run(add)) for _ in range(2)]
    assert values == [1, 2, 3, 3, 4]  # 2 was saved last


def test_a_lost_session_may_be_found_by_a_thread_or_at_the_end() -> None:
    add, hook = td.Variable(0).assign_add(1), Failing()
    with td.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(add) == 1
        hook.stop_by(td.errors.AbortedError(None, None, "gone"))
        assert not session.should_stop()
        assert session.run(add) == 1
        hook.stop_by(td.errors.UnavailableError(None, None, "gone"))
    assert hook.calls == "cbacbae"


def test_sessions_are_asked_for_until_there_is_one() -> None:
    tries = []

    class Late(td.train.SessionCreator):
        def create_session(self) -> Any:
            tries.append(1)
            if len(tries) < 3:
                raise td.errors.UnavailableError(None, None, "not yet")
            return td.Session()

    one = td.constant(1)
    with td.train.MonitoredSession(Late()) as session:
        assert session.run(one) == 1
    assert len(tries) == 3


def test_what_a_thread_raises_ends_the_session() -> None:
    one, hook = td.constant(1), Failing()
    bad = td.py_func(lambda: 1 // 0, [], td.int64)
    session = td.train.MonitoredSession(hooks=[hook])

    def train() -> None:
        with session:
            hook.stop_by(KeyError("lost"))
            assert session.should_stop()
            assert session.run(one) == 1  # what does not need the thread goes on
            session.run(bad)

    with pytest.raises(KeyError, match="lost"):
        train()
    assert hook.calls == "cbab"


def test_a_session_that_is_not_made_anew_tells_at_once() -> None:
    hook = Failing()
    single = td.train.SingularMonitoredSession(hooks=[hook])
    hook.stop_by(KeyError("lost"))
    with pytest.raises(KeyError, match="lost"):
        single.should_stop()
    with pytest.raises(KeyError, match="lost"):
        single.close()
    assert single.should_stop()


def test_the_end_of_data_in_a_thread_is_told() -> None:
    hook = Failing()
    with pytest.raises(td.errors.OutOfRangeError), td.train.MonitoredSession(hooks=[hook]):
        hook.stop_by(td.errors.OutOfRangeError(None, None, "all read"))
    assert hook.calls == "ce"


def test_no_run_follows_a_stop() -> None:
    one = td.constant(1)

    class Stopping(td.train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.request_stop()

    with td.train.MonitoredSession(hooks=[Stopping()]) as session:
        session.run(one)
        with pytest.raises(RuntimeError, match="after should_stop"):
            session.run(one)


@pytest.mark.parametrize("before", [False, True])
def test_a_graph_is_left_as_it_was(before: bool) -> None:
    graph = td.get_default_graph()
    if before:
        graph.finalize()
    with td.train.MonitoredSession():
        assert graph.finalized
    assert graph.finalized is before


def test_options_are_those_of_all() -> None:
    one, hook = td.constant(1), Failing()

    class Asking(td.train.SessionRunHook):
        def __init__(self, **settings: Any) -> None:
            self.options = td.RunOptions(**settings)

        def before_run(self, run_context: Any) -> Any:
            return td.train.SessionRunArgs(None, options=self.options)

    asking = [Asking(trace_level=2, timeout_in_ms=30000), Asking(timeout_in_ms=60000)]
    given = td.RunOptions(trace_level=1)
    with td.train.MonitoredSession(hooks=[*asking, hook]) as session:
        session.run(one, options=given)
        expected = hook.values
    assert (expected.options.trace_level, expected.options.timeout_in_ms) == (2, 60000)
    assert given.trace_level == 1
    assert asking[0].options.timeout_in_ms == 30000
    with td.train.MonitoredSession(hooks=[hook]) as session:
        session.run(one)
    assert hook.values.options.trace_level == 0
    assert hook.values.run_metadata.step_stats == []
