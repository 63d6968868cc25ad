"""Formulas of costs, evaluated at the sizes of random graphs, beside what happens in their runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from effort import examples as tries
from hypothesis import HealthCheck, given
from random_graphs import Example, examples
from soundness import results_of

import tensordraft as td
from tensordraft.analysis.live_memory import is_view
from tensordraft.analysis.named_inputs import with_named_inputs
from tensordraft.session.interpreter import FlatProgram
from tensordraft.session.passes.plan_options import PlanOptions
from tensordraft.session.plan import Step
from tensordraft.session.planner import plan_under


@tries(60, suppress_health_check=list(HealthCheck))
@given(examples())
def test_what_is_written_is_what_kernels_make(example: Example) -> None:
    graph, feeds, symbols = example
    results, _ = results_of(graph, feeds)
    tensors = [graph.get_tensor_by_name(name) for name in results]
    sizes = {symbol.name: size for symbol, size in symbols.items()}
    for x, array in feeds.items():  # sizes without names are called by their inputs
        sizes |= {f"{x.op.name}.{axis}": size for axis, size in enumerate(array.shape)}
    found = td.cost(graph, tensors)
    found = found.at(**{name: sizes[name] for name in found.names if name in sizes})
    rows = {row.name: row for row in found.by_op}

    named = with_named_inputs(graph, tensors, {}, {})
    plan = plan_under(named.inference, named.ops, tensors, named.feeds, {}, PlanOptions(exact=True))
    made: dict[str, int] = {}

    def watch(step: Step, arrays: Any) -> None:
        if step.op.definition.pure and not is_view(step.op) and len(arrays) == len(step.op.outputs):
            made[step.op.name] = sum(np.asarray(array).nbytes for array in arrays)

    try:
        FlatProgram(plan).run([feeds[x] for x in named.feeds], watch)
    except td.errors.OpError:  # updates in place are in each other's way
        return
    for name, nbytes in made.items():
        row = rows[name]
        if isinstance(row.written, int):
            assert row.written == nbytes, name
        if isinstance(row.live, int):
            assert row.live >= nbytes, name
