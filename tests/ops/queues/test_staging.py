"""Staging areas: in order, within their limits, and who waits."""

from __future__ import annotations

import numpy as np
import pytest
from harness import covers
from waiters import Background, arrivals

import tensordraft as td
from tensordraft import raw_ops

pytestmark = pytest.mark.usefixtures("session")
for _op in ("Stage", "Unstage", "StagePeek", "StageSize", "StageClear"):
    covers(_op)

StagingArea = td.contrib.staging.StagingArea
SOON = td.RunOptions(timeout_in_ms=10)


def test_in_order(session: td.Session) -> None:
    area = StagingArea([td.int32, td.string], shapes=[[], [1]])
    x = td.placeholder("int32", [])
    put = area.put([x, ["a"]])
    number, text = area.get()
    assert (number.shape.as_list(), text.shape.as_list()) == ([], [1])
    for i in range(3):
        session.run(put, {x: i})
    assert session.run(area.size()) == 3
    assert session.run(area.peek(1))[0] == 1
    assert [session.run(number) for _ in range(2)] == [0, 1]
    session.run(area.clear())
    assert session.run(area.size()) == 0


def test_names_and_shared_names(session: td.Session) -> None:
    first = StagingArea([td.float32, td.float32], names=["a", "b"], shared_name="area")
    second = StagingArea([td.float32, td.float32], names=["a", "b"], shared_name="area")
    alone = StagingArea([td.float32])
    session.run(first.put({"a": 1.0, "b": 2.0}))
    assert session.run(alone.size()) == 0
    assert alone.name != StagingArea([td.float32]).name
    assert session.run(second.get()) == {"a": 1.0, "b": 2.0}
    with pytest.raises(ValueError, match="a dict with the keys"):
        first.put([1.0, 2.0])
    with pytest.raises(ValueError, match="has no names"):
        alone.put({"a": 1.0})


def test_limits(session: td.Session) -> None:
    area = StagingArea([td.float32], capacity=2)
    put, [x] = area.put([1.0]), area.get()
    session.run(put)
    session.run(put)
    with pytest.raises(td.errors.DeadlineExceededError):
        session.run(put, options=SOON)
    with arrivals() as arrived:
        waiting = Background(session.run, put)
        arrived()
        session.run(x)
        waiting.result()
    assert session.run(area.size()) == 2
    small = StagingArea([td.float32], memory_limit=16)
    session.run(small.put(np.zeros(3, np.float32)))
    with pytest.raises(td.errors.DeadlineExceededError):
        session.run(small.put(np.zeros(2, np.float32)), options=SOON)
    with pytest.raises(td.errors.ResourceExhaustedError, match="size of '20' bytes"):
        session.run(small.put(np.zeros(5, np.float32)))


def test_waiting_for_what_comes(session: td.Session) -> None:
    area = StagingArea([td.float32])
    put, [x] = area.put([4.0]), area.get()
    with arrivals() as arrived:
        waiting, looking = Background(session.run, x), Background(session.run, area.peek(0))
        arrived()
        arrived()
        session.run(put)
        assert looking.result() == [4.0]
        assert waiting.result() == 4.0
        waiting = Background(session.run, x)
        arrived()
    session.close()
    with pytest.raises((td.errors.CancelledError, RuntimeError)):
        waiting.result()


def test_refusals(session: td.Session) -> None:
    area = StagingArea([td.float32], shapes=[[2]], shared_name="one")
    with pytest.raises(ValueError, match=r"\(3,\) and \(2,\)"):
        area.put(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="must be 1 tensors, got 2"):
        area.put([1.0, 2.0])
    with pytest.raises(ValueError, match=r"shapes must have .* received len\(shapes\)=2"):
        StagingArea([td.float32], shapes=[[], []])
    with pytest.raises(ValueError, match="capacity must be at least 0, got -1"):
        StagingArea([td.float32], capacity=-1)
    session.run(area.put([[1.0, 2.0]]))
    other = raw_ops.Unstage(dtypes=[td.int32], shared_name="one")
    with pytest.raises(td.errors.InvalidArgumentError, match="staged were float32"):
        session.run(other)
    with pytest.raises(td.errors.InvalidArgumentError, match="index must be at least 0, got -1"):
        session.run(area.peek(-1))
