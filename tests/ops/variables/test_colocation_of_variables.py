"""The attr `_class` of the ops that belong to a variable, as TensorFlow 2.21 writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensordraft as td


def _classes() -> dict[str, list[str]]:
    """The colocation groups that the nodes of the graph name."""
    nodes = td.get_default_graph().as_graph_def().node
    return {
        node.name: [group.decode() for group in node.attr["_class"].list.s]
        for node in nodes
        if "_class" in node.attr
    }


def _minimize() -> None:
    v = td.Variable([1.0, 2.0], name="v")
    td.train.MomentumOptimizer(0.1, 0.9).minimize(td.reduce_sum(v), var_list=[v])


def _metric() -> None:
    td.metrics.mean([1.0])


def _regularized() -> None:
    td.get_variable("v", [2], initializer=td.zeros_initializer(), regularizer=td.nn.l2_loss)


CASES: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "Variable": (
        lambda: td.Variable(1.0, name="v"),
        {"v/Assign": "v", "v/read": "v"},
    ),
    "Variable of a function": (
        lambda: td.Variable(lambda: td.ones([2]), name="v"),
        {"v/Initializer/ones": "v", "v": "v", "v/Assign": "v", "v/read": "v"},
    ),
    "get_variable": (
        _regularized,
        {
            "v/Initializer/zeros": "v",
            "v": "v",
            "v/Assign": "v",
            "v/read": "v",
            "v/Regularizer/L2Loss": "v",
        },
    ),
    "resource": (
        lambda: td.get_variable("v", [2], initializer=td.ones_initializer(), use_resource=True),
        {"v/Initializer/ones": "v", "v": "v"},
    ),
    "updates": (
        lambda: td.assign_add(td.Variable(1.0, name="v"), 2.0),
        {"v/Assign": "v", "v/read": "v", "AssignAdd": "v"},
    ),
    "a read beside": (
        lambda: td.Variable(1.0, name="v").initialized_value() * 2.0,
        {"v/Assign": "v", "v/read": "v"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_ops_of_a_variable_are_beside_it(name: str) -> None:
    make, expected = CASES[name]
    with td.Graph().as_default():
        make()
        found = _classes()
    assert {key: found.get(key) for key in expected} == {
        key: [f"loc:@{name}"] for key, name in expected.items()
    }


def test_slots_and_their_updates_are_beside_the_variable() -> None:
    with td.Graph().as_default():
        _minimize()
        found = _classes()
    of_slot = [name for name in found if name.startswith("v/Momentum")]
    assert len(of_slot) == 4
    update = "Momentum/update_v/ApplyMomentum"
    assert {tuple(found[name]) for name in [*of_slot, update]} == {("loc:@v",)}


def test_counts_of_metrics_have_initializers() -> None:
    with td.Graph().as_default():
        _metric()
        found = _classes()
    assert found["mean/total/Initializer/zeros"] == ["loc:@mean/total"]
    assert found["mean/AssignAdd"] == ["loc:@mean/total"]


def test_what_a_branch_updates_is_not_named_in_it() -> None:
    with td.Graph().as_default() as graph, td.Session(graph=graph) as session:
        v = td.Variable(1.0, name="v")
        flag = td.placeholder(td.bool, [])
        with td.colocate_with(v):
            changed = td.cond(flag, lambda: td.identity(v.assign_add(2.0)), lambda: v + 0.0)
        session.run(v.initializer)
        assert session.run([changed], {flag: True}) == [3.0]


def test_blocks_within_a_branch_take_ops_around_it() -> None:
    with td.Graph().as_default() as graph, td.Session(graph=graph) as session:
        x = td.constant(2.0)

        def branch() -> td.Tensor:
            with td.colocate_with(x):
                return x * 3.0

        assert session.run(td.cond(td.constant(True), branch, lambda: x)) == 6.0


def test_another_graph_is_refused() -> None:
    with td.Graph().as_default():
        other = td.constant(1.0)
    with (
        td.Graph().as_default(),
        pytest.raises(ValueError, match="not an element of this graph"),
        td.colocate_with(other),
    ):
        pass
