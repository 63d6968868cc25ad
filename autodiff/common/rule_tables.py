"""Tables of gradient rules: a row gives the gradient of an elementwise op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...graph import registry
from ...graph.describe import describe_op
from ...graph.gradient_rules import Rule, register
from ...graph.node import Operation, Tensor
from .static_facts import summed_to

if TYPE_CHECKING:
    Unary = Callable[[Tensor, Tensor, Tensor], Tensor]
    Binary = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def gradient_of(
    *op_types: str, takes_slices: bool = False, asks: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the rule of op types of ours.

    Outputs that nothing depends on have the gradient None. What the rule returns for an input may
    be a function without arguments, which is called only where that gradient is asked for.
    """

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        for op_type in op_types:
            register(op_type, Rule(function, False, takes_slices, asks))
        return function

    return registered


def not_differentiable(*op_types: str) -> None:
    """Marks op types with float results as not differentiable."""
    for op_type in op_types:
        register(op_type, Rule(None))


def unary(rows: Mapping[str, Unary]) -> None:
    """Registers ops of one input: each row takes the gradient, the input and the output."""
    for op_type, function in rows.items():
        gradient_of(op_type)(_unary_rule(function))


def _unary_rule(function: Unary) -> Callable[[Operation, Tensor], Tensor]:
    def rule(op: Operation, gradient: Tensor) -> Tensor:
        return function(gradient, op.inputs[0], op.outputs[0])

    return rule


def binary(rows: Mapping[str, tuple[Binary | None, Binary | None]]) -> None:
    """Registers ops of two inputs that are broadcast together.

    Each row has a function for either input, of the gradient, the two inputs and the output; the
    rule sums what it gives over the elements that broadcasting repeated.
    """
    for op_type, functions in rows.items():
        gradient_of(op_type)(_binary_rule(*functions))


def _binary_rule(
    for_x: Binary | None, for_y: Binary | None
) -> Callable[[Operation, Tensor], list[Callable[[], Tensor] | None]]:
    def rule(op: Operation, gradient: Tensor) -> list[Callable[[], Tensor] | None]:
        x, y = op.inputs
        z = op.outputs[0]
        return [
            None if for_x is None else lambda: summed_to(for_x(gradient, x, y, z), x, y),
            None if for_y is None else lambda: summed_to(for_y(gradient, x, y, z), y, x),
        ]

    return rule


def raw(op_type: str) -> Callable[..., Tensor]:
    """The function that adds ops of a type which has no public function, and one result."""

    def call(*inputs: Any, **attrs: Any) -> Tensor:
        return registry.lookup(op_type)(*inputs, **attrs)

    return call


def raw_results(op_type: str) -> Callable[..., Sequence[Tensor]]:
    """As `raw`, for a type of several results."""
    return registry.lookup(op_type)


def attr(op: Operation, name: str) -> Any:
    """The value of an attr, or None where the op has none of that name."""
    return op.get_attr(name) if name in op.attrs else None


def undefined(reason: str, *op_types: str) -> None:
    """Records why op types have no gradient; the reason becomes the error of `td.gradients`."""

    def refuse(op: Operation, *gradients: Any) -> Any:
        raise LookupError(f"No gradient defined for operation {describe_op(op)}: {reason}")

    for op_type in op_types:
        register(op_type, Rule(refuse, fills=False))


def attrs_of(op: Operation, *names: str) -> dict[str, Any]:
    """Those attrs that the op has, to be handed to another one."""
    return {name: op.get_attr(name) for name in names if name in op.attrs}
