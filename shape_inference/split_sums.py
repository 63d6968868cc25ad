"""Sums that are given summand by summand: what chunks add up to need not be there to go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .protocols import Edge
from .split_parts import WHOLE, Part, Partition, SplitContext, partial
from .symbolic.symbolic import equal
from .traits import Constant, Move

_LINEAR = ("sum", "mean")


def adds_up(
    c: SplitContext,
    found: Sequence[Part],
    zero: Callable[[Any], bool],
    at_hand: Callable[[Any], bool],
) -> Partition | None:
    """Split of an op that maps summands to summands of its result; None if it does not.

    Args:
        c: the op.
        found: the part of each input, what is combined being partial.
        zero: returns whether an input is known to be zero.
        at_hand: returns whether the chunks have the whole value, so that nothing has to be sent.
    """
    hows = {part.how for part in found if part.kind == "partial"}
    how = next(iter(hows)) if len(hows) == 1 else ""
    if how not in _LINEAR:
        return None
    positions = c.node.definition.input_positions(c.node.attrs)
    for group in filter(None, c.node.definition.traits.sums.split("|")):
        inside: set[int] = set()
        for name in group.split(","):
            where = positions[name]
            inside.update(where if isinstance(where, range) else [where])
        if all(
            _is_of_result(c, edge, part, zero) if i in inside else part == WHOLE and at_hand(edge)
            for i, (edge, part) in enumerate(zip(c.node.inputs, found, strict=True))
        ):
            return Partition(list(found), [partial(how)] * len(c.node.outputs))
    return None


def _is_of_result(c: SplitContext, edge: Edge, part: Part, zero: Callable[[Any], bool]) -> bool:
    """Returns whether an input is as large as the result, so that its summands cost no more."""
    if part.kind != "partial":
        return part == WHOLE and zero(edge)
    if isinstance(c.node.definition.traits, Move):
        return True
    sizes: Any = c.out_shape().sizes
    own: Any = c.shape_of(edge).sizes
    if sizes is None or own is None or len(sizes) != len(own):
        return False
    return all(equal(x, y) is True for x, y in zip(sizes, own, strict=True))


def is_zero(edge: Edge, known: Callable[[Any], bool] | None = None) -> bool:
    """Returns whether a tensor is known to be zero.

    Args:
        edge: the tensor.
        known: returns whether a tensor is otherwise known to be zero.
    """
    while not (known is not None and known(edge)):
        node: Any = edge.op
        traits = node.definition.traits
        if traits.zeros:
            return True
        if isinstance(traits, Constant):
            value: Any = node.attrs["value"].array
            return value.dtype.kind in "iufc" and not value.any()
        if traits.splits == "=":
            edge = node.inputs[node.outputs.index(edge)]
        elif traits.repeats is not None:
            edge = node.inputs[node.definition.input_positions(node.attrs)[traits.repeats]]
        else:
            return False
    return True
