"""Errors of variable scopes; names made by getters and default names."""

from __future__ import annotations

from typing import Any

import pytest

import tensordraft as td

pytestmark = pytest.mark.usefixtures("graph")


def test_what_is_refused() -> None:
    def entered(*args: Any, **settings: Any) -> None:
        with td.variable_scope(*args, **settings):
            pass

    with pytest.raises(TypeError, match="needs a name, a scope or a default_name"):
        entered(None)
    with pytest.raises(TypeError, match="must be a string or a VariableScope, got 3"):
        entered(3)
    with pytest.raises(ValueError, match="reuse needs a name_or_scope"):
        entered(None, "default", reuse=True)
    with pytest.raises(ValueError, match="reuse must be True, False, None or td"):
        entered("a", reuse="yes")
    wrong: Any = 3
    with pytest.raises(ValueError, match="custom_getter must be a function, got 3"):
        td.get_variable("v", [1], custom_getter=wrong)


def test_what_a_getter_adds_is_named_from_the_root() -> None:
    def doubled(getter: Any, *args: Any, **settings: Any) -> Any:
        return td.identity(getter(*args, **settings), name="doubled")

    with td.variable_scope("s", custom_getter=doubled):
        assert td.get_variable("v", [1]).name == "doubled:0"


def test_the_name_scope_of_a_default_name_is_unique_by_itself() -> None:
    with td.name_scope("layer"):
        pass
    with td.variable_scope(None, "layer") as scope:
        assert (scope.name, td.constant(1).op.name) == ("layer", "layer_1/Const")


def test_initializers_that_ask_for_a_part_or_for_nothing() -> None:
    asked = []

    def zeros(shape: Any, dtype: Any, partition_info: Any) -> Any:
        asked.append(partition_info)
        return td.zeros(shape, dtype)

    with td.Session() as session:
        v = td.get_variable("v", [2], initializer=zeros)
        w = td.get_variable("w", initializer=lambda: td.constant([1, 2]), dtype=td.int32)
        session.run(td.global_variables_initializer())
        assert [value.tolist() for value in session.run([v, w])] == [[0, 0], [1, 2]]
    assert asked == [None]
