"""The rest of a session: partial runs, conversions of fetches and feeds, options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensordraft as td


@pytest.fixture
def session() -> Iterator[td.Session]:
    with td.Graph().as_default(), td.Session() as session:
        yield session


def test_a_partial_run_goes_on_where_it_stopped(session: td.Session) -> None:
    x, y, z = (td.placeholder(td.float32, [2]) for _ in "xyz")
    first = x + y
    second = first * z
    handle = session.partial_run_setup([first, second], [x, y, z])
    result = session.partial_run(handle, first, {x: [1, 2], y: [10, 20]})
    assert result.tolist() == [11, 22]
    result[:] = 0  # the caller's own
    assert session.partial_run(handle, [second], {z: result + 3})[0].tolist() == [33, 66]


def test_an_effect_happens_once_in_a_partial_run(session: td.Session) -> None:
    v = td.Variable(0)
    x = td.placeholder(td.int32, [])
    counted = v.assign_add(1)
    with td.control_dependencies([counted]):
        later = x + 0
    session.run(v.initializer)
    handle = session.partial_run_setup([counted, later, v.value()], [x])
    assert session.partial_run(handle, counted) == 1
    assert session.partial_run(handle, later, {x: 5}) == 5
    assert session.run(v) == 1


def test_two_partial_runs_do_not_mix(session: td.Session) -> None:
    x = td.placeholder(td.int32, [])
    y = x * 2
    one, other = (session.partial_run_setup([y], [x]) for _ in range(2))
    assert session.partial_run(other, y, {x: 5}) == 10
    assert session.partial_run(one, {"y": y}, {x: 1}) == {"y": 2}


def test_what_a_partial_run_refuses(session: td.Session) -> None:
    x, y = td.placeholder(td.int32, [], "x"), td.placeholder(td.int32, [], "y")
    total = td.add(x, y, name="total")
    handle = session.partial_run_setup([total, x], [x, y])
    invalid = td.errors.InvalidArgumentError
    with pytest.raises(invalid, match="'y:0' is needed and has not been fed"):
        session.partial_run(handle, total, {x: 1})
    with pytest.raises(invalid, match="'x:0' was fed before"):
        session.partial_run(handle, total, {x: 1, y: 2})
    assert session.partial_run(handle, total, {y: 2}) == 3
    with pytest.raises(invalid, match="'total:0' was fetched before"):
        session.partial_run(handle, total)
    with pytest.raises(invalid, match="'y:0' was not announced to be fetched"):
        session.partial_run(handle, y)
    with pytest.raises(invalid, match="is no handle"):
        session.partial_run("other", x)


class Pair:
    """Two tensors under one name."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first = first
        self.second = second


def _fetch(pair: Pair) -> tuple[list[Any], Any]:
    return [pair.first, pair.second], sum


def _feed(pair: Pair, value: Any) -> list[tuple[Any, Any]]:
    return [(pair.first, value), (pair.second, value + 1)]


td.register_session_run_conversion_functions(Pair, _fetch, _feed)


def test_registered_types_are_fetched_and_fed(session: td.Session) -> None:
    pair = Pair(td.placeholder(td.int32, []), td.placeholder(td.int32, []))
    product = pair.first * pair.second
    assert session.run([pair, {"product": product}], {pair: 4}) == [9, {"product": 20}]
    with pytest.raises(ValueError, match="is registered already"):
        td.register_session_run_conversion_functions(Pair, _fetch)


def test_sparse_placeholders(session: td.Session) -> None:
    x = td.sparse_placeholder(td.float32, [3, None])
    assert x.indices.shape.as_list() == [None, 2]
    value = td.SparseTensorValue(np.array([[0, 1], [2, 0]]), np.array([5.0, 6.0]), [3, 2])
    result = session.run(x, {x: value})
    assert result.values.tolist() == [5, 6]
    assert result.dense_shape.tolist() == [3, 2]
    known = td.sparse_placeholder(td.int32, [4, 5])
    assert known.get_shape().as_list() == [4, 5]


def test_options_take_what_programs_set(session: td.Session) -> None:
    config = td.ConfigProto(
        gpu_options=td.GPUOptions(per_process_gpu_memory_fraction=0.3),
        graph_options=td.GraphOptions(
            optimizer_options=td.OptimizerOptions(opt_level=td.OptimizerOptions.L0)
        ),
        allow_soft_placement=True,
    )
    config.gpu_options.allow_growth = True
    assert config.graph_options.optimizer_options.opt_level == -1
    assert "allow_growth=True" in repr(config)
    with td.Session(config=config) as other:
        assert other.run(td.constant(1)) == 1
    with pytest.raises(TypeError, match="has no setting 'threads'"):
        td.ConfigProto(threads=2)
