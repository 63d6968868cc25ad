"""Protocols of graphs for inference: nodes, edges and op definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..protos.dtypes import DType
from .traits import Traits

Array = np.ndarray[Any, Any]
Kernel = Callable[..., Any]


class Definition(Protocol):
    """The rules of an op type."""

    @property
    def name(self) -> str: ...
    @property
    def from_shapes(self) -> bool: ...

    @property
    def shape_function(self) -> Callable[[Any], Any] | None: ...
    @property
    def value_function(self) -> Callable[[Any], Sequence[Array | None]] | None: ...
    @property
    def kernel_factory(self) -> Callable[[Any], Kernel] | None: ...
    @property
    def flops_function(self) -> Callable[[Any], Any] | None: ...
    @property
    def workspace_rule(self) -> Callable[[Any], Any] | None: ...
    @property
    def pure(self) -> bool: ...
    @property
    def traits(self) -> Traits: ...
    def input_positions(self, attrs: Mapping[str, Any]) -> Mapping[str, int | range]: ...


def aliased(edge: Edge) -> Edge | None:
    """The tensor that `edge` is an update of, if it is the output of an in-place op."""
    definition = edge.op.definition
    aliases = definition.traits.aliases
    if aliases is None:
        return None
    return edge.op.inputs[_position(definition, edge.op, aliases)]


def _position(definition: Definition, node: Node, name: str) -> int:
    position = definition.input_positions(node.attrs)[name]
    if isinstance(position, range):
        raise TypeError(f"{definition.name} cannot change a list of tensors")
    return position


def assigned(node: Node) -> Edge | None:
    """The variable to whose reference `node` assigns a value, if it does that."""
    definition = node.definition
    name = definition.traits.assigns
    if name is None or not node.outputs:
        return None
    edge = node.inputs[_position(definition, node, name)]
    while references := [source for source in edge.op.inputs if source.dtype.is_ref_dtype]:
        edge = references[0]  # handed on
    return edge


class Edge(Protocol):
    """A tensor: one output of a node."""

    @property
    def dtype(self) -> DType: ...
    @property
    def value_index(self) -> int: ...
    @property
    def op(self) -> Node: ...


class Constants(Protocol):
    """The tensors that are the same at every run."""

    def get(self, edge: Edge, /) -> Array | None:
        """The value of `edge`, if it is one of them."""


class Node(Protocol):
    """An operation in a graph."""

    @property
    def name(self) -> str: ...
    @property
    def definition(self) -> Definition: ...
    @property
    def inputs(self) -> Sequence[Edge]: ...
    @property
    def outputs(self) -> Sequence[Edge]: ...
    @property
    def attrs(self) -> Mapping[str, Any]: ...
