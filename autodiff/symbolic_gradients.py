"""`SymbolicGradient`, the node by which TensorFlow 1.x writes the gradient of a function call."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

from ..graph.bodies import Body
from ..graph.graph import Graph
from ..graph.importing.function_bodies import body_of
from ..graph.node import Tensor
from ..graph.node_def import input_name
from ..graph.node_expanders import Expanded
from ..graph.referred_functions import referred_functions
from ..ops.array.constants import zeros_like
from ..ops.array.placeholder import placeholder
from ..protos.messages import FunctionDef, NodeDef
from ..runtime import errors
from . import rules as _rules
from .engine.accumulation import dense
from .engine.backpropagation import backpropagate, differentiable

_rules.load()


DEEPEST = 8
"""Maximum nesting of gradients: each level has several times the ops of the one before."""

_depth: ContextVar[int] = ContextVar("_depth", default=0)


def expanded(node: NodeDef, functions: Mapping[str, FunctionDef]) -> Expanded | None:
    """The body of the function that a SymbolicGradient names, and its gradients.

    Inputs that no output depends on have zeros.

    Returns:
        None where the function is not in the library, or has no known gradient.

    Raises:
        ValueError: the types of the node are not the function's, or the function is malformed.
    """
    func = node.attr["f"].func if "f" in node.attr else None
    if func is None or func.name not in functions:
        return None
    where = f"the node {node.name!r} ({node.op})"
    if func.name in referred_functions(functions[func.name].node_def, functions):
        raise ValueError(f"{where} differentiates {func.name!r}, which refers to itself")
    depth = _depth.get()
    if depth == DEEPEST:
        raise ValueError(f"{where} is inside of {DEEPEST} other gradients, which is too deep")
    graph = Graph()
    graph.library.function.extend(functions.values())
    token = _depth.set(depth + 1)
    try:
        body = body_of(graph, func)
        seeds, results = _differentiated(body)
    except (LookupError, errors.UnimplementedError):
        return None
    finally:
        _depth.reset(token)
    inputs = [*body.inputs, *seeds]
    for name, tensors in (("Tin", inputs), ("Tout", results)):
        stated = list(node.attr[name].list.type) if name in node.attr else []
        types = [tensor.dtype.as_datatype_enum for tensor in tensors]
        if stated != types:
            raise ValueError(
                f"{where}: {name} must be the types {types} of the function {func.name!r}, got "
                f"{stated}"
            )
    return Expanded(
        body.graph.as_graph_def(),
        [tensor.op.name for tensor in inputs],
        [input_name(tensor) for tensor in results],
        [tensor.dtype.as_datatype_enum for tensor in results],
    )


def _differentiated(body: Body) -> tuple[list[Tensor], list[Tensor]]:
    """Adds the gradients to a body: placeholders for those of its outputs, and those of inputs."""
    with body.graph.as_default(), body.graph.name_scope("gradients"):
        seeds = [placeholder(out.dtype.base_dtype, name="seed") for out in body.outputs]
        numbers = [i for i, out in enumerate(body.outputs) if differentiable(out.dtype)]
        results = backpropagate(
            [body.outputs[i] for i in numbers], body.inputs, [seeds[i] for i in numbers]
        )
        return seeds, [
            zeros_like(x) if gradient is None else dense(gradient)
            for x, gradient in zip(body.inputs, results, strict=True)
        ]
