"""Initial values of variables and settings of copies, compared with TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
READ = td.VariableSynchronization.ON_READ


def names() -> list[str]:
    return [op.name for op in td.get_default_graph().get_operations()]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        *((np.int64(3), td.int64), ([1, 2], td.int32), (True, td.bool), (2.5, td.float32)),
        *(("text", td.string), (np.zeros([2]), td.float64), (lambda: td.constant(1), td.int32)),
    ],
)
def test_a_variable_has_the_dtype_of_what_it_begins_with(value: Any, dtype: td.DType) -> None:
    with td.variable_scope("scope", dtype=td.float16):
        assert td.get_variable("v", initializer=value).dtype.base_dtype is dtype


def test_a_dtype_beside_a_value_has_to_be_its_own() -> None:
    with pytest.raises(ValueError, match="'int32' and explicit dtype 'float32' don't match"):
        td.get_variable("v", initializer=3, dtype=td.float32)
    td.get_variable("w", initializer=np.int64(3))
    with td.variable_scope("", reuse=True):
        assert td.get_variable("w", dtype=td.int64).name == "w:0"
        with pytest.raises(ValueError, match="specified dtype float32 and found dtype int64"):
            td.get_variable("w")


def test_names_of_initial_values() -> None:
    td.get_variable("a", initializer=lambda: td.ones([2]))
    td.Variable([1.0], name="b")
    td.Variable([1.0], name="c", use_resource=True)
    td.get_variable("d", [2], initializer=td.random_uniform_initializer(1, 2))
    found = names()
    for name in "a/Initializer/ones", "b/initial_value", "c/Initializer/initial_value":
        assert name in found
    assert {f"d/Initializer/random_uniform/{name}" for name in ("sub", "mul")} <= {*found}


@pytest.mark.parametrize("use_resource", [False, True])
def test_the_value_or_what_a_variable_begins_with(use_resource: bool) -> None:
    v: Any = td.Variable([1.0, 2.0], use_resource=use_resource)
    value = v.initialized_value()
    w = td.Variable(value * 2.0)
    assert value.name == "cond/Merge:0"
    with td.Session() as session:
        session.run(w.initializer)
        assert session.run(w).tolist() == [2, 4]
        assert not session.run(v.is_initialized())
        session.run(v.initializer)
        session.run(v.assign([7.0, 8.0]))
        session.run(w.initializer)
        assert [session.run(x).tolist() for x in (v, w)] == [[7, 8], [14, 16]]


@pytest.mark.parametrize("use_resource", [False, True])
def test_copies_of_a_variable(use_resource: bool) -> None:
    v = td.Variable(1.0, use_resource=use_resource)
    assert (v.synchronization.name, v.aggregation.name, v.trainable) == ("AUTO", "NONE", True)
    w = td.get_variable("w", [], synchronization=READ, use_resource=use_resource)
    assert (w.synchronization, w.trainable) == (READ, False)
    mean = td.VariableAggregation.MEAN
    x = td.Variable(1.0, aggregation=mean, synchronization=READ, trainable=True)
    message = x.to_proto()
    assert (message.synchronization, message.aggregation, message.trainable) == (3, 2, True)
    again = td.Variable.from_proto(message)
    assert (again.synchronization, again.aggregation) == (READ, mean)
    assert td.trainable_variables() == [v, x]


def test_modes_that_are_none() -> None:
    with pytest.raises(ValueError, match="Invalid variable synchronization mode: 'x'"):
        td.Variable(1.0, synchronization="x")
    with pytest.raises(ValueError, match="aggregation mode: 2 for variable: v"):
        td.get_variable("v", [], aggregation=2)


def test_getters_are_told_all_settings() -> None:
    asked = {}

    def getter(getter: Any, name: str, **settings: Any) -> Any:
        asked[name] = settings
        return getter(name, **settings)

    td.get_variable("a", [1], custom_getter=getter)
    td.get_variable("b", [1], custom_getter=getter, synchronization=READ)
    assert [asked[name]["trainable"] for name in "ab"] == [True, False]
    assert asked["a"]["synchronization"] is td.VariableSynchronization.AUTO


def test_a_variable_behind_a_handle_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="has no truth value"):
        bool(td.Variable(1.0, use_resource=True))
    assert bool(td.Variable(0.0)) is True
