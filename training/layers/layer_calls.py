"""Inputs and outputs of the calls of a layer."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...graph.node import Operation, Tensor
from ...ops.common.nest import flatten
from ...shape_inference.tensor_shape import TensorShape


class _Call(NamedTuple):
    inputs: Any
    outputs: Any


class LayerCalls:
    """The calls of a layer, in their order."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def _note_call(self, inputs: Any, outputs: Any) -> None:
        self._calls.append(_Call(inputs, outputs))

    @property
    def name(self) -> str:
        """The name of the layer."""
        raise NotImplementedError

    @property
    def input(self) -> Any:
        """The input of the one call.

        Raises:
            AttributeError: the layer was not called once.
        """
        return self._only().inputs

    @property
    def output(self) -> Any:
        """The output of the one call.

        Raises:
            AttributeError: the layer was not called once.
        """
        return self._only().outputs

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, of all calls.

        Raises:
            AttributeError: the layer was not called, or on inputs of several shapes.
        """
        return self._same([_shape_of(call.inputs) for call in self._calls])

    @property
    def output_shape(self) -> Any:
        """The shape of the output, as a tuple, of all calls.

        Raises:
            AttributeError: the layer was not called, or gave outputs of several shapes.
        """
        return self._same([_shape_of(call.outputs) for call in self._calls])

    def get_input_at(self, node_index: int) -> Any:
        """The input of the call of a number, counted from 0."""
        return self._call_at(node_index).inputs

    def get_output_at(self, node_index: int) -> Any:
        """The output of the call of a number, counted from 0."""
        return self._call_at(node_index).outputs

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shape of the input of the call of a number, as a tuple."""
        return _shape_of(self._call_at(node_index).inputs)

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shape of the output of the call of a number, as a tuple."""
        return _shape_of(self._call_at(node_index).outputs)

    @property
    def losses(self) -> list[Any]:
        """The losses that the layer adds."""
        raise NotImplementedError

    @property
    def updates(self) -> list[Any]:
        """The updates that the layer needs in training."""
        raise NotImplementedError

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses that depend on inputs; for None those that depend on no input of a call."""
        return self._depending(self.losses, inputs)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that depend on inputs; for None those that depend on no input of a call."""
        return self._depending(self.updates, inputs)

    def _depending(self, items: list[Any], inputs: Any) -> list[Any]:
        of_calls = [call.inputs for call in self._calls]
        sources = _operations(of_calls if inputs is None else inputs)
        wanted = inputs is not None
        return [item for item in items if _depends(item, sources) is wanted]

    def _only(self) -> _Call:
        if len(self._calls) != 1:
            raise AttributeError(f"layer {self.name} was called {len(self._calls)} times")
        return self._calls[0]

    def _same(self, shapes: list[Any]) -> Any:
        if not shapes or any(shape != shapes[0] for shape in shapes):
            raise AttributeError(f"layer {self.name} was called on shapes {shapes}")
        return shapes[0]

    def _call_at(self, index: int) -> _Call:
        if not 0 <= index < len(self._calls):
            raise ValueError(f"node_index = {index} is not in [0, {len(self._calls)}), the calls")
        return self._calls[index]


def _operations(structure: Any) -> set[Operation]:
    return {leaf.op for leaf in flatten(structure) if isinstance(leaf, Tensor)}


def _depends(item: Any, sources: set[Operation]) -> bool:
    """Returns True if an op, or the op of a tensor, is reachable from others."""
    visited: set[Operation] = set()
    rest: list[Operation] = [getattr(item, "op", item)]
    while rest:
        op = rest.pop()
        if op in sources:
            return True
        if op not in visited:
            visited.add(op)
            rest += [*(tensor.op for tensor in op.inputs), *op.control_inputs]
    return False


def _shape_of(value: Any) -> Any:
    """The shape as a tuple, or those of a list or dict of tensors."""
    if isinstance(value, dict):
        return {key: _shape_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shape_of(item) for item in value]
    shape: TensorShape | None = value.shape if isinstance(value, Tensor) else None
    return None if shape is None or shape.rank is None else tuple(shape.as_list())
