"""Ops that fall apart only step by step: others stand for them, between which parts are combined.

They are built in a graph of their own, which holds a placeholder for each input. What they make of
whole values, chunks compute each for itself: nobody else knows these ops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..graph.dependencies import needed_ops
from ..graph.graph import Graph
from ..graph.op_def import OpDef
from ..ops.array.constants import placeholder
from ..shape_inference.split_parts import Mixes

if TYPE_CHECKING:
    from ..graph.node import Operation, Tensor
    from ..shape_inference.inference import Inference
    from ..shape_inference.split_parts import SplitContext


class Steps(NamedTuple):
    """The ops that stand for one.

    Args:
        inputs: of each input of the op, the placeholder.
        ops: the ops, in an order in which they can run.
        results: what the op returns.
    """

    inputs: list[Tensor]
    ops: list[Operation]
    results: list[Tensor]


class StepGraph:
    """The graph of all ops that stand for others of a graph.

    Args:
        around: that graph.
    """

    def __init__(self, around: Graph) -> None:
        self._around = around
        self._graph = Graph()

    def steps_of(self, op: Operation, context: SplitContext, inference: Inference) -> Steps | None:
        """What stands for an op, if it says what does; its shapes are then inferred."""
        definition = op.definition
        function = definition.steps_function if isinstance(definition, OpDef) else None
        if function is None:
            return None
        scope = f"{op.name.lstrip('_')}.steps"
        while self._around.has_operation(scope):
            scope += "_"
        with self._graph.as_default(), self._graph.name_scope(scope):
            inputs = []
            for tensor in op.inputs:
                shape = inference.shape(tensor)
                inputs.append(placeholder(tensor.dtype.base_dtype, shape))
                inference.declare(inputs[-1], shape)
            try:
                results = list(function(context, *inputs))
            except Mixes:
                return None
        ops = [item for item in needed_ops(results, inputs) if item.outputs[0] not in inputs]
        for item in ops:
            inference.infer(item)
        return Steps(inputs, ops, results)
