"""What a picture of a graph shows: boxes and the lines between them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ..graph.importing.function_bodies import bodies_of
from ..shape_inference.traits import Bodies
from .graph_file import INPUT_TYPES
from .text import tensor_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graph.graph import Graph
    from ..graph.node import Operation


_FEWEST_ASIDE = 3  # ops that one waits for


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


def with_gatherers_aside(drawing: Drawing) -> Drawing:
    """The picture without the lines into ops that only wait for others, such as a NoOp.

    Such an op is told how many it waits for; their lines would cross the whole picture.
    """
    waits = Counter(line.target for line in drawing.lines if line.control)
    lines_of_data = [line for line in drawing.lines if not line.control]
    computes = {end for line in lines_of_data for end in (line.source, line.target)}
    aside = {i: n for i, n in waits.items() if n >= _FEWEST_ASIDE and i not in computes}
    boxes = [
        box._replace(op=f"{box.op}, after {aside[i]} ops") if i in aside else box
        for i, box in enumerate(drawing.boxes)
    ]
    return Drawing(boxes, [line for line in drawing.lines if line.target not in aside])


def draw_graph(graph: Graph) -> Drawing:
    """What a picture of `graph` shows.

    What a loop, a branch or a call runs stands in a scope with the name of its function, below
    the op that runs it.
    """
    drawing = Drawing([], [])
    _draw(graph.get_operations(), "", frozenset(), drawing)
    return drawing


def _draw(
    ops: Sequence[Operation], prefix: str, around: frozenset[str], drawing: Drawing
) -> dict[Operation, int]:
    """Draws ops, and what they run, with names that begin with `prefix`; numbers the ops."""
    boxes, lines = drawing
    read = {tensor.op for op in ops for tensor in op.inputs}
    read.update(control for op in ops for control in op.controls)
    numbers = {op: number for number, op in enumerate(ops, len(boxes))}
    for op in ops:
        types = tuple(map(tensor_type, op.outputs))
        boxes.append(Box(prefix + op.name, op.type, _kind(op, op in read), types, op.device))
        lines += [
            Line(numbers[tensor.op], numbers[op], tensor_type(tensor), control=False)
            for tensor in op.inputs
        ]
        lines += [Line(numbers[source], numbers[op], "", control=True) for source in op.controls]
    for op in ops:
        if not isinstance(op.definition.traits, Bodies):
            continue
        for name, body in bodies_of(op).items():
            if name not in around:  # else it calls itself
                inside = body.graph.get_operations()
                made = _draw(inside, f"{prefix}{name}/", around | {name}, drawing)
                lines += [
                    Line(numbers[op], made[tensor.op], "", control=True) for tensor in body.inputs
                ]
    return numbers


def _kind(op: Operation, is_read: bool) -> str:
    if op.type in INPUT_TYPES:
        return "input"
    if not is_read:
        return "output"
    return "constant" if op.type == "Const" else "op"
