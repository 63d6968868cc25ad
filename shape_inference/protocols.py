"""What inference needs to know of a graph: nodes, edges and op definitions, by structure only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from ..protos.dtypes import DType
    from .context import KernelContext, ShapeContext
    from .traits import Traits

Array = np.ndarray[Any, Any]
Kernel = Callable[..., Any]
ShapeFunction = Callable[["ShapeContext"], Any]
ValueFunction = Callable[["ShapeContext"], "Sequence[Array | None]"]
KernelFactory = Callable[["KernelContext"], Kernel]


class Definition(Protocol):
    """The rules of an op type."""

    @property
    def name(self) -> str: ...
    @property
    def shape_function(self) -> ShapeFunction | None: ...
    @property
    def value_function(self) -> ValueFunction | None: ...
    @property
    def kernel_factory(self) -> KernelFactory | None: ...
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
    position = definition.input_positions(edge.op.attrs)[aliases]
    if isinstance(position, range):
        raise TypeError(f"{definition.name} cannot alias a list of tensors")
    return edge.op.inputs[position]


class Edge(Protocol):
    """A tensor: one output of a node."""

    @property
    def dtype(self) -> DType: ...
    @property
    def value_index(self) -> int: ...
    @property
    def op(self) -> Node: ...


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
