"""From a graph to a GraphDef, and to a networkx graph."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from ..protos.attr_codec import encode_attr
from ..protos.messages import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NodeDef,
    VersionDef,
)
from . import registry
from .api.graph_summary import ShownGraph
from .graph_protocols import Op
from .lowered_nodes import LoweredNodes
from .node_def import write_node_def
from .origins import Origins
from .referred_functions import referred_functions
from .signature import REQUIRED
from .stated_shapes import state_shapes
from .widened_graph import WidenedGraph

if TYPE_CHECKING:
    import networkx as nx

PRODUCER = 2474
"""The GraphDef version that this library writes: that of TensorFlow 2.21."""
MIN_CONSUMER = 0


class ExportedGraph(ShownGraph, WidenedGraph):
    """The part of a graph that exports it."""

    def __init__(self) -> None:
        super().__init__()
        self.versions = VersionDef(producer=PRODUCER, min_consumer=MIN_CONSUMER)
        self.library = FunctionDefLibrary()
        self.origins = Origins()
        self._functions: dict[str, FunctionDef] = {}
        self.bodies: MutableMapping[tuple[str, bytes], Any] = {}
        # For a body: cached facts about ops that run it, by their inputs.
        self.followed: dict[Any, Any] = {}

    @property
    def functions(self) -> Mapping[str, FunctionDef]:
        """The functions of the library by name."""
        library, known = self.library.function, self._functions
        if len(known) < len(library):
            known.update({item.signature.name: item for item in library[len(known) :]})
        return known

    def share_functions(self, outer: ExportedGraph) -> None:
        """Shares the functions of the enclosing graph."""
        self.library, self._functions = outer.library, outer._functions

    def forget_functions(self, functions: int, bodies: int) -> None:
        """Drops all functions and bodies but the first ones: those a failed import added."""
        for name in list(self.functions)[functions:]:
            del self._functions[name]
        del self.library.function[functions:]
        for key in list(self.bodies)[bodies:]:
            del self.bodies[key]

    def get_operations(self) -> Sequence[Op]:
        """All operations in order of creation."""
        raise NotImplementedError

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        strip_default_attrs: bool = False,
        control_flow: str | None = None,
    ) -> GraphDef:
        """GraphDef message of the graph, with equal bytes for equal graphs.

        Args:
            from_version: only the ops that were added after the graph had this `version`.
            add_shapes: whether each node gets the shapes of its outputs, as `_output_shapes`.
            strip_default_attrs: whether to leave out attrs that hold their default, so that older
                readers, which may not know them, can read the graph.
            control_flow: "lowered" writes branches, loops and calls without functions, as
                TensorFlow 1.x did: by Switch, Merge, Enter and Exit. By default only those are
                written so that change a variable held by reference, as functions cannot.

        Raises:
            TypeError: with "lowered", a function calls itself.
            ValueError: `control_flow` is something else.

        Example:
            >>> with td.Graph().as_default() as graph:
            ...     x = td.constant(1, name="x")
            >>> [node.name for node in graph.as_graph_def().node]
            ['x']
        """
        if control_flow not in (None, "lowered"):
            raise ValueError(f"control_flow must be None or 'lowered', got {control_flow!r}")
        ops = self.in_order(self.get_operations()[from_version or 0 :])
        ops = [op for op in ops if self.widest(op) is op]
        lowered = LoweredNodes(
            {op.name for op in self.get_operations()}, everything=control_flow == "lowered"
        )
        lowers = lowered.prepare([op for op in ops if self.origins.of(op.name) is None])
        result = GraphDef(versions=self.versions)
        defaults = Defaults() if strip_default_attrs else None
        written: set[int] = set()
        for op in ops:
            origin = self.origins.of(op.name)
            if origin is not None:
                if id(origin) not in written:
                    result.node.extend(origin.nodes)
                    written.add(id(origin))
                continue
            start = len(result.node)
            if lowers:
                lowered.write(op)
                result.node.extend(lowered.taken())
            else:
                write_node_def(op, result.node.add())
            for node in result.node[start:]:
                if add_shapes and op.outputs and node.name == self.narrowest(op).name:
                    state_shapes(node, [tensor.shape for tensor in op.outputs])
                if defaults is not None:
                    defaults.strip(node)
        if written:
            result.node.sort(key=self.origins.place)
        if self.library.function:
            result.library.CopyFrom(self.library)
            if control_flow == "lowered":
                used = referred_functions(result.node, self.functions)
                kept = [function for name, function in self.functions.items() if name in used]
                result.ClearField("library")
                if kept:
                    result.library.function.extend(kept)
        return result

    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """Converts the graph to a networkx MultiDiGraph, for queries about its structure.

        Returns:
            A node for each op, under its name, with `type` and `device`; an edge for each input,
            with `tensor`, `dtype`, `shape` and `position`; an edge for each control input, with
            `control=True`.

        Example:
            >>> with td.Graph().as_default() as graph:
            ...     y = td.identity(td.constant(1, name="x"), name="y")
            >>> list(graph.to_networkx().edges())
            [('x', 'y')]
        """
        import networkx as nx

        result: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        for op in self.get_operations():
            result.add_node(op.name, type=op.type, device=op.device)
            for position, tensor in enumerate(op.inputs):
                result.add_edge(
                    tensor.op.name,
                    op.name,
                    tensor=tensor.name,
                    dtype=tensor.dtype.name,
                    shape=str(tensor.shape),
                    position=position,
                )
            for control in op.controls:
                result.add_edge(control.name, op.name, control=True)
        return result


class Defaults:
    """Defaults of attrs in wire form, cached by op type."""

    def __init__(self) -> None:
        self._by_type: dict[str, Mapping[str, AttrValue]] = {}

    def strip(self, node: NodeDef) -> None:
        """Removes the attrs of `node` that hold the default of its op type."""
        for name, default in self._of(node).items():
            if name in node.attr and node.attr[name] == default:
                del node.attr[name]

    def add(self, node: NodeDef) -> None:
        """Writes the defaults of attrs that `node` leaves out."""
        for name, default in self._of(node).items():
            if name not in node.attr:
                node.attr[name].CopyFrom(default)

    def _of(self, node: NodeDef) -> Mapping[str, AttrValue]:
        defaults = self._by_type.get(node.op)
        if defaults is None:
            defaults = self._by_type[node.op] = _defaults(node.op)
        return defaults


def _defaults(op_type: str) -> dict[str, AttrValue]:
    definition = registry.find(op_type)
    if definition is None:
        return {}
    return {
        name: encode_attr(spec.default, spec.kind)
        for name, spec in definition.signature.attrs.items()
        if spec.default is not REQUIRED
    }
