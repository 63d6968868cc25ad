"""Partition of TensorArrays: each chunk has an array of its slices of the elements.

The handle of an array only identifies the chunk; flows describe the elements.
"""

from __future__ import annotations

from ...shape_inference.split_parts import (
    WHOLE,
    NotSplittable,
    Part,
    Partition,
    Rule,
    SplitContext,
    along,
    listed,
    partial,
)
from .list_partition import falls_with, whole_falls

_OWN = listed()
_SAME = listed(-2)
"""Kind of an array whose elements are the same in all chunks."""


def made_array(c: SplitContext) -> Partition:
    """The rule of what makes an array."""
    return falls_with(c, {}, [_OWN] * len(c.node.outputs))


def gradient_array(c: SplitContext) -> Partition:
    """The rule of what makes the array of the gradients of another's elements, which are alike."""
    handle, flow = c.part("handle"), c.part("flow_in")
    if handle != _OWN:
        return whole_falls(c)
    flow = _OWN if flow == WHOLE else flow
    return falls_with(c, _of_array(c), [_OWN, flow][: len(c.node.outputs)])


def size_of_array(c: SplitContext) -> Partition:
    """The rule of the number of elements."""
    if c.part("handle") != _OWN:
        return whole_falls(c)
    return falls_with(c, _of_array(c), [partial("first")])


def written_array(outer: int, *, joined: bool = False) -> Rule:
    """The rule of what writes `value` into an array.

    Args:
        outer: how many axes `value` has that the elements have not.
        joined: elements are cut from its first axis.
    """

    def rule(c: SplitContext) -> Partition:
        part, flow = c.part("value"), c.part("flow_in")
        if c.part("handle") != _OWN:
            if part.kind == "split":
                raise NotSplittable("the array is one for all rows")
            return whole_falls(c)
        axis = part.axis - outer if part.kind == "split" else _SAME.axis
        if part.kind == "split" and (axis < 0 or (joined and axis == 0)):
            raise NotSplittable("its rows come to lie in different elements")
        # A flow of no op of the array, as gradients begin with, describes no other elements.
        if flow not in (_OWN, WHOLE, listed(axis)):
            raise NotSplittable("other elements are not split like this one")
        taken = {**_of_array(c), "value": part if part.kind == "split" else WHOLE}
        return falls_with(c, taken, [listed(axis)])

    return rule


def read_array(outer: int, *, joined: bool = False) -> Rule:
    """The rule of what reads elements.

    Args:
        outer: how many axes the result has that the elements have not.
        joined: elements are put together along their first axis.
    """

    def rule(c: SplitContext) -> Partition:
        flow = c.part("flow_in")
        if c.part("handle") != _OWN:
            return whole_falls(c)
        if flow in (_OWN, WHOLE) or (joined and flow.axis == 0):
            raise NotSplittable(
                "it is not known how the elements are split, or they are joined along rows"
            )
        partition = partial("first") if flow == _SAME else along(flow.axis + outer)
        rest = [partial("first")] * (len(c.node.outputs) - 1)
        return falls_with(c, _of_array(c), [partition, *rest])

    return rule


def _of_array(c: SplitContext) -> dict[str, Part]:
    return {"handle": c.part("handle"), "flow_in": c.part("flow_in")}
