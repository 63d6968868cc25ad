"""Partitions of branches, loops and calls: they are split where their bodies are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..graph.bodies import Body, Known
from ..graph.node import Operation, Tensor
from ..ops.control_flow.loop_facts import stable_state
from ..ops.control_flow.op_bodies import (
    branch_of,
    case_branches,
    if_branches,
    known_inputs,
    loop_bodies,
)
from ..shape_inference.split_parts import (
    OWN,
    WHOLE,
    NotSplittable,
    Part,
    Partition,
    SplitContext,
    along,
    listed,
)
from ..shape_inference.symbolic.symbolic import DimExpr, symbols_of


def bodies_fall_apart(op: Operation, around: Any, parts: Sequence[Part]) -> Partition:
    """Partition of an op with bodies: that of each body, with nothing combined inside.

    Args:
        op: the op.
        around: the propagation in the enclosing graph.
        parts: the part of each input.

    Raises:
        NotSplittable: the op cannot be split.
    """
    if any(tensor.dtype.is_ref_dtype for tensor in op.inputs):
        raise NotSplittable("its functions take references, so it cannot be sent")
    c = SplitContext(op, around.inference, around.rows, parts)
    attrs = op.attrs
    if "cond" in attrs and "body" in attrs:
        return _loop(c, around, parts)
    first = 0 if "f" in attrs else 1
    if first and parts[0].kind == "split":
        raise NotSplittable("which branch is taken depends on what is split")
    if "f" in attrs:
        bodies = [branch_of(c, attrs["f"])]
    else:
        bodies = if_branches(c) if "then_branch" in attrs else case_branches(c)
    arguments = known_inputs(c, op.inputs[first:])
    takes = [_taken(c, edge, part) for edge, part in zip(op.inputs, parts, strict=True)]
    zeros = [around.is_zero(edge) for edge in op.inputs[first:]]
    branches = [_followed(body, arguments, takes[first:], around, zeros) for body in bodies]
    results = [_of_branches(branches, i) for i in range(len(op.outputs))]
    return Partition([*([WHOLE] if first else []), *takes[first:]], results)


def _of_branches(branches: Sequence[Sequence[Result]], i: int) -> Part:
    """The common part of the results of branches; zeros are summands of any sum."""
    parts = {branch[i].part for branch in branches}
    if len(parts) > 1:
        sums = [part for part in parts if part.how == "sum"]
        others = [branch[i] for branch in branches if branch[i].part not in sums]
        if len(sums) != 1 or not all(part == WHOLE and zero for part, zero in others):
            raise NotSplittable("its branches split what they return in different ways")
        return sums[0]
    return parts.pop()


def _loop(c: SplitContext, around: Any, parts: Sequence[Part]) -> Partition:
    cond, body = loop_bodies(c)
    begun = [_begun(c, edge, part) for edge, part in zip(c.node.inputs, parts, strict=True)]
    stable = stable_state(c, body)
    state = begun
    zeros = [around.is_zero(edge) for edge in c.node.inputs]
    for _ in range(3 * len(state) + 1):
        after = [part for part, _ in _followed(body, stable, state, around, zeros)]
        still = [zero and part.how == "sum" for zero, part in zip(zeros, after, strict=True)]
        if after == state and still == zeros:
            break
        state = [
            _joined(c, i, *item) for i, item in enumerate(zip(state, after, zeros, strict=True))
        ]
        zeros = still
    else:
        raise NotSplittable("the split of its loop variables does not converge")
    if [part for part, _ in _followed(cond, stable, state, around, zeros)] != [WHOLE]:
        raise NotSplittable("its condition depends on what is split")
    takes = [
        WHOLE if parts[i] == WHOLE and part.kind in ("partial", "listed") else part
        for i, part in enumerate(state)
    ]
    return Partition(takes, state)


def _begun(c: SplitContext, edge: Any, part: Part) -> Part:
    """Initial partition of a loop variable; an empty list may become anything."""
    content = c.content_of(edge)
    if part == WHOLE and content is not None and content.element is None:
        return listed() if edge.dtype.name == "variant" else part
    return _taken(c, edge, part)


def _joined(c: SplitContext, i: int, before: Part, after: Part, zero: bool) -> Part:
    """Merges the initial partition of a loop variable with that of its next value."""
    if before == after or before == listed():
        return after
    if before == WHOLE and zero and after.how == "sum":
        return after
    if before == WHOLE and after.kind == "split":
        return along(after.axis)  # the initial value is cut
    raise NotSplittable(f"variable {i} of the loop is initially {before}, then {after}")


def _taken(c: SplitContext, edge: Any, part: Part) -> Part:
    """Partition of an input of a body; sizes that are the same in all chunks are whole."""
    if part == OWN and not _varies(c, c.value_of(edge)):
        return WHOLE
    return part


def _varies(c: SplitContext, value: Any) -> bool:
    return value is None or any(map(c.depends, value.ravel().tolist()))


class Result(NamedTuple):
    """Partition of the result of a body, and whether it is known to be zero."""

    part: Part
    zero: bool


def _followed(
    body: Body,
    arguments: Sequence[Known],
    parts: Sequence[Part],
    around: Any,
    zeros: Sequence[bool],
) -> list[Result]:
    """Partition of the result of a body.

    Raises:
        NotSplittable: something inside needs all rows, or the sizes of the whole.
    """
    if not all(op.definition.traits.local and around.arrays for op in body.effects):
        raise NotSplittable(f"the function {body.name!r} has side effects, which take place once")
    inside = around.inside(body.inferred(arguments, 1))
    inside.zeros.update(tensor for tensor, zero in zip(body.inputs, zeros, strict=True) if zero)
    for tensor, part in zip(body.inputs, parts, strict=True):
        inside.parts[tensor] = part
        if part == WHOLE and any(map(inside.depends, inside.inference.shape(tensor).sizes or ())):
            raise NotSplittable(f"{tensor.op.name!r} has a value for each row, and is whole")
    for op in body.needed():
        inside.follow(op)
        if inside.mixed:
            reason = inside.mixed[0].reason
            raise NotSplittable(f"in {body.name!r}, {op.name!r} ({op.type}) mixes rows: {reason}")
        if op in inside.falls:
            _check_inside(op, inside)
    return [Result(_result(tensor, inside), inside.is_zero(tensor)) for tensor in body.outputs]


def _check_inside(op: Operation, inside: Any) -> None:
    """Rejects what only a stage can do: combine, cut, compute the sizes of the whole."""
    falls = inside.falls[op]
    if op.outputs and all(part == OWN for part in falls.gives):
        return  # all sizes are those of the chunk
    local = op.definition.traits.local
    if not op.definition.pure and not local and all(part == WHOLE for part in falls.gives):
        raise NotSplittable(f"{op.name!r} ({op.type}) inside has state, and runs once")
    for tensor, take in zip(op.inputs, falls.takes, strict=True):
        part = inside.parts[tensor]
        read_whole = take == WHOLE and part != WHOLE
        if read_whole and part == OWN and not _depends_on_rows(tensor, inside):
            continue
        if read_whole or (take.kind == "split" and part == WHOLE):
            raise NotSplittable(
                f"{op.name!r} ({op.type}) inside needs the whole of {tensor.op.name!r}"
            )


def _depends_on_rows(tensor: Tensor, inside: Any) -> bool:
    items = inside.values[tensor].ravel().tolist() if tensor in inside.values else []
    return any(isinstance(item, DimExpr) and inside.rows in symbols_of(item) for item in items)


def _result(tensor: Tensor, inside: Any) -> Part:
    part: Part = inside.parts[tensor]
    if part == OWN and not _depends_on_rows(tensor, inside):
        return WHOLE
    if part == OWN:
        raise NotSplittable(f"it returns {tensor.op.name!r}, which is {part}")
    return part
