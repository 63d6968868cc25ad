"""Names of layers and of their variables, as TensorFlow gives them."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")
keras: Any = td.keras


def test_the_name_of_a_layer_is_counted_when_it_is_made() -> None:
    first, second, named = td.layers.Dense(2), td.layers.Dense(2), td.layers.Dense(2, name="fc")
    x = td.ones([2, 3])
    second.apply(x)
    first.apply(x)
    assert [first.name, second.name, named.name] == ["dense_1", "dense_2", "fc"]
    # The scope is numbered by itself, when it is opened.
    assert [first.scope_name, second.scope_name] == ["dense_1", "dense"]
    assert keras.layers.Dense(2).name == "dense_2"


def test_layers_of_keras_have_variables_of_their_own_in_scopes_that_are_reused() -> None:
    x = td.ones([2, 3])
    with td.variable_scope("s", reuse=td.AUTO_REUSE):
        first = keras.layers.Dense(2)
        first(x)
    with td.variable_scope("s", reuse=True):
        second = keras.layers.Dense(2)
        second(x)
    assert {v.name for v in first.weights}.isdisjoint(v.name for v in second.weights)


def test_weights_that_are_added_to_a_layer_that_is_built() -> None:
    with td.variable_scope("s"):
        layer = keras.layers.Layer(name="own")
        layer.built = True
        one, other = layer.add_weight("w", [2]), layer.add_weight("w", [2])
    assert [one.name, other.name] == ["s/own/w:0", "s/own/w_1:0"]


def test_products_of_stacks_are_named_like_those_of_matrices() -> None:
    assert td.matmul(td.ones([2, 3, 4]), td.ones([2, 4, 5])).name == "MatMul:0"
    assert td.matmul(td.ones([3, 4]), td.ones([4, 5])).name == "MatMul_1:0"
