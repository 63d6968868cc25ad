"""Conversion of bodies to functions of a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ...graph.bodies import Body, Declared
from ...graph.dependencies import needed_ops
from ...graph.importing.function_bodies import body_of
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...protos.messages import FunctionDef, FunctionDefLibrary, NameAttrList


def register_body(body: Body, names: Sequence[str] = ()) -> None:
    """Puts a body into the library of its graph, and those that ops inside name and it lacks.

    One that takes references is not a function of a library: on the wire, they cannot.

    Args:
        body: the body.
        names: what its outputs are called in the library.
    """
    graph = body.graph
    graph.bodies[body.name, b""] = body
    if not any(tensor.dtype.is_ref_dtype for tensor in body.inputs):
        graph.library.function.append(function_def(body, names))
    for op in body.needed():  # one of them may call the function itself
        register_named(op)


def register_named(op: Operation) -> None:
    """Puts the bodies that an op names into the library, where it lacks them."""
    for value in op.attrs.values():
        for func in value if isinstance(value, list) else [value]:
            if not isinstance(func, NameAttrList) or func.name in op.graph.functions:
                continue
            if not isinstance(op.graph.bodies.get((func.name, b"")), Declared):
                register_body(body_of(op.graph, func))


def functions_of(ops: Iterable[Operation]) -> list[FunctionDef]:
    """The functions that ops run, and those that these run, be they in the library or not."""
    definitions: dict[str, FunctionDef] = {}
    pending = list(ops)
    while pending:
        op = pending.pop()
        for value in op.attrs.values():
            for func in value if isinstance(value, list) else [value]:
                if isinstance(func, NameAttrList) and func.name not in definitions:
                    body = body_of(op.graph, func)
                    definition = op.graph.functions.get(func.name)
                    definitions[func.name] = (
                        function_def(body) if definition is None else definition
                    )
                    pending += body.needed()
    return [definitions[name] for name in sorted(definitions)]


def keep_apart(library: FunctionDefLibrary, name: str) -> None:
    """Marks the functions through which one calls itself: TensorFlow would inline them for ever."""
    calls = {each.signature.name: _called_by(each) for each in library.function}
    within = _reached(calls, name)
    for function in library.function:
        own = function.signature.name
        if own in within and name in _reached(calls, own):
            function.attr["_noinline"].b = True


def _called_by(function: FunctionDef) -> set[str]:
    values = [value for node in function.node_def for value in node.attr.values()]
    return {func.name for value in values for func in [value.func, *value.list.func] if func.name}


def _reached(calls: Mapping[str, set[str]], name: str) -> set[str]:
    """The functions that a call of one calls, directly or by way of others."""
    reached: set[str] = set()
    pending = [name]
    while pending:
        new = calls.get(pending.pop(), set()) - reached
        reached |= new
        pending += new
    return reached


def function_def(body: Body, names: Sequence[str] = ()) -> FunctionDef:
    """A body as a function of a library: what it needs of its graph, in an order that can run.

    Args:
        body: the body.
        names: what its outputs are called.
    """
    function = FunctionDef()
    function.signature.name = body.name
    arguments: dict[Tensor, str] = {}
    for tensor in body.inputs:
        arguments[tensor] = tensor.op.name
        dtype = tensor.dtype.as_datatype_enum
        function.signature.input_arg.add(name=tensor.op.name, type=dtype)
    graph = body.graph
    passed = {tensor.op for tensor in body.inputs}
    needed = needed_ops([*body.outputs, *body.effects], body.inputs)
    replaced = graph.replaced(needed)
    before = in_turn(body.effects)
    for op in needed:
        if op not in passed and op not in replaced:
            node = function.node_def.add()
            node.CopyFrom(op.node_def)
            inputs = [_text(tensor, arguments) for tensor in op.inputs]
            controls = dict.fromkeys([*op.controls, *before.get(graph.narrowest(op), ())])
            waits = [f"^{control.name}" for control in controls if control not in passed]
            node.input[:] = [*inputs, *waits]
    for i, tensor in enumerate(body.outputs):
        name = names[i] if names else f"out_{i}"
        function.signature.output_arg.add(name=name, type=tensor.dtype.base_dtype.as_datatype_enum)
        function.ret[name] = _text(tensor, arguments)
    for i, op in enumerate(body.effects):
        function.signature.control_output.append(f"effect_{i}")
        function.control_ret[f"effect_{i}"] = op.name
        function.signature.is_stateful = True
    return function


def in_turn(effects: Sequence[Operation]) -> dict[Operation, list[Operation]]:
    """For each op with an effect the one before it, which it waits for.

    The run of a body keeps the order in which ops were made; on the wire, only edges say it.
    """
    return {op: [before] for before, op in pairwise(effects)}


def _text(tensor: Tensor, arguments: Mapping[Tensor, str]) -> str:
    """The name of a tensor inside a node of a function."""
    if tensor in arguments:
        return arguments[tensor]
    definition = tensor.op.definition
    index = tensor.value_index
    name = tensor.op.graph.narrowest(tensor.op).name
    if isinstance(definition, OpDef):
        for spec in definition.signature.outputs:
            number = definition._number(spec, tensor.op.attrs)
            if index < number:
                return f"{name}:{spec.name}:{index}"
            index -= number
    raise ValueError(f"{tensor.name!r} cannot be part of a function: its op type is unknown")
