"""The rules by which op types are differentiated, by the name under which they are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .graph_protocols import Op


class Rule(NamedTuple):
    """How an op turns the gradients of its outputs into those of its inputs.

    Args:
        function: takes the op and a gradient for each output; returns for each input a gradient,
            None, or a function without arguments that makes it, which is called if it is needed.
            It is None itself where the op lets no gradient pass.
        fills: whether an output that nothing depends on has a gradient of zeros, instead of None.
        takes_slices: whether a gradient may be IndexedSlices, instead of being made dense before.
        asks: whether the function takes, behind the op, which inputs' gradients are wanted: a
            list of bools.
    """

    function: Callable[..., Any] | None
    fills: bool = True
    takes_slices: bool = True
    asks: bool = False


RULES: dict[str, Rule] = {}


def register(name: str, rule: Rule) -> None:
    """Makes `rule` that of the op type `name`, or of what ops call so in `_gradient_op_type`.

    Raises:
        TypeError: `name` is no string.
        KeyError: the name has a rule already.
    """
    if not isinstance(name, str):
        raise TypeError(f"a gradient is registered for the name of an op type, got {name!r}")
    if name in RULES:
        raise KeyError(f"a gradient is registered for {name!r} already")
    RULES[name] = rule


def rule_of(op: Op) -> Rule | None:
    """The rule of an op, or None where nobody has registered one."""
    name = op.type
    if "_gradient_op_type" in op.attrs:
        name = op.get_attr("_gradient_op_type").decode()
    return RULES.get(name)
