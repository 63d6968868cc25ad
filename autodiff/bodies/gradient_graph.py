"""Graphs of the gradients of bodies, which may use values of the forward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...graph.api.source_locations import Site
from ...graph.bodies import Body
from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.graph import Graph
from ...graph.graph_protocols import OpType
from ...graph.node import Operation, Tensor
from ...graph.op_def import OpDef
from ...ops.array.constants import ONES_LIKE, ZEROS_LIKE
from ...ops.array.identity import identity
from ...ops.array.placeholder import PLACEHOLDER
from ...ops.array.shapes import RANK, SHAPE, SIZE
from ...ops.control_flow.body_graph import BodyGraph
from ...ops.control_flow.building import function_name
from ...ops.control_flow.function_defs import register_body
from ...ops.lists.list_ops import TENSOR_LIST_ELEMENT_SHAPE, TENSOR_LIST_LENGTH
from ...protos.dtypes import as_dtype
from ...shape_inference.handle_data import HandleData
from ...shape_inference.tensor_shape import TensorShape
from ..common.static_facts import filled_like
from .forward import Forward

_OF_SHAPES = (SHAPE, SIZE, RANK, TENSOR_LIST_LENGTH, TENSOR_LIST_ELEMENT_SHAPE)
_FILLS: dict[Any, int] = {ZEROS_LIKE: 0, ONES_LIKE: 1}


class GradientGraph(BodyGraph):
    """The graph of the gradient of a body: tensors of the body denote their forward values.

    Args:
        outer: the graph that the op for it is made in.
        forward: the body.
        given: for each input of the body the tensor outside that is passed, or None for a
            variable of a loop, which is another one in each round.
    """

    def __init__(self, outer: Graph, forward: Forward, given: Sequence[Tensor | None]) -> None:
        super().__init__(outer)
        self.forward = forward
        self._given = dict(zip(forward.inputs, given, strict=False))
        self._known: dict[Tensor, Tensor] = {}

    def sees(self, other: Graph) -> bool:
        """Returns True if tensors of `other` may be used here; those of the body may."""
        return other is self.forward.graph or super().sees(other)

    def captured(self, tensor: Tensor) -> Tensor:
        """The tensor of this graph that replaces `tensor`."""
        if tensor.graph is not self.forward.graph:
            return super().captured(tensor)
        tensor = tensor.graph.in_widest(tensor)
        pending = [tensor]  # what is made again may be deeper than Python's stack
        while pending:
            current = pending[-1]
            sources = [] if current in self._known else self.remade_inputs(current) or ()
            missing = [source for source in sources if not self._is_known(source)]
            pending += missing
            if not missing:
                pending.pop()
                if current not in self._known:
                    self._known[current] = self._found(current)
        return self._known[tensor]

    def _is_known(self, tensor: Tensor) -> bool:
        return tensor in self._known or tensor in self._given

    def is_at_hand(self, tensor: Tensor) -> bool:
        """Returns True if a tensor of the body adds no cost to the forward pass."""
        tensor = tensor.graph.in_widest(tensor)
        return tensor in self._known or self.remade_inputs(tensor) is not None

    def _found(self, tensor: Tensor) -> Tensor:
        outside = self._given.get(tensor)
        if outside is not None:
            return super().captured(outside)
        inputs = self.remade_inputs(tensor)
        if inputs is None:
            return self.handed(tensor)
        op = tensor.op
        with self.unscoped():
            made = super().add(op.definition, inputs, dict(op.attrs), self.unique_name(op.name))
        return made.outputs[tensor.value_index]

    @contextmanager
    def unscoped(self) -> Iterator[None]:
        """Makes this the default graph, and ops in a `with` block of no scope, waiting for none."""
        with (
            self.as_default(),
            self.control_dependencies(None),
            self.colocate_with(None, ignore_existing=True),
            self.name_scope(None),
        ):
            yield

    def remade_inputs(self, tensor: Tensor) -> Sequence[Tensor] | None:
        """Inputs of a tensor's op if the op is recomputed here; else None."""
        op = tensor.op
        made_of_nothing = not op.inputs and tensor not in self._given
        pure = op.definition.pure or tensor.dtype.base_dtype.name == "resource"
        return () if made_of_nothing and pure and tensor not in self.forward.inputs else None

    def new_argument(
        self, dtype: Any, shape: TensorShape, content: HandleData | None = None
    ) -> Tensor:
        """A further input."""
        attrs = {"dtype": as_dtype(dtype), "shape": shape}
        with self.unscoped():
            name = self.unique_name(f"arg_{len(self.arguments)}")
            op = super().add(PLACEHOLDER, [], attrs, name)
        output = op.outputs[0]
        self.inference.set_content(output, content)
        self.arguments.append(output)
        return output

    def as_body(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Body:
        """The graph as a body, in the library."""
        passed = {tensor.op for tensor in inputs}
        effects = [
            op
            for op in self.get_operations()
            if op not in passed and not op.definition.pure and op.outputs + list(op.inputs)
        ]
        body = Body(function_name(self, name), self, inputs, outputs, effects)
        register_body(body)
        return body

    def late_flow(self, flow: Tensor) -> Tensor:
        """Placeholder for a forward flow that is not available."""
        return flow

    def handed(self, tensor: Tensor) -> Tensor:
        """Substitute for a tensor that the op outputs in the forward pass."""
        raise NotImplementedError

    def add(
        self,
        definition: OpType,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str,
        site: Site | None = None,
    ) -> Operation:
        """Adds an op; passes only shapes for arguments of which only the shape is needed."""
        forward = self.forward.graph
        if len(inputs) == 1 and inputs[0].graph is forward and not self.is_at_hand(inputs[0]):
            if definition in _FILLS and inputs[0].dtype.base_dtype.name != "variant":
                return filled_like(inputs[0], _FILLS[definition]).op
            if definition in _OF_SHAPES:
                return identity(self._of_shape(definition, inputs[0], attrs)).op
        return super().add(definition, inputs, attrs, name, site)

    def _of_shape(self, definition: OpDef[Any], tensor: Tensor, attrs: dict[str, Any]) -> Tensor:
        """Shape of a forward tensor as its op states it."""
        if definition is SHAPE and tensor.shape.rank is not None:
            try:  # sizes may stand in shapes of tensors that are here already
                return convert_to_tensor(tensor.shape, attrs["out_type"])
            except ValueError:
                pass
        key = definition, tensor.graph.in_widest(tensor), str(attrs.get("out_type"))
        made = self.forward.of_shapes.get(key)
        if made is None:
            graph = self.forward.graph
            with graph.as_default(), graph.name_scope(None):
                made = self.forward.of_shapes[key] = definition(tensor, **attrs)
        return self.captured(made)


def forward_flow(flow: Tensor) -> Tensor:
    """The flow of a TensorArray forward, where it is at hand; a new one where all has been done.

    The loop that runs backwards begins when the other one has ended, so it need not wait.
    """
    graph = get_default_graph()
    if isinstance(graph, GradientGraph) and flow.graph is graph.forward.graph:
        return flow if graph.is_at_hand(flow) else graph.late_flow(flow)
    return flow
