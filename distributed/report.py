"""Report on what can be split along a named size."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..graph.api.graph_ends import graph_ends, tensors_of
from ..graph.describe import describe_op
from ..graph.graph import Graph
from ..graph.importing.importer import import_graph_def
from ..graph.node import Operation, Tensor
from ..model_files.loading import load
from ..protos.messages import GraphDef
from ..runtime.repr_text import ShownText
from ..session.fetches import Fetches
from ..shape_inference.split_parts import Part
from .stages import Stage, Stages, stages_along

public = {"td": "split_report"}

_MOST_LISTED = 12


class SplitTensor(NamedTuple):
    """A tensor and its part, in words."""

    name: str
    dtype: str
    shape: str
    part: str


class MixingOp(NamedTuple):
    """An op that needs all rows at once: its name, type and line, and the reason."""

    name: str
    type: str
    where: str
    reason: str


@dataclass(repr=False)
class SplitReport(ShownText):
    """Report on how a graph can be split along a named size; print it to read it.

    Args:
        along: the name of the size.
        inputs: the feeds.
        fetches: the fetches.
        tensors: every tensor between them.
        mixed: the ops that need all rows at once.
        stages: the plan of what runs in chunks and once, in words.
    """

    along: str
    inputs: list[SplitTensor] = field(default_factory=list)
    fetches: list[SplitTensor] = field(default_factory=list)
    tensors: list[SplitTensor] = field(default_factory=list)
    mixed: list[MixingOp] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if no op needs all rows at once."""
        return not self.mixed

    def __str__(self) -> str:
        number = Counter(tensor.part.partition(" ")[0] for tensor in self.tensors)
        counts = (
            f"{number['split'] + number['listed'] + number['listed,']} tensors are split, "
            f"{number['partial']} combined from parts, {number['own']} sizes of each chunk's own, "
            f"{number['whole'] + number['same']} whole"
        )
        lines = [f"along {self.along}: {counts}"]
        for title, tensors in (("fed", self.inputs), ("fetched", self.fetches)):
            rows = [(item.name, f"{item.dtype}{item.shape}", item.part) for item in tensors]
            lines += [title, *_table(rows)] if rows else []
        lines += ["run", *(f"  {line}" for line in self.stages)]
        if self.ok:
            lines.append("no op mixes rows")
        else:
            first, *others = self.mixed
            lines.append(f"the first op that mixes rows is {first.where}: {first.reason}")
            lines += [f"  then {item.where}: {item.reason}" for item in others[:_MOST_LISTED]]
            more = len(others) - _MOST_LISTED
            lines += [f"  and {more} more"] if more > 0 else []
        return "\n".join(lines)


def split_report(
    graph: Graph | GraphDef | str | os.PathLike[str],
    fetches: Any = None,
    along: str = "batch",
    shapes: Mapping[str, Any] | None = None,
    positive: bool = False,
) -> SplitReport:
    """Reports what of a graph can be computed in chunks of rows, and what cannot.

    Nothing runs. Each tensor is *split* along an axis (a chunk of it follows from chunks of its
    inputs), *partial* (each chunk gives a value, and these are combined: by a sum, a mean weighted
    by rows, a maximum …), *own* (sizes, of which each chunk has its own) or *whole*. An op without
    a proof is reported to mix rows; nothing is guessed.

    Args:
        graph: a Graph, a GraphDef, or the path of a model.
        fetches: as for `Session.run`; by default the outputs of the model, or of the graph.
        along: the name of the size to split along.
        shapes: the shapes of inputs, by name of the op or tensor: `{"x": ["batch", 784]}`. Where
            neither they nor those in the graph mention the name, the first size of each input
            whose first size is unknown has it.
        positive: whether no size of an input is 0.

    Returns:
        A SplitReport.

    Raises:
        ValueError: no input has a size of that name, a name is not in the graph, or shapes are
            incompatible.

    Example:
        >>> with td.Graph().as_default() as graph:
        ...     x = td.placeholder(td.float32, ["batch", 3], name="x")
        ...     y = td.nn.softmax(td.matmul(x, td.ones([3, 2])), name="y")
        ...     loss = td.reduce_mean(y, name="loss")
        >>> report = td.split_report(graph, [y, loss])
        >>> [(item.name, item.part) for item in report.fetches], report.ok
        ([('y:0', 'split along axis 0'), ('loss:0', 'partial mean')], True)
    """
    if fetches is None and not isinstance(graph, (Graph, GraphDef)):
        model = load(graph)
        graph, fetches = model.graph, list(model.outputs.values()) or None
    opened = open_graph(graph)
    if fetches is None:
        fetches = tensors_of(graph_ends(opened).outputs) or None
    if fetches is None:
        raise ValueError("the graph has no results: specify fetches")
    elements = Fetches(opened, fetches).elements
    named = tensors_by_name(opened, shapes)
    return report_of(stages_along(opened, elements, along, named, positive=positive))


def open_graph(graph: Graph | GraphDef | str | os.PathLike[str]) -> Graph:
    """Converts a Graph, a GraphDef or the path of a model to a Graph."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, GraphDef):
        made = Graph()
        with made.as_default():
            import_graph_def(graph, name="")
        return made
    return load(graph).graph


def tensors_by_name(graph: Graph, named: Mapping[Any, Any] | None) -> dict[Tensor, Any]:
    """Resolves a mapping from tensors or names of tensors or ops to one from tensors.

    Raises:
        ValueError: there is no such tensor.
    """
    found: dict[Tensor, Any] = {}
    for key, value in (named or {}).items():
        try:
            element = graph.as_graph_element(key)
        except KeyError as error:
            raise ValueError(f"{key!r}: {error.args[0]}") from None
        if isinstance(element, Operation):
            if not element.outputs:
                raise ValueError(f"{key!r} ({element.type}) has no result")
            element = element.outputs[0]
        found[element] = value
    return found


def report_of(stages: Stages) -> SplitReport:
    """Builds the report on an analysis."""
    analysis = stages.analysis
    report = SplitReport(analysis.along)

    def fact(tensor: Tensor) -> SplitTensor:
        part: Part = analysis.parts[tensor]
        shape = analysis.inference.shape(tensor)
        return SplitTensor(tensor.name, tensor.dtype.name, str(shape), str(part))

    report.inputs = [fact(tensor) for tensor in analysis.feeds]
    report.fetches = [fact(item) for item in analysis.fetches if isinstance(item, Tensor)]
    report.tensors = [fact(tensor) for op in analysis.ops for tensor in op.outputs]
    report.mixed = [
        MixingOp(op.name, op.type, describe_op(op), reason) for op, reason in analysis.mixed
    ]
    report.stages = list(_told(stages))
    return report


def _told(stages: Stages) -> Iterable[str]:
    """The plan, a line for each stage."""
    for level, whole in enumerate(stages.whole):
        running = [op for op in whole.ops if op.inputs or not op.outputs]
        if running:
            yield f"once: {_counted(running)}"
        if level < stages.number:
            yield from _chunks_told(stages, level)


def _chunks_told(stages: Stages, level: int) -> Iterable[str]:
    stage: Stage = stages.chunks[level]
    ops = [op for op in stage.ops if op.inputs]
    where = "" if stage.worker is None else f" on worker {stage.worker}"
    yield f"in chunks{where}: {_counted(ops)}"
    combined: dict[str, list[str]] = {}
    for tensor in stages.combined(level):
        part = stages.analysis.parts[tensor]
        how = f"combined by {part.how}" if part.kind == "partial" else "put together"
        how = "of any chunk" if part.how == "first" else how
        combined.setdefault(how, []).append(tensor.name)
    for how, names in combined.items():
        shown = ", ".join(names[:_MOST_LISTED])
        more = len(names) - _MOST_LISTED
        yield f"  {how}: {shown}" + (f" and {more} more" if more > 0 else "")


def _counted(ops: Iterable[Operation]) -> str:
    types = Counter(op.type for op in ops)
    shown = ", ".join(f"{n} {name}" for name, n in types.most_common(6))
    number = sum(types.values())
    return f"{number} ops ({shown}{', …' if len(types) > 6 else ''})"


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    return [f"  {a:{widths[0]}}  {b:{widths[1]}}  {c}" for a, b, c in rows]
