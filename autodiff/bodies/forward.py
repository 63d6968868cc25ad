"""Bodies as they run forward: copies of which the gradient may ask for more than they return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...graph.bodies import Body, Known
from ...graph.constant_value import rely_on
from ...graph.dependencies import needed_ops
from ...graph.gradient_rules import rule_of
from ...graph.graph import Graph
from ...graph.node import Operation, Tensor
from ...ops.array.placeholder import PLACEHOLDER
from ...ops.control_flow.building import function_name
from ...ops.control_flow.function_defs import register_body
from ...protos.dtypes import as_dtype
from ...shape_inference.context import is_symbolic
from ...shape_inference.handle_data import HandleData
from ...shape_inference.tensor_shape import TensorShape
from ..engine.backpropagation import differentiable


class _ForwardGraph(Graph):
    """The graph of a copied body, which knows the tensors passed for its inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: dict[Tensor, Tensor] = {}

    def origin(self, tensor: Tensor) -> Tensor:
        """The tensor that is passed for an input in every call; else the tensor itself."""
        passed = self.passed.get(tensor)
        return tensor if passed is None else passed.graph.origin(passed)


class Forward:
    """A copy of a body, with the facts about its inputs that hold wherever the op runs it.

    The copy grows by what else it is to take and return; no function is changed by that.

    Args:
        body: the body.
        known: what is known of its inputs at every call.
        passed: for each input, the tensor outside that is passed in every call, if any.
        depth: the number of bodies around it.

    Attributes:
        graph: the copy.
        inputs: what it takes, as tensors of the copy.
        outputs: what it returns.
        effects: what runs at every call.
    """

    def __init__(
        self, body: Body, known: Sequence[Known], passed: Sequence[Tensor | None], depth: int
    ) -> None:
        _rely_on_shapes(body, known, passed, depth)
        self.graph = _ForwardGraph()
        self.graph.library, self.graph.bodies = body.graph.library, body.graph.bodies
        self.graph.seed = body.graph.seed
        self.name = body.name
        self.of_shapes: dict[Any, Tensor] = {}
        self._copies: dict[Tensor, Tensor] = {}
        self.inputs: list[Tensor] = []
        needed = needed_ops([*body.outputs, *body.effects], body.inputs)
        names = {op.name for op in needed}
        for tensor, fact, outside in zip(body.inputs, known, passed, strict=True):
            name = f"arg_{len(self.inputs)}"
            while name in names:
                name += "_"
            parameter = self.taken(tensor.dtype, fact.shape, fact.content, name)
            if outside is not None:
                self.graph.passed[parameter] = outside
            if fact.value is not None:
                self.graph.inference.declare(parameter, fact.shape, fact.value)
            self._copies[tensor] = parameter
        ops = self._copied(body, needed)
        self.outputs = [self._copies[tensor] for tensor in body.outputs]
        self.effects = [ops[op] for op in body.effects]

    def _copied(self, body: Body, needed: Sequence[Operation]) -> dict[Operation, Operation]:
        """Copies the ops that the results and side effects need; returns the mapping."""
        replaced = body.graph.replaced(needed)
        ops: dict[Operation, Operation] = {}
        for op in needed:
            if op in replaced:
                ops[op] = ops[replaced[op]]
            else:
                inputs = [self._copies[tensor] for tensor in op.inputs]
                waits = [ops[control] for control in op.controls if control in ops]
                name = body.graph.narrowest(op).name
                made = self.graph.make(
                    op.definition, inputs, dict(op.attrs), name, op.site, waits, op.device
                )
                self.graph.append(made)
                ops[op] = made
            for tensor, copy in zip(op.outputs, ops[op].outputs, strict=False):
                self._copies[tensor] = copy
                _also_known(copy, tensor)
        return ops

    def taken(
        self, dtype: Any, shape: TensorShape, content: HandleData | None = None, name: str = "taken"
    ) -> Tensor:
        """A further input."""
        name = self.graph.unique_name(name)
        op = self.graph.add(PLACEHOLDER, [], {"dtype": as_dtype(dtype), "shape": shape}, name)
        made = op.outputs[0]
        self.graph.inference.set_content(made, content)
        self.inputs.append(made)
        return made

    def body(self) -> Body:
        """The copy as a body of its own, in the library."""
        name = function_name(self.graph, f"{self.name}_wide")
        body = Body(name, self.graph, tuple(self.inputs), tuple(self.outputs), tuple(self.effects))
        register_body(body)
        return body

    def paths(self) -> list[int]:
        """For each output, the inputs from which gradients may come to it, as bits."""
        bits: dict[Tensor, int] = {
            tensor: 1 << i if differentiable(tensor.dtype) else 0
            for i, tensor in enumerate(self.inputs)
        }
        graph = self.graph
        for op in graph.in_order(graph.get_operations()):
            rule = rule_of(op)
            through = 0
            if rule is None or rule.function is not None:
                for tensor in op.inputs:
                    through |= bits.get(tensor, 0)
            for tensor in op.outputs:
                if tensor not in bits:
                    bits[tensor] = through if differentiable(tensor.dtype) else 0
        return [bits[tensor] for tensor in self.outputs]


def _rely_on_shapes(
    body: Body, known: Sequence[Known], passed: Sequence[Tensor | None], depth: int
) -> None:
    """Prevents feeding captured values by which shapes in the body are known.

    The gradient is built by these shapes.
    """
    values = {
        i: outside
        for i, (fact, outside) in enumerate(zip(known, passed, strict=True))
        if outside is not None and fact.value is not None and not is_symbolic(fact.value)
        if fact.value.size and outside.graph.is_feedable(outside)
    }
    if not values:
        return

    def shapes(unknown: Iterable[int]) -> list[Any]:
        facts = [
            fact._replace(value=None) if i in unknown else fact for i, fact in enumerate(known)
        ]
        inference = body.inferred(facts, depth)
        tensors = [tensor for op in body.graph.get_operations() for tensor in op.outputs]
        all_shapes = [inference.shape(tensor) for tensor in tensors]
        return [shape.rank and shape.as_list() for shape in all_shapes]

    full = shapes(())
    if shapes(values) != full:
        for i, outside in values.items():
            if len(values) == 1 or shapes([i]) != full:
                rely_on(outside)


def _also_known(copy: Tensor, tensor: Tensor) -> None:
    """Takes over sizes that the program has stated of a tensor, as numbers."""
    shape = tensor.shape
    if shape.rank is not None and not copy.shape.is_fully_defined():
        stated = TensorShape(shape.as_list())
        if copy.shape.is_compatible_with(stated):
            copy.set_shape(stated)


def through_identities(tensor: Tensor) -> Tensor:
    """The tensor of which `tensor` is but another name."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def bits_of(number: int) -> Iterable[int]:
    """The places of the bits that are set."""
    place = 0
    while number:
        if number & 1:
            yield place
        number >>= 1
        place += 1
