"""Tensors that stay in a session: handles, and errors for wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td

covers("GetSessionHandle", "GetSessionTensor", "DeleteSessionTensor")

NONE = "None;0;/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture(name="session")
def _session() -> Iterator[td.Session]:
    with td.Graph().as_default(), td.Session() as session:
        yield session


def test_a_tensor_stays_until_nobody_has_its_handle(session: td.Session) -> None:
    handle = td.get_session_handle(td.constant([1.0, 2.0]) * 3.0)
    holder, value = td.get_session_tensor(NONE, td.float32)
    assert (handle.op.type, handle.dtype, holder.op.type) == (
        *("GetSessionHandle", td.string),
        "Placeholder",
    )
    kept: Any = session.run(handle)
    assert str(kept) == kept.handle == "GetSessionHandle;0;" + NONE.partition(";0;")[2]
    for fed in kept, kept.handle, str(kept).encode():
        assert session.run(value + 1.0, {holder: fed}).tolist() == [4, 7]
    found = kept.eval()
    found[0] = 0.0
    assert kept.eval().tolist() == [3, 6]
    name = kept.handle
    del kept
    with pytest.raises(td.errors.InvalidArgumentError, match="not in the session store"):
        session.run(value, {holder: name})
    raw = session.run({"a": [handle]})["a"][0].get_raw_handle()
    assert session.run(value, {holder: raw}).tolist() == [3, 6]


def test_a_tensor_is_deleted(session: td.Session) -> None:
    handle = td.get_session_handle(td.constant("text"))
    holder, forget = td.delete_session_tensor(NONE)
    kept: Any = session.run(handle)
    assert kept.eval() == b"text"
    assert session.run(forget, {holder: kept}) is None
    for use in kept.eval, kept.delete:
        with pytest.raises(TypeError, match="may have already been deleted"):
            use()
    with pytest.raises(td.errors.InvalidArgumentError, match="names no tensor"):
        session.run(forget, {holder: kept.handle})
    session.run(handle).delete()


def test_what_is_refused(session: td.Session) -> None:
    with pytest.raises(TypeError, match="`data` must be of type Tensor, got 3"):
        td.get_session_handle(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="handle must be the name of a tensor, such as its"):
        td.get_session_tensor(3, td.int32)
    with pytest.raises(TypeError, match="handle must be the name"):
        td.delete_session_tensor(None)
    kept: Any = session.run(td.get_session_handle(td.constant(np.float32(1))))
    holder, value = td.get_session_tensor(kept.handle, td.int32)
    with pytest.raises(td.errors.InvalidArgumentError, match="dtype must be that of the tensor"):
        session.run(value, {holder: kept})
    shapeless = td.placeholder(td.string)
    wrong = td.raw_ops.GetSessionTensor(handle=shapeless, dtype=td.float32)
    with pytest.raises(td.errors.InvalidArgumentError, match=r"rank 0, got shape \(1,\)"):
        session.run(wrong, {shapeless: [kept.handle]})


def test_handles_of_other_sessions(session: td.Session) -> None:
    handle = td.get_session_handle(td.constant(1))
    holder, value = td.get_session_tensor(NONE, td.int32)
    kept: Any = session.run(handle)
    with td.Session() as other, pytest.raises(td.errors.InvalidArgumentError, match="not in the"):
        other.run(value, {holder: kept})


def test_a_handle_feeds_its_tensor_to_any_placeholder(session: td.Session) -> None:
    kept = session.run(td.get_session_handle(td.constant([1.0, 2.0])))
    x = td.placeholder(td.float32)
    assert session.run(x + 1.0, {x: kept}).tolist() == [2.0, 3.0]
    kept.delete()
    with pytest.raises(TypeError, match="may have already been deleted"):
        session.run(x, {x: kept})
