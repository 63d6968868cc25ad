"""Lowering of branches, loops and calls to the ops of TensorFlow 1.x, without functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...graph.bodies import Body
from ...graph.importing.function_bodies import body_of
from ...graph.lowered_nodes import OUTSIDE, Lowered, LoweredNodes, Place, Written
from ...protos.dtypes import as_dtype
from .structured import (
    CASE,
    IF,
    PARTITIONED_CALL,
    STATEFUL_PARTITIONED_CALL,
    STATELESS_CASE,
    STATELESS_IF,
    STATELESS_WHILE,
    WHILE,
)

_BOOL = as_dtype("bool")
_INT32 = as_dtype("int32")


def _bodies(lowered: Lowered, funcs: Sequence[Any]) -> list[Body]:
    return [body_of(lowered.op.graph, func) for func in funcs]


@IF.lowered
@STATELESS_IF.lowered
def _lowered_if(nodes: LoweredNodes, lowered: Lowered) -> Written:
    attrs, place = lowered.op.attrs, lowered.place
    bodies = _bodies(lowered, [attrs["else_branch"], attrs["then_branch"]])
    pred = lowered.inputs[0]
    if attrs["Tcond"] is not _BOOL:
        pred = nodes.node(place, "ToBool", lowered.scoped("pred"), [pred], T=attrs["Tcond"])

    def switched(text: str, tensor: Any) -> list[str]:
        kind = "RefSwitch" if tensor.dtype.is_ref_dtype else "Switch"
        name = lowered.scoped("Switch")
        node = nodes.node(place, kind, name, [text, pred], lowered.waits, T=tensor.dtype)
        return [node, f"{node}:1"]

    sides = nodes.node(
        place, "Switch", lowered.scoped("Switch"), [pred, pred], lowered.waits, T=_BOOL
    )
    pivots = [
        nodes.node(place, "Identity", lowered.scoped(name), [text], T=_BOOL)
        for name, text in (("switch_f", sides), ("switch_t", f"{sides}:1"))
    ]
    used = [any(column) for column in zip(*[body.used_inputs() for body in bodies], strict=True)]
    given = [
        switched(text, tensor) if needs else [None, None]
        for text, tensor, needs in zip(lowered.inputs[1:], lowered.op.inputs[1:], used, strict=True)
    ]
    return _merged(nodes, lowered, bodies, pivots, [list(row) for row in zip(*given, strict=True)])


@CASE.lowered
@STATELESS_CASE.lowered
def _lowered_case(nodes: LoweredNodes, lowered: Lowered) -> Written:
    bodies = _bodies(lowered, lowered.op.attrs["branches"])
    index, *data = lowered.inputs
    place, number = lowered.place, len(bodies)
    used = [any(column) for column in zip(*[body.used_inputs() for body in bodies], strict=True)]

    def switched(text: str, tensor: Any) -> list[str]:
        if tensor.dtype.is_ref_dtype:
            raise TypeError(
                f"{lowered.op.name!r} ({lowered.op.type}) changes the variable {tensor.op.name!r}, "
                "which is held by reference, in one of several branches; that cannot be written. "
                "Make the variable with use_resource=True, or use td.case"
            )
        node = nodes.node(
            place,
            "_SwitchN",
            lowered.scoped("Switch"),
            [text, index],
            lowered.waits,
            num_outs=number,
            T=tensor.dtype,
        )
        return [f"{node}:{i}" if i else node for i in range(number)]

    pivots = [
        nodes.node(place, "Identity", lowered.scoped(f"switch_{i}"), [text], T=_INT32)
        for i, text in enumerate(switched(index, lowered.op.inputs[0]))
    ]
    given = [
        switched(text, tensor) if needs else [None] * number
        for text, tensor, needs in zip(data, lowered.op.inputs[1:], used, strict=True)
    ]
    return _merged(nodes, lowered, bodies, pivots, [list(row) for row in zip(*given, strict=True)])


def _merged(
    nodes: LoweredNodes,
    lowered: Lowered,
    bodies: Sequence[Body],
    pivots: Sequence[str],
    given: Sequence[Sequence[str | None]],
) -> Written:
    """The branches, and a Merge for each of their results."""
    columns: list[list[str]] = []
    dtypes = [tensor.dtype for tensor in bodies[0].outputs] or [_BOOL]
    for i, (body, pivot) in enumerate(zip(bodies, pivots, strict=True)):
        place = Place(pivot)
        results = nodes.body(body, given[i] if given else [], place)
        outputs = results.outputs or [
            nodes.node(place, "Identity", lowered.scoped("done"), [pivot], T=_BOOL)
        ]
        columns.append(
            [
                nodes.within(place, text, dtype, results.last)
                for text, dtype in zip(outputs, dtypes, strict=True)
            ]
        )
    merges = [
        nodes.node(
            lowered.place,
            "Merge",
            lowered.names.get(i, lowered.scoped("Merge")),
            inputs,
            named=i in lowered.names,
            T=dtype,
            N=len(inputs),
        )
        for i, (inputs, dtype) in enumerate(zip(zip(*columns, strict=True), dtypes, strict=True))
    ]
    return Written(merges if bodies[0].outputs else [], merges)


@WHILE.lowered
@STATELESS_WHILE.lowered
def _lowered_while(nodes: LoweredNodes, lowered: Lowered) -> Written:
    op, place = lowered.op, lowered.place
    cond, body = _bodies(lowered, [op.attrs["cond"], op.attrs["body"]])
    frame = nodes.free(f"{op.name}/frame").removesuffix("/frame")
    dtypes = [tensor.dtype for tensor in op.inputs]
    changing = [
        not dtype.is_ref_dtype and (first is not last or bool(op.graph.consumers(tensor)))
        for first, last, dtype, tensor in zip(
            body.inputs, body.outputs, dtypes, op.outputs, strict=True
        )
    ]
    if not any(changing):
        changing[[dtype.is_ref_dtype for dtype in dtypes].index(False)] = True
    used = [
        any(some) for some in zip(changing, cond.used_inputs(), _read_inputs(body), strict=True)
    ]
    enters: list[str | None] = [
        nodes.node(
            place,
            "RefEnter" if dtype.is_ref_dtype else "Enter",
            lowered.scoped("Enter"),
            [text],
            lowered.waits,
            T=dtype,
            frame_name=frame,
            is_constant=not changes,
            parallel_iterations=op.attrs["parallel_iterations"],
        )
        if needs
        else None
        for text, dtype, changes, needs in zip(lowered.inputs, dtypes, changing, used, strict=True)
    ]
    turning = [i for i, changes in enumerate(changing) if changes]
    invariants = frozenset(
        enter for enter, changes in zip(enters, changing, strict=True) if enter and not changes
    )
    state: list[str | None] = list(enters)
    steps = {i: nodes.free(lowered.scoped("NextIteration")) for i in turning}
    for i in turning:
        inputs = [str(enters[i]), steps[i]]
        name = lowered.scoped("Merge")
        state[i] = nodes.node(Place(), "Merge", name, inputs, T=dtypes[i], N=2)
    asking = Place(str(state[turning[0]]), invariants)
    asked = nodes.body(cond, state, asking)
    answer = nodes.within(asking, asked.outputs[0], _BOOL, asked.last)
    loop_cond = nodes.node(asking, "LoopCond", lowered.scoped("LoopCond"), [answer])
    exits: dict[int, str] = {}
    for i in turning:
        name = lowered.scoped("Switch")
        switch = nodes.node(Place(), "Switch", name, [str(state[i]), loop_cond], T=dtypes[i])
        exits[i] = nodes.node(
            Place(),
            "Exit",
            lowered.names.get(i, lowered.scoped("Exit")),
            [switch],
            named=i in lowered.names,
            T=dtypes[i],
        )
        name = lowered.scoped("Identity")
        state[i] = nodes.node(Place(), "Identity", name, [f"{switch}:1"], T=dtypes[i])
    pivot = str(state[turning[0]])
    waits = []
    if body.effects:  # which follow all side effects of the previous iteration
        others = [str(state[i]) for i in turning[1:]]
        inputs = [pivot]
        name = lowered.scoped("pivot")
        pivot = nodes.node(Place(), "Identity", name, inputs, others, T=dtypes[turning[0]])
        waits = [pivot]
    running = Place(pivot, invariants)
    results = nodes.body(body, state, running, waits)
    for i in turning:
        text = nodes.within(running, results.outputs[i] or "", dtypes[i], results.last)
        nodes.node(Place(), "NextIteration", steps[i], [text], named=True, T=dtypes[i])
    outputs = [exits.get(i, text) for i, text in enumerate(lowered.inputs)]
    return Written(outputs, [exits[turning[0]]])


def _read_inputs(body: Body) -> list[bool]:
    """As `Body.used_inputs`, but what is only handed on is not used."""
    outputs = [
        last for first, last in zip(body.inputs, body.outputs, strict=True) if first is not last
    ]
    return body._replace(outputs=outputs).used_inputs()


@PARTITIONED_CALL.lowered
@STATEFUL_PARTITIONED_CALL.lowered
def _lowered_call(nodes: LoweredNodes, lowered: Lowered) -> Written:
    [body] = _bodies(lowered, [lowered.op.attrs["f"]])
    place = lowered.place
    results = nodes.body(body, lowered.inputs, place, lowered.waits)
    waits = results.last or lowered.waits
    outside = place is OUTSIDE  # where the call has a name that others know
    name = lowered.op.name
    if not results.outputs:
        return Written([], [nodes.node(place, "NoOp", name, [], waits, named=outside)])
    dtypes = [tensor.dtype for tensor in body.outputs]
    if len(dtypes) == 1:
        [text] = results.outputs
        end = nodes.node(place, "Identity", name, [text], waits, named=outside, T=dtypes[0])
        return Written([end], [end])
    end = nodes.node(place, "IdentityN", name, results.outputs, waits, named=outside, T=dtypes)
    return Written([f"{end}:{i}" if i else end for i in range(len(dtypes))], [end])
