"""Bodies as functions of a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...graph.dependencies import needed_ops
from ...graph.op_def import OpDef
from ...protos.messages import FunctionDef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...graph.bodies import Body
    from ...graph.node import Tensor


def function_def(body: Body) -> FunctionDef:
    """A body as a function of a library: what it needs of its graph, in an order that can run."""
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
    for op in needed:
        if op not in passed and op not in replaced:
            node = function.node_def.add()
            node.CopyFrom(op.node_def)
            inputs = [_text(tensor, arguments) for tensor in op.inputs]
            waits = [f"^{control.name}" for control in op.controls if control not in passed]
            node.input[:] = [*inputs, *waits]
    for i, tensor in enumerate(body.outputs):
        name = f"out_{i}"
        function.signature.output_arg.add(name=name, type=tensor.dtype.as_datatype_enum)
        function.ret[name] = _text(tensor, arguments)
    for i, op in enumerate(body.effects):
        function.signature.control_output.append(f"effect_{i}")
        function.control_ret[f"effect_{i}"] = op.name
        function.signature.is_stateful = True
    return function


def _text(tensor: Tensor, arguments: Mapping[Tensor, str]) -> str:
    """How a node of a function names a tensor."""
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
