"""Functions of the program as ops in chunks: run by workers that can import them, or refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import worker_functions
from cluster_fixture import client

import tensordraft as td
from distributed import Client
from tensordraft.distributed import worker
from tensordraft.distributed.stage_graph import Program

__all__ = ["client"]

ROWS = np.arange(60, dtype=np.float32).reshape(20, 3)


def model(function: Callable[..., Any], sizes: Any, **how: Any) -> tuple[td.Graph, td.Tensor]:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        dtype = td.int64 if function is worker_functions.process_of else td.float32
        y = td.py_func(function, [x], dtype, **{"stateful": False, **how})
        y.set_shape(sizes)
        return graph, y


def test_functions_at_the_top_of_a_module_run_on_workers(client: Client) -> None:
    graph, y = model(worker_functions.process_of, ["batch"])
    assert td.split_report(graph, y).ok
    with td.data_parallel(graph, split_bytes=60, scheduler=client) as session:
        numbers = session.run(y, {"x:0": ROWS})
    assert numbers.shape == (20,)
    assert os.getpid() not in numbers


@pytest.mark.parametrize(
    ("function", "sizes", "wanted"),
    [
        (worker_functions.doubled, ["batch", 3], ROWS * 2),
        (worker_functions.sum_of, [3], ROWS.sum(0)),
        (np.sqrt, ["batch", 3], np.sqrt(ROWS)),
    ],
)
def test_functions_fall_apart_as_they_say(function: Any, sizes: Any, wanted: Any) -> None:
    graph, y = model(function, sizes)
    assert td.split_report(graph, y).ok
    np.testing.assert_allclose(td.map_blocks(graph, y, {"x": ROWS}, split_bytes=60), wanted)
    with td.data_parallel(graph, split_bytes=60) as session:
        np.testing.assert_allclose(session.run(y, {"x:0": ROWS}), wanted)


def local(x: Any) -> Any:
    return x


wrong: Any = lambda x: x  # noqa: E731 - it has a name of its own, and that of a lambda


@pytest.mark.parametrize(
    ("function", "sizes", "reason"),
    [
        (lambda x: x, ["batch", 3], "not at the top of a module"),
        (wrong, ["batch", 3], "not at the top of a module"),
        (local, ["batch", 3], "local', which has no attribute `splits`"),
        (worker_functions.unsaid, ["batch", 3], "unsaid', which has no attribute `splits`"),
        (worker_functions.doubled, [None, 3], "not a multiple of the rows"),
        (worker_functions.doubled, None, "rank of its result is not known"),
    ],
)
def test_functions_that_workers_cannot_run_are_refused(
    function: Any, sizes: Any, reason: str
) -> None:
    graph, y = model(function, sizes)
    assert reason in td.split_report(graph, y).mixed[0].reason
    with pytest.raises(ValueError, match=reason):
        td.map_blocks(graph, y, {"x": ROWS})
    with td.data_parallel(graph, split_bytes=60) as session:  # which calls it once
        result = session.run(y, {"x:0": ROWS})
    np.testing.assert_array_equal(result, ROWS * (2 if function is worker_functions.doubled else 1))


def test_functions_with_state_are_called_once() -> None:
    calls = []

    def counted(x: Any) -> Any:
        calls.append(len(x))
        return x

    graph, y = model(counted, ["batch", 3], stateful=True)
    assert "has state" in td.split_report(graph, y).mixed[0].reason
    with td.data_parallel(graph, split_bytes=60) as session:
        session.run(y, {"x:0": ROWS})
    assert calls == [20]


def test_functions_of_what_is_whole_run_where_they_can() -> None:
    def own(w: Any) -> Any:
        return np.sqrt(w)

    for function, fits in ((np.sqrt, True), (own, False)):
        with td.Graph().as_default() as graph:
            x = td.placeholder(td.float32, ["batch", 3], name="x")
            weights = td.py_func(function, [td.constant([4.0, 9.0, 16.0])], td.float32, False)
            weights.set_shape([3])
            y = x * weights
        with td.data_parallel(graph, split_bytes=60) as session:
            np.testing.assert_array_equal(session.run(y, {"x:0": ROWS}), ROWS * [2, 3, 4])
        if fits:
            found = td.map_blocks(graph, y, {"x": ROWS}, split_bytes=60).compute()
            np.testing.assert_array_equal(found, ROWS * [2, 3, 4])
        else:
            with pytest.raises(ValueError, match="cannot run on workers: it calls a function"):
                td.map_blocks(graph, y, {"x": ROWS})


def test_functions_in_branches_do_not_travel() -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, ["batch", 3], name="x")
        flag = td.placeholder(td.bool, [], name="p")
        y = td.cond(flag, lambda: td.py_func(np.sqrt, [x], td.float32, False), lambda: x)
    assert "calls a function of the program" in td.split_report(graph, y).mixed[0].reason


@pytest.mark.parametrize("name", ["no_such_module:f", "worker_functions:no_such_function"])
def test_a_worker_that_lacks_a_function_says_so(name: str) -> None:
    graph, y = model(worker_functions.doubled, ["batch", 3])
    message = graph.as_graph_def().SerializeToString()
    program = Program(td.__version__, name, message, ("x:0",), (y.name,), (), ((y.op.name, name),))
    with pytest.raises(worker.ChunkError, match="worker") as caught:
        worker.run_chunk(program, (0, 20), ROWS)
    assert caught.value.code == "NotFoundError"
