"""Python functions as ops; libraries of ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import covers

import tensordraft as td

covers("PyFunc", "PyFuncStateless")


@pytest.mark.parametrize("stateful", [True, False])
def test_a_function_is_called_when_the_op_runs(session: td.Session, stateful: bool) -> None:
    x = td.placeholder(td.float32, [2])

    def moments(values: Any, scale: Any) -> tuple[Any, Any]:
        values *= scale  # its own copy
        return values.sum(), [str(value) for value in values]

    total, texts = td.py_func(moments, [x, np.float32(2)], [td.float32, td.string], stateful)
    assert total.shape.rank is None
    fed = np.array([1, 2], np.float32)
    for _ in range(5):
        result = session.run([total, texts], {x: fed})
        assert result[0] == 6
        assert result[1].tolist() == [b"2.0", b"4.0"]
    assert fed.tolist() == [1, 2]


def test_a_function_on_arrays_is_called_in_each_run(session: td.Session) -> None:
    seen: list[int] = []

    def count(value: Any) -> Any:
        seen.append(int(value))
        return np.int64(len(seen)), value

    count_of, value = td.numpy_function(count, [np.int32(7)], [td.int64, td.int32], name="count")
    assert (count_of.op.type, count_of.op.name) == ("PyFunc", "count")
    assert [session.run([count_of, value]) for _ in range(3)] == [[1, 7], [2, 7], [3, 7]]


def test_a_function_without_results_is_run_for_its_effect(session: td.Session) -> None:
    seen: list[int] = []
    op = td.py_func(seen.append, [7], [])
    assert isinstance(op, td.Operation)
    for _ in range(4):
        session.run(op)
    assert seen == [7] * 4


def test_what_a_function_does_wrong_is_told(session: td.Session) -> None:
    wrong = {
        "2 values, 1 are due": td.py_func(lambda: (1, 2), [], td.int64),
        "float64, where int32 is due": td.py_func(lambda: 1.5, [], td.int32),
        "out of ideas": td.py_func(_failing, [], td.int32, name="failing"),
    }
    for clause, tensor in wrong.items():
        with pytest.raises(td.errors.InvalidArgumentError, match=clause):
            session.run(tensor)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StopIteration, td.errors.OutOfRangeError),
        (NotImplementedError, td.errors.UnimplementedError),
        (MemoryError, td.errors.ResourceExhaustedError),
        (TypeError, td.errors.InvalidArgumentError),
        (KeyError, td.errors.UnknownError),
        (IndexError, td.errors.UnknownError),
        (OSError, td.errors.UnknownError),
    ],
)
def test_errors_of_functions_are_those_of_tensorflow(
    session: td.Session, error: type[Exception], kind: type[td.OpError]
) -> None:
    def fail() -> None:
        raise error("expected")

    y = td.py_func(fail, [], td.int32)
    for _ in range(4):  # plans run otherwise after a while
        with pytest.raises(kind, match="expected") as found:
            session.run(y)
        assert type(found.value) is kind


def test_a_function_that_is_to_return_nothing(session: td.Session) -> None:
    with pytest.raises(td.errors.InvalidArgumentError, match="1 values, 0 are due"):
        session.run(td.py_func(lambda: 1, [], []))


def _failing() -> None:
    raise ValueError("out of ideas")


def test_a_graph_with_a_function_is_not_saved_nor_its_like_run(tmp_path: Path) -> None:
    with td.Graph().as_default() as graph:
        y = td.py_func(lambda: np.float32(1), [], td.float32, name="call")
    with pytest.raises(ValueError, match=r"cannot be saved: 'call' \(py_func\), created at"):
        td.save_graph(graph, tmp_path / "graph.pb")
    assert not list(tmp_path.iterdir())
    with td.Session(graph=graph) as session:
        assert session.run(y) == 1
    with td.Graph().as_default(), td.Session() as session:
        td.import_graph_def(graph.as_graph_def(), name="")
        with pytest.raises(td.errors.UnimplementedError, match="not part of a file"):
            session.run("call:0")


def test_libraries_of_ops_are_not_loaded() -> None:
    with pytest.raises(NotImplementedError, match=r"td\.OpDef"):
        td.load_op_library("ops.so")
