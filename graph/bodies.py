"""Bodies: functions of a graph as graphs of their own, which ops such as `While` run."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

from ..shape_inference.handle_data import HandleData
from ..shape_inference.inference import Inference
from ..shape_inference.protocols import Array
from ..shape_inference.tensor_shape import TensorShape
from .dependencies import needed_ops
from .describe import add_context
from .graph import Graph
from .node import Operation, Tensor

_DEEPEST = 64
_MOST_LOOKS = 1_000


class _Looks(threading.local):
    """Count of bodies inferred for the outermost op being inferred, and of bodies skipped."""

    number = 0
    refused = 0


_looks = _Looks()


def is_looked_into(depth: int) -> bool:
    """Returns whether to infer the bodies of an op, which may be recursive.

    Args:
        depth: the number of bodies around the op.
    """
    looked = depth == 0 or (depth < _DEEPEST and _looks.number < _MOST_LOOKS)
    _looks.refused += not looked
    return looked


def bodies_not_looked_into() -> int:
    """Count of bodies that this thread has skipped because there were too many."""
    return _looks.refused


class Known(NamedTuple):
    """Static facts about a tensor: shape, elements and handle data."""

    shape: TensorShape = TensorShape(None)
    value: Array | None = None
    content: HandleData | None = None


class Declared(NamedTuple):
    """A declared function, whose body comes later."""

    name: str


class Body(NamedTuple):
    """A function as a graph: tensors to feed, tensors to fetch, and ops to run for their effect.

    Args:
        name: the name of the function.
        graph: the ops of the function; of each input, a placeholder.
        inputs: the parameters.
        outputs: the results.
        effects: the ops that run at every call, whether a result needs them or not.
    """

    name: str
    graph: Graph
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    effects: Sequence[Operation]

    def inferred(self, given: Sequence[Known], depth: int) -> Inference:
        """Infers the body from static facts about its inputs.

        Args:
            given: the facts, by input.
            depth: the number of bodies around it.

        Raises:
            ValueError: the tensors do not fit together.
        """
        _looks.number = _looks.number + 1 if depth > 1 else 1
        inference = Inference(depth)
        for tensor, (shape, value, content) in zip(self.inputs, given, strict=True):
            inference.declare(tensor, shape, value)
            inference.set_content(tensor, content)
        passed = set(self.inputs)
        for op in self.graph.get_operations():
            if op.outputs and op.outputs[0] in passed:
                continue
            try:
                inference.infer(op)
            except Exception as error:
                raise add_context(error, op, inference) from error
        return inference

    def needed(self) -> list[Operation]:
        """Ops that a call must run, in topological order."""
        return needed_ops([*self.outputs, *self.effects], self.inputs)

    def used_inputs(self) -> list[bool]:
        """Flag for each input: whether results or effects of the body need it."""
        needed = self.needed()
        read = {tensor for op in needed for tensor in op.inputs} | set(self.outputs)
        awaited = {control for op in needed for control in op.controls}
        return [tensor in read or tensor.op in awaited for tensor in self.inputs]

    def known_outputs(self, inference: Inference) -> list[Known]:
        """Facts about the outputs in an inference."""
        return [
            Known(inference.shape(tensor), _number(inference, tensor), inference.content(tensor))
            for tensor in self.outputs
        ]


class Call(NamedTuple):
    """A function that an op runs, with the facts that hold for its inputs at every call."""

    body: Body
    given: Sequence[Known]


def _number(inference: Inference, tensor: Tensor) -> Array | None:
    """Known elements of a small integer tensor."""
    if not tensor.dtype.is_integer or inference.shape(tensor).num_elements() is None:
        return None
    return inference.value(tensor)
