"""Tracebacks end at the user's call; a line of a notebook is called as the notebook calls it."""

from __future__ import annotations

import inspect
import operator
import pickle
import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import tensordraft as td
from tensordraft.graph.api.public_calls import unguarded
from tensordraft.graph.api.source_locations import Site


def trace_of(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception:  # noqa: BLE001 - of any kind
        return traceback.format_exc()
    raise AssertionError("it is no error")


def product() -> None:
    td.matmul(td.ones([2, 3]), td.ones([2, 3]))


def shifted() -> None:
    td.layers.dense(td.ones([2, 3]) + td.ones([4]), 2)


def looked_up() -> None:
    with td.Session() as session:
        session.run("nothing:0")


def missing() -> None:
    td.ones([2]).graph.get_tensor_by_name("other:0")


@pytest.mark.parametrize("call", [product, shifted, looked_up])
def test_a_traceback_has_the_users_frames_and_one_more(call: Callable[[], None]) -> None:
    with td.Graph().as_default():
        td.ones([1])
        text = trace_of(call)
    frames = [line for line in text.splitlines() if line.startswith("  File ")]
    assert len(frames) == 3
    assert f"in {call.__name__}" in frames[1]
    assert "During handling" not in text
    assert "direct cause" not in text


def test_all_frames_are_there_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(td.config, "full_tracebacks", True)
    with td.Graph().as_default():
        text = trace_of(product)
    assert text.count("  File ") > 5
    assert "direct cause" in text


def test_the_users_own_frames_inside_stay() -> None:
    def failing() -> float:
        return 1 / 0

    def body(i: td.Tensor) -> Any:
        return i @ td.ones([2, 2])

    with td.Graph().as_default(), td.Session() as session:
        value = td.py_func(failing, [], td.float32)
        text = trace_of(lambda: session.run(value))
        assert "in failing" in text
        assert "ZeroDivisionError" in text
        text = trace_of(lambda: td.while_loop(lambda i: True, body, [td.ones([3, 3])]))
        assert "in body" in text


def test_what_the_user_was_handling_stays() -> None:
    def handling() -> None:
        try:
            raise KeyError("mine")
        except KeyError:
            product()

    with td.Graph().as_default():
        assert "KeyError: 'mine'" in trace_of(handling)


def test_defects_keep_their_frames() -> None:
    def convert(*_: Any, **__: Any) -> Any:
        return None.nothing  # type: ignore[attr-defined]

    class Odd:
        dtype = td.float32

    td.register_tensor_conversion_function(Odd, convert)
    with td.Graph().as_default():
        assert trace_of(lambda: td.identity(Odd())).count("  File ") > 4


def test_a_cell_of_a_notebook_has_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = SimpleNamespace(_filename_map={"/cells/1.py": 3})
    shell = SimpleNamespace(compile=compiled)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert str(Site("/cells/1.py", 1)) == "Cell In[3], line 1"
    assert str(Site("/elsewhere/model.py", 2)) == "/elsewhere/model.py:2"


def test_public_functions_look_as_they_are_written() -> None:
    assert str(inspect.signature(td.nn.relu)).endswith("-> Tensor")
    assert "'" not in str(inspect.signature(td.Session.run))
    assert td.abs is td.math.abs
    assert pickle.loads(pickle.dumps(td.nn.relu)) is td.nn.relu  # noqa: S301 - our own
    assert td.matmul.__name__ == "matmul"


@pytest.mark.parametrize("name", ["add", "math.add", "nn.relu", "train.exponential_decay"])
def test_pickles_find_public_functions_which_modules_do_not_see(name: str) -> None:
    public: Any = operator.attrgetter(name)(td)
    assert pickle.loads(pickle.dumps(public)) is public  # noqa: S301 - our own
    own = unguarded(public)
    assert own is not public
    assert vars(sys.modules[own.__module__])[own.__name__] is own
    assert pickle.loads(pickle.dumps(own)) is own  # noqa: S301 - our own
