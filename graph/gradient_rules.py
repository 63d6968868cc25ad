"""Registry of gradient functions by op type or registered name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .graph_protocols import Op


class Rule(NamedTuple):
    """Gradient function of an op type, with its options.

    Args:
        function: takes the op and a gradient for each output; returns for each input a gradient,
            None, or a function without arguments that makes it, which is called if it is needed.
            It is None itself where the op lets no gradient pass.
        fills: whether an output that nothing depends on has a gradient of zeros, instead of None.
        takes_slices: whether gradients may be IndexedSlices; otherwise they are made dense first.
        asks: whether the function takes, behind the op, which inputs' gradients are wanted: a
            list of bools.
    """

    function: Callable[..., Any] | None
    fills: bool = True
    takes_slices: bool = True
    asks: bool = False


RULES: dict[str, Rule] = {}


def register(name: str, rule: Rule) -> None:
    """Registers `rule` for the op type `name`, or for that value of `_gradient_op_type`.

    Raises:
        TypeError: `name` is not a string.
        KeyError: the name already has a rule.
    """
    if not isinstance(name, str):
        raise TypeError(f"a gradient is registered for the name of an op type, got {name!r}")
    if name in RULES:
        raise KeyError(f"a gradient is registered for {name!r} already")
    RULES[name] = rule


def rule_of(op: Op) -> Rule | None:
    """Registered rule of an op, or None."""
    name = op.type
    if "_gradient_op_type" in op.attrs:
        name = op.get_attr("_gradient_op_type").decode()
    return RULES.get(name)
