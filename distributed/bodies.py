"""Branches, loops and calls: they fall apart where their bodies do, in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.control_flow.loop_facts import stable_state
from ..ops.control_flow.op_bodies import (
    branch_of,
    case_branches,
    if_branches,
    known_inputs,
    loop_bodies,
)
from ..shape_inference.split_parts import OWN, WHOLE, Falls, Mixes, Part, SplitContext, along
from ..shape_inference.symbolic.symbolic import DimExpr, symbols_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.bodies import Body, Known
    from ..graph.node import Operation, Tensor


def bodies_fall_apart(op: Operation, around: Any, parts: Sequence[Part]) -> Falls:
    """How an op with bodies falls apart: as each of them does, with nothing combined inside.

    Args:
        op: the op.
        around: what is found of the graph around it.
        parts: of each input, how it is split.

    Raises:
        Mixes: it does not.
    """
    graph: Any = op.graph
    if graph.origins.of(op.name) is not None or not _functions(op) <= graph.functions.keys():
        raise Mixes("its functions are not in the library of the graph, so it cannot travel")
    c = SplitContext(op, around.inference, around.rows, parts)
    attrs = op.attrs
    if "cond" in attrs and "body" in attrs:
        return _loop(c, around, parts)
    first = 0 if "f" in attrs else 1
    if first and parts[0].kind == "split":
        raise Mixes("which branch is taken depends on what is split")
    if "f" in attrs:
        bodies = [branch_of(c, attrs["f"])]
    else:
        bodies = if_branches(c) if "then_branch" in attrs else case_branches(c)
    given = known_inputs(c, op.inputs[first:])
    takes = [_taken(c, edge, part) for edge, part in zip(op.inputs, parts, strict=True)]
    found = [_followed(body, given, takes[first:], around) for body in bodies]
    if any(other != found[0] for other in found):
        raise Mixes("its branches split what they return in different ways")
    return Falls([*([WHOLE] if first else []), *takes[first:]], found[0])


def _functions(op: Operation) -> set[str]:
    """The names of the functions that an op runs."""
    attrs = op.node_def.attr.values()
    found = [value.func.name for value in attrs if value.HasField("func")]
    return {*found, *(func.name for value in attrs for func in value.list.func)}


def _loop(c: SplitContext, around: Any, parts: Sequence[Part]) -> Falls:
    cond, body = loop_bodies(c)
    state = [_taken(c, edge, part) for edge, part in zip(c.node.inputs, parts, strict=True)]
    known = stable_state(c, body)
    for _ in range(len(state) + 1):
        after = _followed(body, known, state, around)
        if after == state:
            break
        state = [_joined(c, i, *pair) for i, pair in enumerate(zip(state, after, strict=True))]
    else:
        raise Mixes("what its rounds split does not settle")
    if _followed(cond, known, state, around) != [WHOLE]:
        raise Mixes("whether there is another round depends on what is split")
    return Falls(state, state)


def _joined(c: SplitContext, i: int, before: Part, after: Part) -> Part:
    """How a variable of a loop is split that begins in one way and goes on in another."""
    if before == after:
        return before
    if before == WHOLE and after.kind == "split":
        return along(after.axis)  # what it begins with is cut
    raise Mixes(f"variable {i} of the loop begins {before} and goes on {after}")


def _taken(c: SplitContext, edge: Any, part: Part) -> Part:
    """How a body gets an input: sizes that are the same in all chunks are whole."""
    if part == OWN and not _varies(c, c.value_of(edge)):
        return WHOLE
    return part


def _varies(c: SplitContext, value: Any) -> bool:
    return value is None or any(map(c.depends, value.ravel().tolist()))


def _followed(body: Body, given: Sequence[Known], parts: Sequence[Part], around: Any) -> list[Part]:
    """How what a body returns falls apart.

    Raises:
        Mixes: something inside needs all rows, or the sizes of the whole.
    """
    if body.effects:
        raise Mixes(f"the function {body.name!r} has effects, which take place once")
    inside = around.inside(body.inferred(given, 1))
    for tensor, part in zip(body.inputs, parts, strict=True):
        inside.parts[tensor] = part
        if part == WHOLE and any(map(inside.depends, inside.inference.shape(tensor).sizes or ())):
            raise Mixes(f"{tensor.op.name!r} has a value for each row, and is whole")
    for op in body.needed():
        inside.follow(op)
        if inside.mixed:
            reason = inside.mixed[0].reason
            raise Mixes(f"in {body.name!r}, {op.name!r} ({op.type}) mixes rows: {reason}")
        if op in inside.falls:
            _check_inside(op, inside)
    return [_result(tensor, inside) for tensor in body.outputs]


def _check_inside(op: Operation, inside: Any) -> None:
    """Refuses what only a stage could do: to combine, to cut, to tell the sizes of the whole."""
    falls = inside.falls[op]
    if not op.definition.pure and all(part == WHOLE for part in falls.gives):
        raise Mixes(f"{op.name!r} ({op.type}) inside has state, and runs once")
    for tensor, take in zip(op.inputs, falls.takes, strict=True):
        part = inside.parts[tensor]
        read_whole = take == WHOLE and part != WHOLE
        if read_whole and part == OWN and not _depends_on_rows(tensor, inside):
            continue
        if read_whole or (take.kind == "split" and part == WHOLE):
            raise Mixes(f"{op.name!r} ({op.type}) inside needs the whole of {tensor.op.name!r}")


def _depends_on_rows(tensor: Tensor, inside: Any) -> bool:
    items = inside.values[tensor].ravel().tolist() if tensor in inside.values else []
    return any(isinstance(item, DimExpr) and inside.rows in symbols_of(item) for item in items)


def _result(tensor: Tensor, inside: Any) -> Part:
    part: Part = inside.parts[tensor]
    if part == OWN and not _depends_on_rows(tensor, inside):
        return WHOLE
    if part == OWN or part.kind == "partial":
        raise Mixes(f"it returns {tensor.op.name!r}, which is {part}")
    return part
