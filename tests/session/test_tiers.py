"""The tiers of a session: plans that run as flat steps, as lowered code, fused, and on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from effort import examples as tries
from harness import RUNS_OF_BOTH_TIERS, functions_of, tiny_blocks
from hypothesis import HealthCheck, assume, given
from random_graphs import Example, examples
from soundness import results_of
from tiers import executors, programs, runs

import tensordraft as td
from tensordraft.session import compiler, executor, parallel

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[td.Graph]:
    monkeypatch.setattr(td.config, "max_tensor_bytes", 1 << 22)  # random sizes may be large
    with td.Graph().as_default() as graph:
        yield graph


# Long plans --------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 3, 6, 40])
def test_long_plans_are_lowered_in_parts(steps: int) -> None:
    x = y = td.placeholder(td.int64, [2])
    middle = None
    for i in range(steps):
        y = y * 2 + td.negative(x) if i % 2 else y + i
        middle = y if i == steps // 2 else middle
    first, *others = runs([y, middle, x, y.op], {x: [3, 5]})
    for other in others:
        np.testing.assert_equal(other, first)


def test_a_chain_of_functions_hands_out_constants() -> None:
    x = td.placeholder(td.float32, [None, 4])
    w = td.Variable(np.eye(4, dtype="f") * 0.5)
    y = x
    for _ in range(200):
        y = td.tanh(td.matmul(y, w))
    train = td.train.GradientDescentOptimizer(0.01).minimize(td.reduce_sum(y))
    half = td.constant(0.5)
    fetches = [half, td.identity(half), td.shape(x)[1], td.zeros([2]), x, train]
    with functions_of(20), td.Session() as session:
        session.run(w.initializer)
        for _ in range(8):
            found = session.run(fetches, {x: np.ones([1, 4], "f")})
            np.testing.assert_equal(found, [0.5, 0.5, 4, np.zeros(2), np.ones([1, 4]), None])


def test_a_failure_in_a_late_part_names_its_op(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_MOST_STEPS_OF_A_FUNCTION", 3)
    x = td.placeholder(td.float32, [None])
    y = x
    for _ in range(10):
        y = y + 1.0
    index = td.placeholder(td.int32, [], name="index")
    y = td.gather(y, index, name="picked") * 2.0
    messages = set()
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            with pytest.raises(td.errors.InvalidArgumentError, match="'picked'") as caught:
                session.run(y, {x: [1, 2], index: 2})
            messages.add(caught.value.message)
        assert session.run(y, {x: [1, 2], index: 1}) == 24
    [message] = messages
    assert "params: float32[2], indices: int32[]" in message


def test_parts_run_in_place_updates_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_MOST_STEPS_OF_A_FUNCTION", 2)
    v = td.Variable([1.0, 2.0])
    updates: list[td.Tensor] = []
    for _ in range(6):
        with td.control_dependencies(updates):
            updates = [td.assign_add(v, [1.0, 1.0])]
    with td.control_dependencies(updates):
        seen = v.read_value() * 2.0
    with td.Session() as session:
        session.run(v.initializer)
        totals = [session.run(seen).tolist() for _ in range(RUNS_OF_BOTH_TIERS)]
    assert totals == [[2 * (1.0 + 6 * n), 2 * (2.0 + 6 * n)] for n in range(1, 6)]


def test_a_long_plan_is_lowered_when_it_has_run_for_as_long_as_that_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executor, "_FEW_STEPS", 2)
    x = y = td.placeholder(td.float32, [])
    for _ in range(8):
        y = y + 1.0
    with td.Session() as session:
        monkeypatch.setattr(executor, "_SECONDS_TO_LOWER", 1e6)
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(y, {x: 1})
        [planned] = executors(session)
        tiers = [planned._hot]
        planned._seconds = 0.0
        assert [session.run(y, {x: 1}) for _ in range(2)] == [9, 9]
        tiers.append(planned._hot)
        assert [tier is None for tier in tiers] == [True, False]


def test_memory_is_freed_inside_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    import tracemalloc

    monkeypatch.setattr(compiler, "_MOST_STEPS_OF_A_FUNCTION", 4)
    x = y = td.placeholder(td.float64, [1 << 16])
    for _ in range(20):
        y = td.cumsum(y)
    value = np.zeros(1 << 16)
    with td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            tracemalloc.start()
            session.run(y, {x: value})
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 3.5 * value.nbytes


# Fused steps -------------------------------------------------------------------------------------


def _activations(x: Any) -> Any:
    return td.nn.relu6(td.sigmoid(x) * 3.0 - td.nn.softplus(x)) + td.nn.leaky_relu(x)


def _several_results(x: Any) -> Any:
    y = x * 2.0
    z = td.exp(-td.abs(y))
    return [y, z, z > 0.5, td.cast(z * 100.0, td.uint8), y + td.where(y > z, y, z)]


def _bias(x: Any) -> Any:
    scale = td.constant(np.linspace(-1, 1, 5), x.dtype)
    return td.nn.relu(x * scale + td.constant(np.arange(5.0)[None], x.dtype)) - 1.0


def _through_others(x: Any) -> Any:
    y = x + 1.0
    z = td.cumsum(y * 2.0, axis=0)
    return (y - z) * td.reduce_sum(z)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [td.float32, td.float64, td.float16])
@pytest.mark.parametrize("shape", [(7, 5), (1, 5), (2, 3, 5), (0, 5)])
@pytest.mark.parametrize("function", [_activations, _several_results, _bias, _through_others])
def test_fused_steps_give_the_same_bits(
    function: Callable[[Any], Any], shape: tuple[int, ...], dtype: td.DType, threads: int
) -> None:
    x = td.placeholder(dtype, [None, *shape[1:]])
    values = np.random.default_rng(0).normal(size=shape).astype(dtype.as_numpy_dtype)
    fetches = function(x)
    plain = runs(fetches, {x: values})
    with tiny_blocks():
        fused = runs(fetches, {x: values}, intra_op_parallelism_threads=threads)
    for results in (*plain, *fused):
        np.testing.assert_equal(results, plain[0])


def test_a_chain_behind_a_loop_whose_first_results_are_unread_is_fused() -> None:
    x = td.placeholder(td.float32, [None, 4])
    *_, last = td.while_loop(
        lambda i, *_: i < 2, lambda i, y, z: (i + 1, y + z, z * 2.0), [td.constant(0), x, x]
    )
    with tiny_blocks():
        results = runs(td.exp(last + 1.0) * 2.0, {x: np.ones([3, 4], "f")})
    for result in results:
        np.testing.assert_allclose(result, np.full([3, 4], 2 * np.exp(5.0)), 1e-6)


def test_other_shapes_than_before_run_one_by_one() -> None:
    x, y = td.placeholder(td.float32), td.placeholder(td.float32)
    z = td.exp(x * 2.0 + y)
    with tiny_blocks(), td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            session.run(z, {x: np.ones([2, 3]), y: np.ones([3])})
        assert len(programs(session)) == 1
        for a, b in [([4, 3], [4, 3]), ([3], [2, 1]), ([], []), ([2, 3], [6]), ([0, 3], [3])]:
            feeds = {x: np.full(a, 0.5, np.float32), y: np.full(b, 0.25, np.float32)}
            try:
                expected = np.exp(feeds[x] * np.float32(2) + feeds[y])
            except ValueError:
                with pytest.raises(td.errors.InvalidArgumentError, match=r"\[2,3\].*\[6\]"):
                    session.run(z, feeds)
            else:
                np.testing.assert_array_equal(session.run(z, feeds), expected)
        transposed = np.arange(6, dtype=np.float32).reshape(3, 2).T
        np.testing.assert_array_equal(
            session.run(z, {x: transposed, y: 0.0}), np.exp(transposed * np.float32(2))
        )


def test_a_failure_in_a_fused_step_names_its_op() -> None:
    x = td.placeholder(td.int32, [4])
    y = td.floordiv(10, x + 1, name="divided") * 2
    with tiny_blocks(), td.Session() as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            with pytest.raises(td.errors.InvalidArgumentError, match="'divided'"):
                session.run(y, {x: [0, 1, -1, 2]})
            np.testing.assert_array_equal(session.run(y, {x: [0, 1, 4, 9]}), [20, 10, 4, 2])


@tries(100, suppress_health_check=list(HealthCheck))
@given(examples())
def test_all_tiers_agree_on_random_graphs(example: Example) -> None:
    graph, feeds, _ = example
    results, _ = results_of(graph, feeds)
    tensors = [graph.get_tensor_by_name(name) for name in results]
    assume(not any(op.definition.traits.stateful for op in graph.get_operations()))
    first = None
    for most_steps in (1_000, 2):
        with tiny_blocks(), functions_of(most_steps), td.Session(graph=graph) as session:
            try:
                results = session.run(tensors, feeds)
            except td.errors.OpError:  # updates in place are in each other's way
                return
            first = first or results
            for _ in range(RUNS_OF_BOTH_TIERS):
                np.testing.assert_equal(session.run(tensors, feeds), first)


# Threads -----------------------------------------------------------------------------------------


def test_independent_steps_run_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_HEAVY_SECONDS", 0.0)
    x = td.placeholder(td.float64, [None])
    index = td.placeholder(td.int32, [])
    y = td.cumsum(td.sin(x)) + td.cumsum(td.cos(x))
    z = td.gather(td.exp(x), index, name="picked") + td.reduce_max(y)
    values = np.linspace(0, 9, 1000)
    feeds = {x: values, index: 3}
    one = runs([y, z], feeds)
    several = runs([y, z], feeds, inter_op_parallelism_threads=3)
    for results in several:
        np.testing.assert_equal(results, one[0])
    config = td.ConfigProto(inter_op_parallelism_threads=3)
    with td.Session(config=config) as session:
        for _ in range(RUNS_OF_BOTH_TIERS):
            with pytest.raises(td.errors.InvalidArgumentError, match="'picked'"):
                session.run(z, {x: values, index: 1000})
            np.testing.assert_equal(session.run([y, z], feeds), one[0])


def test_constants_of_one_number_are_numbers_in_fused_steps() -> None:
    x = td.placeholder(td.float32, [None, 32])
    y = td.tanh(x * td.constant(np.full((40, 32), 3.0, "f")) - td.constant(np.full(32, 0.5, "f")))
    value = np.random.default_rng(0).standard_normal((40, 32)).astype("f")
    with tiny_blocks(), td.Session() as session:
        found = [session.run(y, {x: value}) for _ in range(RUNS_OF_BOTH_TIERS)]
        [program] = programs(session)
        assert len(program.parts) == 3
        row = session.run(y, {x: value[:1]})
    wanted = np.tanh(value * np.float32(3) - np.float32(0.5))
    for result in found:
        np.testing.assert_array_equal(result, wanted)
    np.testing.assert_array_equal(row, np.broadcast_to(wanted[0], (40, 32)))


def test_slopes_are_fused_across_what_only_waits() -> None:
    w = td.Variable(np.linspace(-1, 1, 8, dtype="f").reshape(8, 1))
    x = np.random.default_rng(0).standard_normal((50, 8)).astype("f")
    labels = (x[:, :1] > 0).astype("f")
    losses = td.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=td.matmul(x, w))
    step = td.train.GradientDescentOptimizer(0.5).minimize(td.reduce_mean(losses))
    weights = []
    with tiny_blocks(), td.Session() as session, td.Session(optimize="exact") as exact:
        for each in (session, exact):
            each.run(w.initializer)
            for _ in range(RUNS_OF_BOTH_TIERS):
                each.run(step)
            weights.append(each.run(w))
        [program] = programs(session)
    ran = {part.op.type for part in program.parts}
    assert {"SoftplusGrad", "LessEqual", "SelectV2", "AddN"} <= ran
    np.testing.assert_array_equal(*weights)
