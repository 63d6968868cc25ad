"""Ops with bodies, built a second time with additional results for a gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from ...graph.bodies import Body
from ...graph.describe import describe_op
from ...graph.graph import Graph
from ...graph.node import Operation, Tensor
from ...ops.array.concat import concat
from ...ops.array.constants import constant, fill, zeros_like
from ...ops.control_flow.function_defs import register_named
from ...ops.variables.resource_ops import VARIABLE_SHAPE
from ...protos.dtypes import DType
from ...protos.messages import NameAttrList
from ...shape_inference.tensor_shape import TensorShape
from ..common.static_facts import shape_of

Kept = TypeVar("Kept")
_around: ContextVar[frozenset[str]] = ContextVar("_around", default=frozenset())


def made_again(
    op: Operation,
    inputs: Sequence[Tensor],
    attrs: Mapping[str, Any],
    shapes: Sequence[Any],
    beside: int,
) -> Operation:
    """An op made again; it replaces the original from now on.

    Args:
        op: the op, the widest so far.
        inputs: what it takes, the inputs of `op` first.
        attrs: the attrs that differ.
        shapes: the shapes of its further results.
        beside: the ops of the graph from this number on were made for further inputs.
    """
    graph = op.graph
    first = graph.narrowest(op)
    own = {name: value for name, value in op.attrs.items() if name != "_output_shapes"}
    own.update(attrs)
    if "output_shapes" in own:
        own["output_shapes"] = [*(tensor.shape for tensor in op.outputs), *shapes]
    added = graph.get_operations()[beside:]
    with graph.editing(), graph.control_dependencies(None), graph.name_scope(None):
        name = graph.unique_name(f"{first.name}_wide")
        replacement = graph.make(
            first.definition, inputs, own, name, first.site, first.controls, first.device
        )
        graph.append(replacement)
    graph.widen(op, replacement, added)
    return replacement


def kept_for(op: Operation, make: Callable[[Operation], Kept]) -> Kept:
    """Forward facts of an op, shared by all its replacements.

    From now on the graph is written with the op itself, in place of the nodes that it was read
    from: gradients may read any result of it.
    """
    graph = op.graph
    first = graph.narrowest(op)
    if first not in graph.workings:
        _leave_origin(graph, first)
        graph.workings[first] = make(graph.widest(op))
    return graph.workings[first]


def _leave_origin(graph: Graph, op: Operation) -> None:
    origin = graph.origins.of(op.name)
    if origin is not None:
        for name in origin.ops:
            register_named(graph.get_operation_by_name(name))
            graph.origins.forget(name)


@contextmanager
def differentiating(op: Operation, *names: str) -> Iterator[None]:
    """Notes which functions are being differentiated inside a `with` block.

    Raises:
        LookupError: one of them is being so already.
    """
    around = _around.get()
    for name in names:
        if name in around:
            raise LookupError(
                f"No gradient defined for operation {describe_op(op)}: the function {name!r} calls "
                "itself, and its gradient would do so without end"
            )
    token = _around.set(around.union(names))
    try:
        yield
    finally:
        _around.reset(token)


def func(body: Body) -> NameAttrList:
    """The attr value that refers to a body."""
    return NameAttrList(name=body.name)


def zeros_for(tensor: Tensor, dtype: DType) -> Tensor:
    """Zeros as the gradient of a tensor: for a handle, those of the variable behind it."""
    if tensor.dtype.base_dtype.name != "resource":
        return zeros_like(tensor)
    return fill(sizes_of(tensor), constant(0, dtype))


def sizes_of(tensor: Tensor) -> Any:
    """The shape of a tensor; of a handle, that of the variable behind it."""
    if tensor.dtype.base_dtype.name != "resource":
        return shape_of(tensor)
    content = tensor.op.graph.inference.content(tensor)
    shape = None if content is None else content.declared
    if shape is not None and shape.is_fully_defined():
        return constant(shape.as_list(), "int32", [shape.rank])
    return VARIABLE_SHAPE(tensor)


def row_of_zeros(dtype: DType, part: TensorShape, source: Tensor) -> Tensor:
    """One row of zeros, as a part of the slices of a tensor.

    Args:
        dtype: that of the part.
        part: its static shape: indices have one dimension.
        source: the tensor whose slices they are.
    """
    zero = constant(0, dtype)
    sizes = [None] if part.rank is None else part.as_list()[1:]
    if None in sizes:
        return fill(concat([[1], sizes_of(source)[1:]], 0), zero)
    return fill(constant([1, *sizes], "int32"), zero)
