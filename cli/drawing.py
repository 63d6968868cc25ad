"""What a picture of a graph shows: boxes and the lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .graph_file import INPUT_TYPES
from .text import tensor_type

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..graph.node import Operation


class Box(NamedTuple):
    """One op: `kind` is "input", "constant", "op" or "output"; `types` are those of its results."""

    name: str
    op: str
    kind: str
    types: tuple[str, ...]
    device: str

    @property
    def scope(self) -> str:
        """The name scope that the op is in."""
        return self.name.rpartition("/")[0]


class Line(NamedTuple):
    """One input: from a box to a box, by their numbers; `label` is the type of the tensor."""

    source: int
    target: int
    label: str
    control: bool


class Drawing(NamedTuple):
    """All boxes, in an order in which each follows those that lead to it, and all lines."""

    boxes: list[Box]
    lines: list[Line]


def draw_graph(graph: Graph) -> Drawing:
    """What a picture of `graph` shows."""
    ops = graph.get_operations()
    read = {tensor.op for op in ops for tensor in op.inputs}
    read.update(control for op in ops for control in op.controls)
    boxes = [
        Box(op.name, op.type, _kind(op, op in read), tuple(map(tensor_type, op.outputs)), op.device)
        for op in ops
    ]
    lines = []
    for op in ops:
        lines += [
            Line(tensor.op.index, op.index, tensor_type(tensor), control=False)
            for tensor in op.inputs
        ]
        lines += [Line(source.index, op.index, "", control=True) for source in op.controls]
    return Drawing(boxes, lines)


def _kind(op: Operation, is_read: bool) -> str:
    if op.type in INPUT_TYPES:
        return "input"
    if not is_read:
        return "output"
    return "constant" if op.type == "Const" else "op"
