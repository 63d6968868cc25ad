"""The rest of a session: partial runs, conversions of fetches and feeds, options."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np
import pytest

import tensordraft as td


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


def test_a_partial_run_is_forgotten_when_all_has_been_fetched(session: td.Session) -> None:
    x = td.placeholder(td.float32, [None])
    y = x * 2.0
    handles = set()
    for _ in range(3):
        handle = session.partial_run_setup([y, y.op], [x])
        handles.add(handle)
        session.partial_run(handle, [y, y.op], {x: [1, 2]})
        assert not session._partial_runs
        with pytest.raises(td.errors.InvalidArgumentError, match="not a handle"):
            session.partial_run(handle, y)
    assert len(handles) == 3


def test_a_partial_run_keeps_what_was_fed(session: td.Session) -> None:
    x = td.placeholder(td.float32, [2])
    first, second = x + 1.0, x * 2.0
    handle = session.partial_run_setup([first, second], [x])
    value = np.ones(2, np.float32)
    session.partial_run(handle, first, {x: value})
    value[:] = 9
    assert session.partial_run(handle, second).tolist() == [2, 2]


def test_a_partial_run_keeps_no_more_than_it_needs(session: td.Session) -> None:
    x, y = td.placeholder(td.float32, [None]), td.placeholder(td.float32, [])
    total = td.reduce_sum(td.exp(x))
    later = total * y
    handle = session.partial_run_setup([total, later], [x, y])
    session.partial_run(handle, total, {x: np.zeros(100)})
    run = session._partial_runs[handle]
    assert sum(value.size for value in run._values if value is not None) <= 2
    assert session.partial_run(handle, later, {y: 2}) == 200


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
    with pytest.raises(invalid, match=r"'x:0' has already been fed\.$"):
        session.partial_run(handle, total, {x: 1, y: 2})
    assert session.partial_run(handle, total, {y: 2}) == 3
    with pytest.raises(invalid, match=r"'total:0' has already been fetched\.$"):
        session.partial_run(handle, total)
    with pytest.raises(invalid, match=r"'y:0' .*was not specified in partial_run_setup\.$"):
        session.partial_run(handle, y)
    with pytest.raises(invalid, match="is not a handle"):
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


def test_what_is_prevented_later_is_refused_then(session: td.Session) -> None:
    x = td.placeholder(td.int32, [], name="x")
    y = td.identity(x)
    z = td.constant(2, name="z")
    assert session.run(y, {x: 1}) == 1
    session.graph.prevent_feeding(x)
    with pytest.raises(ValueError, match="'x:0' may not be fed"):
        session.run(y, {x: 1})
    assert session.run([z, z]) == [2, 2]
    session.graph.prevent_fetching(z)
    with pytest.raises(ValueError, match="'z:0' has been marked as not fetchable"):
        session.run([z, z])


def test_a_run_that_takes_too_long_is_given_up(
    session: td.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(1000))  # a clock on which each look takes a second
    monkeypatch.setattr("time.perf_counter", lambda: float(next(seconds)))
    v = td.Variable(0)
    first = v.assign_add(1)
    with td.control_dependencies([first]):
        second = v.assign_add(10)
    session.run(v.initializer)
    options = td.RunOptions(timeout_in_ms=1500)
    with pytest.raises(td.errors.DeadlineExceededError, match="timeout_in_ms = 1500") as caught:
        session.run(second, options=options)
    assert caught.value.op is not None
    assert session.run(v) in (0, 1)  # what had run stays
    assert session.run(second, options=td.RunOptions(timeout_in_ms=10**6)) in (11, 12)
    with td.Session(config=td.ConfigProto(operation_timeout_in_ms=1500)) as hurried:
        with pytest.raises(td.errors.DeadlineExceededError):
            hurried.run(td.group(v.initializer, second))
        with pytest.raises(td.errors.DeadlineExceededError):
            hurried.make_callable(td.group(v.initializer, second))()
        hurried.run(v.initializer, options=td.RunOptions(timeout_in_ms=10**6))
        long = td.RunOptions(timeout_in_ms=10**6)
        assert hurried.make_callable(second)(options=long) == 11


def test_dicts_of_any_class_are_fetched(session: td.Session) -> None:
    x, y = td.constant(1), td.constant(2)
    ordered = session.run(OrderedDict([("z", x), ("a", y)]))
    assert type(ordered) is OrderedDict
    assert list(ordered.items()) == [("z", 1), ("a", 2)]
    counted = session.run(defaultdict(list, a=x))
    assert type(counted) is defaultdict
    assert counted["missing"] == []
    fetches = {"x": x}
    call = session.make_callable(fetches)
    fetches["y"] = y
    assert call() == {"x": 1}


def test_settings_are_accepted() -> None:
    config = td.ConfigProto(
        allow_soft_placement=True,
        device_count={"GPU": 0},
        gpu_options=td.GPUOptions(per_process_gpu_memory_fraction=0.3),
        graph_options=td.GraphOptions(
            optimizer_options=td.OptimizerOptions(opt_level=td.OptimizerOptions.L0)
        ),
    )
    config.device_count["CPU"] = 1
    config.gpu_options.allow_growth = True
    config.graph_options.optimizer_options.global_jit_level = td.OptimizerOptions.ON_1
    assert config.device_count == {"GPU": 0, "CPU": 1}
    assert repr(td.ConfigProto()) == "ConfigProto()"
    assert td.ConfigProto().device_count == {}
    with td.Graph().as_default(), td.Session("", config=config) as session:
        assert session.run(td.constant(3)) == 3
    with pytest.raises(TypeError, match="ConfigProto has no setting 'threads'"):
        td.ConfigProto(threads=2)


def test_tensors_and_operations_print_as_in_tensorflow() -> None:
    with td.Graph().as_default(), td.device("/cpu:0"):
        x = td.placeholder(td.float32, [None, 3], name="x")
        y = td.placeholder(td.int32, name="y")
    assert str(x) == 'Tensor("x:0", shape=(?, 3), dtype=float32, device=/device:CPU:0)'
    assert str(y) == 'Tensor("y:0", dtype=int32, device=/device:CPU:0)'
    assert repr(y) == "<td.Tensor 'y:0' shape=<unknown> dtype=int32>"
    assert str(x.op) == str(x.op.node_def)
    assert str(x.op).startswith('name: "x"\nop: "Placeholder"\n')


def test_there_is_only_graph_mode() -> None:
    td.disable_v2_behavior()
    td.disable_eager_execution()
    assert td.executing_eagerly() is False
    with td.Graph().as_default():
        assert isinstance(td.constant(1), td.Tensor)


def test_values_that_stand_for_several_tensors() -> None:
    with td.Graph().as_default(), td.Session() as session:
        sparse = td.SparseTensor([[0, 1]], [5], [2, 3])
        assert session.run(sparse.with_values([7])).values.tolist() == [7]
        total = td.reduce_sum(sparse.values)
        assert total.op in sparse.consumers()
        rows = td.IndexedSlices(td.ones([1, 2]), td.constant([4]), td.constant([9, 2]))
        assert rows.shape.as_list() == [9, 2]
        assert td.IndexedSlices(td.ones([1, 2]), td.constant([4])).shape.rank is None
        assert td.negative(rows.values).op in rows.consumers()
