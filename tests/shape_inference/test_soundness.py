"""Soundness: static facts about a graph hold in every run."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from effort import examples as tries
from hypothesis import HealthCheck, assume, given, note, strategies as st
from random_graphs import Example, examples
from soundness import Claim, claims_of, first_contradiction, listing, results_of

import tensordraft as td
from tensordraft.shape_inference.symbolic.symbolic import evaluate, symbols_of

_WHATEVER_IT_TAKES = list(HealthCheck)


@pytest.fixture(autouse=True)
def no_large_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random sizes may be the sizes of anything."""
    monkeypatch.setattr(td.config, "max_tensor_bytes", 1 << 22)


@tries(200, suppress_health_check=_WHATEVER_IT_TAKES)
@given(examples())
def test_what_a_graph_knows_holds_in_a_run(example: Example) -> None:
    graph, feeds, sizes = example
    claims = claims_of(graph)
    results, _ = results_of(graph, feeds)
    note(listing(graph))
    assert first_contradiction(claims, results, dict(sizes)) is None


@tries(200, suppress_health_check=_WHATEVER_IT_TAKES)
@given(examples())
def test_what_a_check_finds_holds_if_everything_runs(example: Example) -> None:
    graph, feeds, sizes = example
    results, failed = results_of(graph, feeds)
    report = td.check_graph(graph)
    note(listing(graph))
    note(str(report))
    if failed:
        return
    assert report.ok
    claims = [Claim(fact.name, fact.shape, fact.value) for fact in report.tensors]
    seen = dict(sizes)
    assert first_contradiction(claims, results, seen) is None
    for requirement in report.requirements:
        left, right = requirement.left, requirement.right
        if symbols_of(left) | symbols_of(right) <= seen.keys():
            x, y = evaluate(left, seen), evaluate(right, seen)
            assert x == y if requirement.kind == "equal" else x % y == 0


@tries(80, suppress_health_check=_WHATEVER_IT_TAKES)
@given(examples(), st.randoms(use_true_random=False))
def test_what_is_known_of_a_tensor_is_forgotten_where_it_is_fed(
    example: Example, random: Random
) -> None:
    """A run with a fed tensor gives what the graph gives that has a placeholder in its place."""
    graph, feeds, _ = example
    ops = graph.get_operations()
    computed = [
        tensor
        for op in ops
        for tensor in op.outputs
        if not op.type.startswith("Placeholder") and tensor.dtype != td.string
    ]
    assume(computed and not any(op.definition.traits.aliases for op in ops))
    fed = random.choice(computed)
    results, _ = results_of(graph, feeds)
    assume(fed.name in results)
    old = results[fed.name]
    value = np.array([random.randint(0, 3) for _ in range(old.size)]).reshape(old.shape)
    with td.Graph().as_default() as other:
        stand_in = td.placeholder(fed.dtype, name="stand_in")
        try:
            td.import_graph_def(graph.as_graph_def(), {fed.name: stand_in}, name="")
        except ValueError:
            assume(False)  # an op needs to know more of it
    other_feeds = {other.get_tensor_by_name(x.name): array for x, array in feeds.items()}
    note(f"{fed} = {value.tolist()}\n{listing(graph)}")
    actual, _ = results_of(graph, feeds | {fed: value.astype(old.dtype)})
    expected, _ = results_of(other, other_feeds | {stand_in: value.astype(old.dtype)})
    for name in actual.keys() & expected.keys() - {fed.name}:
        np.testing.assert_array_equal(actual[name], expected[name])
