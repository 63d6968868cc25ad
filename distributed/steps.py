"""Ops that are split step by step: other ops replace them, with parts combined in between.

The replacements are built in a graph of their own, which holds a placeholder for each input. Each
chunk computes their results from whole values for itself: these ops exist nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph.dependencies import needed_ops
from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..graph.op_def import OpDef
from ..ops.array.placeholder import placeholder
from ..protos.dtypes import int64, uint64
from ..shape_inference.inference import Inference
from ..shape_inference.protocols import Array
from ..shape_inference.split_parts import NotSplittable, SplitContext, per_row
from ..shape_inference.symbolic.symbolic import DimExpr, Symbol
from ..shape_inference.tensor_shape import TensorShape


class Place(NamedTuple):
    """The symbols of the position of a chunk: the rows before it, and those of all chunks."""

    before: Symbol
    total: Symbol


class Steps(NamedTuple):
    """The replacement of an op.

    Args:
        inputs: the placeholder of each input of the op.
        ops: the ops, in an order in which they can run.
        results: the results of the op.
        sizes: placeholders for the position of a chunk, and their values.
        stream: placeholders for key and counter of a stream of random numbers, which the driver
            sets aside.
    """

    inputs: list[Tensor]
    ops: list[Operation]
    results: list[Tensor]
    sizes: dict[Tensor, Array]
    stream: Sequence[Tensor]


class StepContext(SplitContext):
    """Context for building the steps of an op, in addition to that of rules.

    Args:
        around: the context of rules.
        inference: the inference on the graph.
        place: the symbols of the position of a chunk.

    Attributes:
        held: placeholders for the position of a chunk, and their values.
        streams: placeholders for the random stream of the op.
    """

    __slots__ = ("_place", "held", "streams")

    def __init__(self, around: SplitContext, inference: Inference, place: Place) -> None:
        super().__init__(around.node, inference, around.rows, around.parts)
        self._place = place
        self.held: dict[Tensor, Array] = {}
        self.streams: Sequence[Tensor] = ()

    def rows_of(self, shape: Tensor) -> tuple[int, Tensor, Tensor]:
        """Position of the chunk of a tensor: axis, start along it, and size of the whole.

        Args:
            shape: the tensor of its sizes.

        Raises:
            NotSplittable: it is not cut along one axis.
        """
        value = self._known.value(shape)
        sizes = [] if value is None else value.ravel().tolist()
        axes = [i for i, size in enumerate(sizes) if self.depends(size)]
        each = per_row(sizes[axes[0]], self.rows) if len(axes) == 1 else None
        if each is None:
            raise NotSplittable("its result is not cut along one axis")
        before, total = (DimExpr({(symbol,): 1}) * each for symbol in self._place)
        return axes[0], self._held(before), self._held(total)

    def _held(self, size: Any) -> Tensor:
        tensor = placeholder(int64, [])
        held = np.array(size, object)
        self._known.declare(tensor, TensorShape([]), held)
        self.held[tensor] = held
        return tensor

    def stream(self) -> Sequence[Tensor]:
        """Key and counter of the random stream of the op, reserved for all chunks of a run."""
        self.streams = [placeholder(uint64, [1]), placeholder(uint64, [2])]
        for tensor in self.streams:
            self._known.declare(tensor, tensor.shape)
        return self.streams


class StepGraph:
    """The graph of all replacements of ops of a graph.

    Args:
        around: that graph.
    """

    def __init__(self, around: Graph) -> None:
        self._around = around
        self._graph = Graph()
        self.place = Place(Symbol(None, 0), Symbol(None, 0))

    def steps_of(self, op: Operation, context: SplitContext, inference: Inference) -> Steps | None:
        """The replacement of an op, if it has one, with inferred shapes."""
        definition = op.definition
        function = definition.steps_function if isinstance(definition, OpDef) else None
        if function is None:
            return None
        scope = f"{op.name.lstrip('_')}.steps"
        while self._around.has_operation(scope):
            scope += "_"
        where = self._graph.device(op.device or None)
        with self._graph.as_default(), self._graph.name_scope(scope), where:
            inputs = []
            for tensor in op.inputs:
                shape = inference.shape(tensor)
                inputs.append(placeholder(tensor.dtype.base_dtype, shape))
                value = inference.value(tensor) if tensor.dtype.is_integer else None
                inference.declare(inputs[-1], shape, value)
            c = StepContext(context, inference, self.place)
            try:
                results = list(function(c, *inputs))
            except NotSplittable:
                return None
        placeholders = {*inputs, *c.held, *c.streams}
        ops = [
            item
            for item in needed_ops(results, [*placeholders])
            if item.outputs[0] not in placeholders
        ]
        for item in ops:
            inference.infer(item)
        return Steps(inputs, ops, results, c.held, c.streams)
