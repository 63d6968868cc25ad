"""What is known of a graph before it runs holds in every run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from random_graphs import Example, examples
from soundness import Claim, claims_of, first_contradiction, listing, results_of

import tensordraft as td
from tensordraft.shape_inference.symbolic import evaluate, symbols_of

# TENSORDRAFT_SOUNDNESS=2000 tries more, other examples.
_MORE = os.environ.get("TENSORDRAFT_SOUNDNESS")
_SETTINGS = settings(
    max_examples=int(_MORE or 300),
    derandomize=_MORE is None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@_SETTINGS
@given(examples())
def test_what_a_graph_knows_holds_in_a_run(example: Example) -> None:
    graph, feeds, sizes = example
    claims = claims_of(graph)
    results, _ = results_of(graph, feeds)
    note(listing(graph))
    assert first_contradiction(claims, results, dict(sizes)) is None


@_SETTINGS
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
