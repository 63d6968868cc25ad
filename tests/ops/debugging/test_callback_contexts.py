"""Functions of the program see the context variables of the run that calls them."""

from __future__ import annotations

import decimal
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest
from harness import RUNS_OF_BOTH_TIERS

import tensordraft as td
from tensordraft.session import parallel

pytestmark = pytest.mark.usefixtures("graph")
REQUEST: ContextVar[int] = ContextVar("REQUEST", default=-1)


def request_number(x: Any) -> Any:
    return np.int64(REQUEST.get())


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("stateful", [True, False])
def test_a_function_sees_the_context_of_its_run(
    stateful: bool, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_HEAVY_SECONDS", 0.0)
    x = td.placeholder(td.float32, [])
    y = td.py_func(request_number, [x], td.int64, stateful=stateful)
    others = [td.exp(x), td.sin(x)]
    config = td.ConfigProto(inter_op_parallelism_threads=threads)
    with td.Session(config=config) as session:
        for i in range(RUNS_OF_BOTH_TIERS):
            token = REQUEST.set(i)
            assert session.run([y, *others], {x: 0})[0] == i
            REQUEST.reset(token)
        assert session.run(y, {x: 0}) == -1


def test_partial_runs_see_it_too() -> None:
    x = td.placeholder(td.float32, [])
    y = td.py_func(request_number, [x], td.int64)
    with td.Session() as session:
        handle = session.partial_run_setup([y], [x])
        token = REQUEST.set(7)
        assert session.partial_run(handle, y, {x: 0}) == 7
        REQUEST.reset(token)


def test_decimal_precision_is_that_of_the_caller() -> None:
    x = td.placeholder(td.float64, [])
    y = td.py_func(lambda x: np.float64(decimal.Decimal(1) / decimal.Decimal(3)), [x], td.float64)
    with td.Session() as session:
        for precision in (3, 5):
            with decimal.localcontext() as context:
                context.prec = precision
                assert len(str(session.run(y, {x: 0}))) == 2 + precision


def test_what_a_function_sets_and_warns_of_stays_in_the_run() -> None:
    def divide(x: Any) -> Any:
        REQUEST.set(99)
        return np.float32(1) / x

    x = td.placeholder(td.float32, [])
    y = td.py_func(divide, [x], td.float32)
    with td.Session() as session:
        assert session.run(y, {x: 0}) == np.inf
    assert REQUEST.get() == -1
    assert np.geterr()["divide"] == "warn"
