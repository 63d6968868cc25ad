"""The nodes of a profile: ops and their costs, grouped by scopes, types and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from ...graph.graph import Graph
from ...graph.node import Operation
from ...graph.scopes.collections import GraphKeys
from ...session.profile import OpTrace, RunMetadata
from ..declared_variables import declared_variable
from .float_operations import float_operations
from .option_builder import TRAINABLE

DEVICE = "/device:CPU:0"
SCOPE = "_kTFScopeParent"
"""The type of nodes that are scopes and no ops, as TensorFlow calls it."""

ROOT = "_TFProfRoot"


@dataclass
class Figures:
    """Cost of a node, or of several together."""

    micros: int = 0
    nbytes: int = 0
    parameters: int = 0
    float_ops: int = 0
    runs: int = 0
    definitions: int = 0

    def add(self, other: Figures) -> None:
        """Adds the cost of another node."""
        for figure in fields(self):
            total = getattr(self, figure.name) + getattr(other, figure.name)
            setattr(self, figure.name, total)


@dataclass
class ProfiledNode:
    """A node of a profile.

    Attributes:
        name: an op, a scope, a type of ops, or a line of the program.
        types: what the regular expressions of accounted types are matched with.
        op: the op; None for a scope, and for several together.
        own: what it costs itself.
        counts: whether its own figures are accounted for.
        children: the nodes below it, or those that it combines.
        total: what it costs with those below it.
    """

    name: str
    types: list[str] = field(default_factory=lambda: [SCOPE])
    op: Operation | None = None
    own: Figures = field(default_factory=Figures)
    counts: bool = False
    children: list[ProfiledNode] = field(default_factory=list)
    total: Figures = field(default_factory=Figures)

    def sum_up(self) -> None:
        """Makes the total that of the node and of those below it."""
        self.total = Figures()
        if self.counts:
            self.total.add(self.own)
        for child in self.children:
            self.total.add(child.total)


class ProfiledGraph:
    """The ops of a graph as nodes of a profile.

    Args:
        graph: the graph.
        runs: traced runs, of which the mean counts.

    Attributes:
        nodes: a node for each op, in order.
        uncounted: how many ops have operations that depend on sizes which are not known.
    """

    def __init__(self, graph: Graph, runs: Sequence[RunMetadata]) -> None:
        trainable = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        self._trainable = {variable.op.name for variable in trainable}
        self.uncounted = 0
        self._traced: dict[str, list[OpTrace]] = {}
        for run in runs:
            for trace in run.step_stats:
                self._traced.setdefault(trace.name, []).append(trace)
        self._number = max(len(runs), 1)
        self.nodes = [self._node(op) for op in graph.get_operations()]

    def _node(self, op: Operation) -> ProfiledNode:
        operations = float_operations(op)
        self.uncounted += operations is None
        traces = self._traced.get(op.name, ())
        variable = declared_variable(op)
        figures = Figures(
            micros=round(sum(trace.seconds for trace in traces) * 1e6 / self._number),
            nbytes=sum(trace.nbytes for trace in traces) // self._number,
            parameters=0 if variable is None else variable.shape.num_elements() or 0,
            float_ops=operations or 0,
            runs=len(traces),
            definitions=1,
        )
        trainable = [TRAINABLE] if op.name in self._trainable else []
        return ProfiledNode(op.name, [DEVICE, op.type, *trainable], op, figures)
