"""The table of rules: from an op type of TensorFlow to what writes it in ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .calls import Call
from .element_types import OLDEST
from .values import Value

RuleFunction = Callable[[Call], Any]


class Rule(NamedTuple):
    """A rule.

    Args:
        function: writes the op.
        nodes: the ops of ONNX that it writes, for the coverage page; "" where that is many.
        any_order: whether it gives the same elements in whatever order the axes are, so that it
            also works on channels first.
        since: the oldest version of ONNX in which it works.
        channels: writes the op for inputs with channels first; None if it cannot.
    """

    function: RuleFunction
    nodes: str = ""
    any_order: bool = False
    since: int = OLDEST
    channels: Callable[[Any], Any] | None = None


RULES: dict[str, Rule] = {}


def rule(
    types: str, *, any_order: bool = False, nodes: str = "", since: int = OLDEST
) -> Callable[[RuleFunction], RuleFunction]:
    """Registers the function as the rule of op types.

    Args:
        types: the op types.
        any_order: as of `Rule`.
        nodes: as of `Rule`.
        since: as of `Rule`.
    """

    def register(function: RuleFunction) -> RuleFunction:
        for name in types.split():
            if name in RULES:
                raise ValueError(f"{name} has a rule already")
            RULES[name] = Rule(function, nodes, any_order, since)
        return function

    return register


def channels_rule(types: str) -> Callable[[RuleFunction], RuleFunction]:
    """Registers the function as what writes op types for inputs with channels first."""

    def register(function: RuleFunction) -> RuleFunction:
        for name in types.split():
            RULES[name] = RULES[name]._replace(channels=function)
        return function

    return register


def one_to_one(table: Mapping[str, str], *, any_order: bool = False) -> None:
    """Registers op types that one op of ONNX computes from the same inputs.

    Args:
        table: the op types of TensorFlow by the op of ONNX.
        any_order: as of `Rule`.
    """
    for op_type, names in table.items():
        rule(names, any_order=any_order, nodes=op_type)(_same(op_type))


def _same(op_type: str) -> RuleFunction:
    def write(c: Call) -> Value:
        result: Value = c.node(op_type, *c.inputs)
        return result

    return write
