"""A graph under named sizes: its feeds, and the resulting facts about tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..graph.dependencies import needed_ops
from ..graph.describe import add_context
from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..shape_inference.assumptions import CheckingInference
from ..shape_inference.symbolic.symbolic import symbols_of
from ..shape_inference.tensor_shape import TensorShape
from .checking.inputs import InputSizes, is_input, with_names


class NamedInputs(NamedTuple):
    """Part of a graph, and the facts about it.

    Args:
        ops: what has to run, in an order in which it can.
        feeds: what is fed.
        inference: the shapes.
        names: the names of sizes that inputs have.
    """

    ops: list[Operation]
    feeds: list[Tensor]
    inference: CheckingInference
    names: set[str]


def with_named_inputs(
    graph: Graph,
    fetches: Sequence[Tensor | Operation],
    shapes: Mapping[str, Any],
    sizes: Mapping[str, int],
    positive: bool = False,
) -> NamedInputs:
    """Plan of the steps that `fetches` need, where inputs have the given shapes.

    An unnamed size of an input gets the name of the input and the number of its axis:
    `x.0`.

    Args:
        graph: the graph.
        fetches: what is wanted.
        shapes: the shape of inputs, by name of the op or tensor.
        sizes: numbers for named sizes.
        positive: whether no size of an input is 0.

    Raises:
        ValueError: a size is 0, where none is to be; `shapes` name something that there is not, or
            the shapes do not fit.
    """
    named_shapes = {}
    for name, shape in shapes.items():
        try:
            named_shapes[graph.tensor(name if ":" in name else f"{name}:0")] = TensorShape(shape)
        except KeyError as error:
            raise ValueError(f"cannot set the shape of {name!r}: {error.args[0]}") from None
    inputs = [
        op for op in needed_ops(fetches, list(named_shapes)) if is_input(op) and not op.inputs
    ]
    feeds = [*named_shapes, *[t for op in inputs for t in op.outputs if t not in named_shapes]]
    ops = needed_ops(fetches, feeds)
    inference = CheckingInference()
    names: set[str] = set()
    stated = InputSizes(sizes, positive)
    for tensor in feeds:
        _declare(inference, tensor, named_shapes.get(tensor), stated, names)
    for op in ops:
        try:
            inference.infer(op)
            for tensor in named_shapes.keys() & set(op.outputs):
                _declare(inference, tensor, named_shapes[tensor], stated, names)
        except (TypeError, ValueError) as error:
            raise add_context(error, op, inference) from error
    return NamedInputs(ops, feeds, inference, names)


def _declare(
    inference: CheckingInference,
    tensor: Tensor,
    given: TensorShape | None,
    stated: InputSizes,
    names: set[str],
) -> None:
    """Sets the shape of an input: names for unknown sizes, numbers for named ones."""
    if not tensor.op.inputs:
        inference.infer(tensor.op)  # a graph that was read leniently has not been inferred yet
    shape = inference.shape(tensor) if not tensor.op.inputs else tensor.shape
    if given is not None:
        if not given.is_compatible_with(shape):
            raise ValueError(f"{tensor.name!r} has the shape {shape}, and cannot have {given}")
        shape = given.merge_with(shape)
    if shape.sizes is not None:
        named = with_names(shape, tensor)
        symbols = {symbol for size in named for symbol in symbols_of(size)}
        names.update(symbol.name for symbol in symbols if symbol.name is not None)
        shape = stated.of(tensor, TensorShape.of(tuple(named)))
    inference.declare(tensor, shape)
