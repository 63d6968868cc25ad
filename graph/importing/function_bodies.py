"""Functions of a graph's library as bodies: graphs of their own, made when first asked for."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...protos.config import config
from ...protos.dtypes import as_dtype
from ...protos.messages import FunctionDef, GraphDef, NameAttrList, NodeDef
from ...runtime import errors
from ...shape_inference.tensor_shape import TensorShape
from ..bodies import Body, Declared
from ..graph import Graph
from ..node import Operation, Tensor
from ..referred_functions import referred_functions
from ..registry import find
from .function_calls import Call
from .function_inlining import Expansion
from .import_options import ImportOptions
from .importer import Importer
from .node_texts import WAITING, BodySource
from .preparation import prepared


def body_of(graph: Graph, func: NameAttrList) -> Body:
    """Function named by an attr of an op of `graph`.

    Raises:
        ValueError: the graph has no such function, or it is malformed.
        UnimplementedError: the outputs of nodes of the function are unknown.
    """
    key = func.name, func.SerializeToString(deterministic=True) if func.attr else b""
    body = graph.bodies.get(key) or graph.bodies.get((func.name, b""))
    if isinstance(body, BodySource):
        body = graph.bodies[key] = _made(graph, func.name, body)
    if isinstance(body, Declared):
        message = f"the function {body.name!r} is declared, but not defined"
        raise errors.UnimplementedError(None, None, message)
    if body is None:
        functions = graph.functions
        if func.name not in functions:
            raise ValueError(f"the graph has no function named {func.name!r}")
        source = _source(functions[func.name], func.attr, functions)
        body = graph.bodies[key] = _made(graph, func.name, source)
    return body


def bodies_of(op: Operation) -> dict[str, Body]:
    """Functions that an op runs, by name, as far as their contents are known."""
    return {body.name: body for body in _bodies(op)}


def _bodies(op: Operation) -> Iterator[Body]:
    """Functions that an op runs; one may occur several times with different attrs."""
    graph: Any = op.graph
    for value in op.attrs.values():
        for func in value if isinstance(value, list) else [value]:
            if isinstance(func, NameAttrList):
                try:
                    yield body_of(graph, func)
                except (ValueError, errors.UnimplementedError):
                    continue


def ops_within(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Iterates over ops and over those of the functions that they run.

    Raises:
        ResourceExhaustedError: they are more than `td.config.max_graph_nodes`.
    """
    seen: set[int] = set()  # a function that is called with other attrs is another body
    pending = list(ops)
    number = 0
    while pending:
        op = pending.pop()
        number += 1
        if number > config.max_graph_nodes:
            raise errors.ResourceExhaustedError(
                None,
                op,
                f"functions that run others hold more than td.config.max_graph_nodes = "
                f"{config.max_graph_nodes} ops",
            )
        yield op
        for body in _bodies(op):
            if id(body) not in seen:
                seen.add(id(body))
                pending += body.needed()


def _source(
    function: FunctionDef, attrs: Mapping[str, Any], functions: Mapping[str, FunctionDef]
) -> BodySource:
    """Nodes of a function called with some attrs."""
    name = function.signature.name
    inputs = [arg.name for arg in function.signature.input_arg]
    call = Call(NodeDef(name=name, op=name, input=inputs), function, attrs)
    expansion = Expansion.in_place(call, functions)
    if expansion is None:
        ops = {node.op for node in function.node_def} - functions.keys()
        unknown = ", ".join(sorted(op for op in ops if find(op) is None))
        why = f"holds ops of unknown types: {unknown}" if unknown else "takes lists of tensors"
        message = f"the function {name!r} {why}"
        raise errors.UnimplementedError(None, None, message)
    result = GraphDef()
    for arg, dtype in zip(inputs, call.input_types(), strict=True):
        node = result.node.add(name=arg, op="Placeholder")
        node.attr["dtype"].type = dtype
        node.attr["shape"].shape.unknown_rank = True
    result.node.extend(expansion.body())
    end = expansion.result()
    outputs = [text for text in end.input if not text.startswith("^")]
    effects = [text[1:] for text in end.input if text.startswith("^")]
    return BodySource(result, inputs, outputs, effects)


def _made(graph: Graph, name: str, source: BodySource) -> Body:
    """Graph of a body, which shares the functions of the enclosing graph."""
    inner = Graph()
    inner.share_functions(graph)
    inner.bodies = graph.bodies
    if source.bodies:
        own: dict[tuple[str, bytes], Any] = {
            (key, b""): item for key, item in source.bodies.items()
        }
        inner.bodies = ChainMap(own, graph.bodies)
    graph_def = GraphDef(versions=graph.versions)
    graph_def.node.extend(source.graph_def.node)
    used = referred_functions(graph_def.node, graph.functions)
    graph_def.library.function.extend([graph.functions[name] for name in used])
    graph_def = prepared(graph_def)
    graph_def.ClearField("library")
    passed = set(source.inputs)
    references = {
        node.name: {"dtype": dtype, "shape": TensorShape(None)}
        for node in source.graph_def.node
        if node.name in passed and (dtype := as_dtype(node.attr["dtype"].type)).is_ref_dtype
    }
    options = ImportOptions(shared=True, infer=False, references=references)
    importer = Importer(inner, graph_def, options)
    elements = importer.run([*source.inputs, *source.outputs, *source.effects]) or []
    number = len(source.inputs)
    inputs = [_tensor(element) for element in elements[:number]]
    outputs = [_tensor(element) for element in elements[number : number + len(source.outputs)]]
    awaited = {_op(element) for element in elements[number + len(source.outputs) :]}
    starts = {tensor.op for tensor in inputs}
    effects = [
        op
        for op in inner.get_operations()
        if (op in awaited or not op.definition.pure) and op not in starts and op.type not in WAITING
    ]
    effects += [op for op in awaited if op.type in WAITING]
    return Body(name, inner, inputs, outputs, effects)


def _tensor(element: Tensor | Operation) -> Tensor:
    return element if isinstance(element, Tensor) else element.outputs[0]


def _op(element: Tensor | Operation) -> Operation:
    return element.op if isinstance(element, Tensor) else element
