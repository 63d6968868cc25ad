"""`get_variable` and variable scopes: names, reuse, defaults, custom getters, initializers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensordraft as td


def test_names_follow_the_scopes(graph: td.Graph) -> None:
    with td.variable_scope("a"):
        v = td.get_variable("v", [1])
        with td.variable_scope("b"), td.name_scope("n"):
            w = td.get_variable("w", [1])
            x = td.add(1, 2, name="x")
    assert (v.name, w.name, x.name) == ("a/v:0", "a/b/w:0", "a/b/n/x:0")
    with td.variable_scope("a") as scope:
        assert td.add(1, 2, name="x").name == "a_1/x:0"
        assert (scope.name, scope.original_name_scope) == ("a", "a_1/")
    with td.variable_scope(scope, auxiliary_name_scope=False):
        assert td.add(1, 2, name="y").name == "y:0"
        assert td.get_variable("late", [1]).name == "a/late:0"


def test_reuse(graph: td.Graph) -> None:
    with td.variable_scope("s"):
        v = td.get_variable("v", [1])
        with pytest.raises(
            ValueError, match=r"'s/v' already exists, made at .*test_variable_scopes"
        ):
            td.get_variable("v", [1])
    with td.variable_scope("s", reuse=True):
        assert td.get_variable("v", [1]) is v
        assert td.get_variable("v") is v
        with pytest.raises(ValueError, match="'s/w' does not exist, or was not created"):
            td.get_variable("w", [1])
        with pytest.raises(ValueError, match=r"specified shape \(2,\) and found shape \(1,\)"):
            td.get_variable("v", [2])
        with pytest.raises(ValueError, match="specified dtype int32 and found dtype float32"):
            td.get_variable("v", [1], td.int32)
        with td.variable_scope("inner"), pytest.raises(ValueError, match="does not exist"):
            td.get_variable("v", [1])
    with td.variable_scope("s", reuse=td.AUTO_REUSE):
        assert td.get_variable("v", [1]) is v
        assert td.get_variable("w", [1]).name == "s/w:0"
    with td.variable_scope("s") as scope:
        scope.reuse_variables()
        assert td.get_variable("v") is v
    assert not td.get_variable_scope().reuse


def test_a_default_name_is_made_unique(graph: td.Graph) -> None:
    names = []
    for _ in range(2):
        with td.variable_scope(None, default_name="block"):
            names.append(td.get_variable("v", [1]).name)
    assert names == ["block/v:0", "block_1/v:0"]
    with pytest.raises(TypeError, match="needs a name"), td.variable_scope(None):
        pass


def test_a_scope_gives_defaults(graph: td.Graph) -> None:
    fives = td.constant_initializer(5)
    with td.variable_scope("s", initializer=fives, dtype=td.int32) as scope, td.Session() as run:
        v = td.get_variable("v", [2])
        w = td.get_variable("w", [2], td.float32, td.ones_initializer())
        with td.variable_scope("inner"):
            x = td.get_variable("x", [1])
        run.run(td.global_variables_initializer())
        assert [value.tolist() for value in run.run([v, w, x])] == [[5, 5], [1, 1], [5]]
    assert scope.global_variables() == [v, w, x]


def test_a_getter_may_stand_in_between(graph: td.Graph) -> None:
    asked: list[str] = []

    def custom(getter: Any, name: str, *args: Any, **settings: Any) -> Any:
        asked.append(name)
        return td.identity(getter(name, *args, **settings), name="wrapped")

    with td.variable_scope("s", custom_getter=custom):
        v = td.get_variable("v", [1])
    assert asked == ["s/v"]
    assert v.op.type == "Identity"


def test_a_regularizer_adds_a_loss(graph: td.Graph) -> None:
    v = td.get_variable("v", [2], regularizer=td.nn.l2_loss)
    [loss] = td.get_collection(td.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.name.startswith("v/Regularizer/")
    with td.Session() as session:
        session.run(v.assign([3.0, 4.0]))
        assert session.run(loss) == 12.5


def test_initial_values_may_be_given(graph: td.Graph) -> None:
    v = td.get_variable("v", initializer=np.array([1, 2], np.int64), dtype=td.int64)
    w = td.get_variable("w", initializer=td.constant([3.5]))
    with pytest.raises(ValueError, match="is a constant, do not specify shape"):
        td.get_variable("x", [1], initializer=td.constant([3.5]))
    with pytest.raises(ValueError, match="must be fully defined"):
        td.get_variable("y")
    assert (v.shape.as_list(), w.dtype.base_dtype) == ([2], td.float32)


def test_local_variables(graph: td.Graph) -> None:
    v = td.get_local_variable("v", [1])
    assert td.local_variables() == [v]
    assert td.global_variables() == td.trainable_variables() == []


def value_of(initializer: Any, shape: list[int], dtype: Any = None) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        return session.run(initializer(shape, dtype))


def test_constant_initializers() -> None:
    assert value_of(td.zeros_initializer(), [2]).tolist() == [0, 0]
    assert value_of(td.ones_initializer(), [2], td.int64).dtype == np.int64
    assert value_of(td.constant_initializer([1, 2, 3]), [2, 3]).tolist() == [[1, 2, 3], [3, 3, 3]]
    with pytest.raises(TypeError, match="shape"):
        value_of(td.constant_initializer([1, 2], verify_shape=True), [2, 3])
    with pytest.raises(ValueError, match="known"):
        td.zeros_initializer()([None])


def test_random_initializers() -> None:
    uniform = value_of(td.random_uniform_initializer(-2, 3, seed=1), [1000])
    assert -2 <= uniform.min() < -1.5 < 2.5 < uniform.max() < 3
    whole = value_of(td.random_uniform_initializer(0, 4, dtype=td.int32), [1000])
    assert sorted(set(whole.tolist())) == [0, 1, 2, 3]
    normal = value_of(td.random_normal_initializer(5.0, 0.5, seed=1), [2000])
    assert abs(normal.mean() - 5) < 0.1
    assert abs(normal.std() - 0.5) < 0.05
    truncated = value_of(td.truncated_normal_initializer(0.0, 1.0, seed=1), [2000])
    assert np.abs(truncated).max() <= 2
    glorot = value_of(td.glorot_uniform_initializer(seed=1), [30, 20])
    assert 0.9 * np.sqrt(6 / 50) < np.abs(glorot).max() <= np.sqrt(6 / 50)
    scaled = value_of(td.variance_scaling_initializer(2.0, seed=1), [400, 10])
    assert abs(scaled.std() - np.sqrt(2 / 400)) < 0.005


def test_the_same_seed_begins_with_the_same_numbers() -> None:
    one, other = (value_of(td.random_normal_initializer(seed=7), [5]) for _ in range(2))
    assert one.tolist() == other.tolist()


def test_initializers_are_described_and_made_again() -> None:
    first = td.random_uniform_initializer(-1, 1, seed=3, dtype=td.float64)
    second = td.random_uniform_initializer.from_config(first.get_config())
    assert value_of(first, [3]).tolist() == value_of(second, [3]).tolist()
    with pytest.raises(ValueError, match="mode must be"):
        td.variance_scaling_initializer(mode="fan")
