"""Checking runs for NaN and infinity: the first op that makes one is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tensordraft as td

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKING = td.ConfigProto(check_numerics=True)


@pytest.fixture(autouse=True)
def graph() -> Iterator[td.Graph]:
    with td.Graph().as_default() as made:
        yield made


def failure(session: td.Session, fetches: Any, feeds: dict[Any, Any], **options: Any) -> str:
    with pytest.raises(td.errors.InvalidArgumentError) as caught:
        session.run(fetches, feeds, **options)
    assert caught.value.op is not None
    return f"{caught.value.op.name}: {caught.value.message}"


def test_the_first_op_is_named_in_every_tier() -> None:
    x = td.placeholder(td.float32, [2, 2], name="x")
    loss = td.reduce_sum(td.sqrt(td.log(x, name="logs"), name="roots") * 2.0, name="loss")
    bad = {x: [[1.0, 2.0], [0.0, -1.0]]}
    with td.Session(config=CHECKING) as session:
        for _ in range(6):
            text = failure(session, loss, bad)
            assert text.startswith("logs: the result has a NaN and an infinity: 2 of 4 elements, ")
            assert "the first at [1, 0]\n  in 'logs' (log), created at " in text
            assert session.run(loss, {x: np.ones([2, 2])}) == 0.0
    with td.Session() as session:
        for _ in range(6):
            assert np.isnan(session.run(loss, bad))
        options = td.RunOptions(check_numerics=True)
        assert failure(session, loss, bad, options=options).startswith("logs: ")
        assert failure(session, loss, bad, options=options, run_metadata=td.RunMetadata())


def test_a_value_that_is_fed_is_told_from_one_that_is_made() -> None:
    x = td.placeholder(td.float32, [], name="x")
    with td.Session(config=CHECKING) as session:
        text = failure(session, td.add(x, 1.0, name="sum"), {x: np.nan})
    assert text.startswith("sum: the result has a NaN; a value that is fed or constant has it, too")


@pytest.mark.parametrize("dtype", [td.float16, td.bfloat16, td.float64, td.complex64])
def test_every_float_is_looked_at(dtype: td.DType) -> None:
    x = td.placeholder(dtype, [2], name="x")
    with td.Session(config=CHECKING) as session:
        y = td.multiply(x, x, name="square")
        assert failure(session, y, {x: np.array([1, np.inf], dtype.as_numpy_dtype)})
        session.run([y, td.cast(td.real(x), td.int32)], {x: np.ones(2, dtype.as_numpy_dtype)})


def test_inside_loops_and_branches() -> None:
    x = td.placeholder(td.float32, [], name="x")
    looped = td.while_loop(lambda i, a: i < 9, lambda i, a: (i + 1, td.log(a)), [0, x])[1]
    chosen = td.cond(x > 0.0, lambda: td.log(x - x, name="inner"), lambda: x)
    with td.Session(config=CHECKING) as session:
        for _ in range(4):
            text = failure(session, looped, {x: 3.0})
            assert "while/Log" in text
            assert "in round 4 of " in text
            assert "inner" in failure(session, chosen, {x: 1.0})
            assert session.run(chosen, {x: -1.0}) == -1.0


def test_a_variable_is_checked_where_it_is_updated() -> None:
    v = td.Variable(2e38)
    update = td.assign_add(v, 3e38, name="update")
    masked = td.Variable([0.0, -np.inf], name="masked")
    with td.Session(config=CHECKING) as session:
        session.run(v.initializer)
        session.run(td.report_uninitialized_variables([v]))
        assert "update: the result has an infinity" in failure(session, [update, update.op], {})
        assert "masked" in failure(session, masked.initializer, {})


def test_the_switch_sets_the_default() -> None:
    x = td.placeholder(td.float32, [], name="x")
    y = td.log(x, name="y")
    before = td.ConfigProto(check_numerics=False)
    td.debugging.enable_check_numerics()
    try:
        with td.Session() as session:
            assert failure(session, y, {x: 0.0}).startswith("y: the result has an infinity")
            run = session.make_callable(y, [x])
            with pytest.raises(td.errors.InvalidArgumentError, match="an infinity"):
                run(0.0)
        with td.Session(config=before) as session:
            assert session.run(y, {x: 0.0}) == -np.inf
    finally:
        td.debugging.disable_check_numerics()
    with td.Session() as session:
        assert session.run(y, {x: 0.0}) == -np.inf


def test_it_goes_with_a_time_limit() -> None:
    x = td.placeholder(td.float32, [], name="x")
    config = td.ConfigProto(check_numerics=True, operation_timeout_in_ms=60_000)
    with td.Session(config=config) as session:
        assert failure(session, td.log(x, name="y"), {x: 0.0}).startswith("y: ")
