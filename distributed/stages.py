"""Stages: chunks run in stages, and whole tensors once between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..graph.scopes.device import parse_device
from ..protos.dtypes import variant
from ..shape_inference.split_parts import OWN, WHOLE, Part
from .analysis import Analysis


class Read(NamedTuple):
    """An input of a stage: whole, the slice of its chunk, or the sizes of its chunk."""

    tensor: Tensor
    part: Part


class Stage(NamedTuple):
    """Ops that run together: on each chunk, or once.

    Args:
        ops: the ops, in an order in which they can run; those of constants among them.
        reads: the inputs of the stage.
        gives: the tensors that other stages need.
        inputs: the inputs of each op, and their parts.
        in_steps: the ops that pass on results computed by others.
        worker: the number of the worker to which a device string pins it; None where none does.
    """

    ops: list[Operation]
    reads: list[Read]
    gives: list[Tensor]
    inputs: Callable[[Operation], Sequence[Read]]
    in_steps: Collection[Operation] = ()
    worker: int | None = None


class Stages:
    """The stages of a run: stage number i of chunks comes after number i of whole tensors.

    Args:
        analysis: the partition of the graph.

    Attributes:
        chunks: the ops that run on each chunk, stage by stage.
        whole: the ops that run once before each stage of chunks, and after the last.
        effects: the ops that run once for their side effect, by stage.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._fed = {*analysis.feeds, *chain.from_iterable(analysis.streams.values())}
        self._level: dict[Operation, int] = {}
        self._pins: dict[int, int] = {}
        self._order = {op: i for i, op in enumerate(analysis.ops)}
        self._readers: dict[Tensor, list[Operation]] = {}
        for op in analysis.ops:
            for tensor in analysis.inputs(op):
                self._readers.setdefault(tensor, []).append(op)
        for op in analysis.ops:
            if not self._is_fed(op):
                self._place(op)
        self._wanted_whole: dict[Tensor, None] = {}
        self._wanted_chunks: dict[Operation, None] = {}
        self._run_once: dict[Operation, None] = {}
        self._want()
        self.number = 1 + max((self._level[op] for op in self._wanted_chunks), default=-1)
        self.chunks = [self._chunk_stage(i) for i in range(self.number)]
        self.whole = [self._whole_stage(i) for i in range(self.number + 1)]

    @property
    def torn(self) -> bool:
        """True if an array of a chunk would have to leave the stage that made it."""
        reads = [read.tensor for stage in (*self.chunks, *self.whole) for read in stage.reads]
        return any(
            self.analysis.parts[tensor].kind == "listed" and tensor.dtype is not variant
            for tensor in (*reads, *self._wanted_whole)
        )

    # Levels --------------------------------------------------------------------------------------

    def runs_in_chunks(self, op: Operation) -> bool:
        """True if an op runs on each chunk."""
        falls = self.analysis.falls.get(op)
        return falls is not None and any(part.in_chunks for part in falls.gives)

    def is_constant(self, tensor: Tensor) -> bool:
        """True if a tensor is the same in every run."""
        return self.analysis.is_constant(tensor) and tensor not in self._fed

    def _is_fed(self, op: Operation) -> bool:
        return bool(op.outputs) and self._fed.issuperset(op.outputs)

    def _place(self, op: Operation) -> None:
        falls = self.analysis.falls[op]
        inputs = self.analysis.inputs(op)
        level = 0
        if self.runs_in_chunks(op):
            for tensor, take in zip(inputs, falls.takes, strict=True):
                if take.in_chunks and self.analysis.parts[tensor].in_chunks:
                    level = max(level, self._level.get(tensor.op, 0))
                elif take != OWN:
                    level = max(level, self.ready(tensor))
        else:
            level = max([0, *map(self.ready, inputs)])
        for control in self.awaited(op):
            if not self._is_fed(control):
                later = self.runs_in_chunks(control) > self.runs_in_chunks(op)
                level = max(level, self._level[control] + later)
        if self.runs_in_chunks(op) and (pin := pinned_to(op)) is not None:
            while self._pins.setdefault(level, pin) != pin:  # a stage runs in one place
                level += 1
        self._level[op] = level

    def awaited(self, op: Operation) -> list[Operation]:
        """The ops that an op waits for, through ops that only wait themselves."""
        waited_for: dict[Operation, None] = {}
        pending = list(op.controls)
        while pending:
            control = self.analysis.run_for(pending.pop())
            if control in self.analysis.constant:
                continue
            if control.inputs or control.outputs:
                waited_for[control] = None
            else:
                pending += control.controls
        return list(waited_for)

    def ready(self, tensor: Tensor) -> int:
        """The stage at whose start the whole value of a tensor is available."""
        if tensor in self._fed or self.analysis.parts[tensor] == OWN:
            return 0
        return self._level[tensor.op] + self.runs_in_chunks(tensor.op)

    # What is needed ------------------------------------------------------------------------------

    def _want(self) -> None:
        """Marks what has to run for the fetches: on chunks or once."""
        pending: list[Tensor | Operation] = list(self.analysis.fetches)
        while pending:
            item = pending.pop()
            if isinstance(item, Operation):
                item = self.analysis.run_for(item)
            else:
                item = self.analysis.made(item)
            if isinstance(item, Tensor):
                if item not in self._wanted_whole:
                    self._wanted_whole[item] = None
                    if item not in self._fed and self.analysis.parts[item] != OWN:
                        pending.append(item.op)
            elif not self._is_fed(item):
                pending += self._needs_of(item)

    def _needs_of(self, op: Operation) -> Iterable[Tensor | Operation]:
        in_chunks = self.runs_in_chunks(op)
        chosen = self._wanted_chunks if in_chunks else self._run_once
        if op in chosen:
            return
        chosen[op] = None
        yield from self.awaited(op)
        for read in self._reads(op):
            tensor = read.tensor
            together = not in_chunks and self.analysis.parts[tensor] == WHOLE
            if together or (read.part.in_chunks and self._inside(read)):
                if tensor not in self._fed:
                    yield tensor.op
            elif read.part != OWN and not (read.part == WHOLE and self.is_constant(tensor)):
                yield tensor

    def _reads(self, op: Operation) -> list[Read]:
        takes = self.analysis.falls[op].takes
        return [Read(*pair) for pair in zip(self.analysis.inputs(op), takes, strict=True)]

    def _inside(self, read: Read) -> bool:
        """True if the chunks of the inputs exist; whole tensors have to be cut first."""
        return self.analysis.parts[read.tensor].in_chunks

    # Stages --------------------------------------------------------------------------------------

    def _chunk_stage(self, level: int) -> Stage:
        here = {op for op in self._wanted_chunks if self._level[op] == level}
        reads: dict[Read, None] = {}
        constants: set[Operation] = set()
        for op in self._in_order(here):
            for read in self._reads(op):
                if self._inside(read) and read.tensor.op in here and read.part != WHOLE:
                    continue
                if read.part == WHOLE and self.is_constant(read.tensor):
                    self._add_constants(read.tensor.op, constants)
                else:
                    reads[read] = None
        gives = [tensor for tensor in self._made(here) if self._is_asked_for(tensor, level)]
        ops = self._in_order(here | constants)
        replaced, worker = self.analysis.in_steps.keys(), self._pins.get(level)
        return Stage(ops, list(reads), gives, self._reads, replaced, worker)

    def _in_order(self, ops: Iterable[Operation]) -> list[Operation]:
        return sorted(ops, key=self._order.__getitem__)

    def _add_constants(self, op: Operation, constants: set[Operation]) -> None:
        pending = [op]
        while pending:
            op = pending.pop()
            if op not in constants:
                constants.add(op)
                pending += [tensor.op for tensor in self.analysis.inputs(op)]

    def _made(self, ops: Iterable[Operation]) -> list[Tensor]:
        return [t for op in self._in_order(ops) for t in op.outputs]

    def _is_asked_for(self, tensor: Tensor, level: int) -> bool:
        """True if a result of a chunk leaves its stage."""
        if tensor in self._wanted_whole:
            return True
        return any(
            op in self._wanted_chunks
            and self._level[op] > level
            and any(read.tensor is tensor and read.part != OWN for read in self._reads(op))
            for op in self._readers.get(tensor, ())
        )

    def _whole_stage(self, level: int) -> Stage:
        here = {op for op in self._run_once if self._level[op] == level}
        reads: dict[Read, None] = {}
        ops = self._in_order(here)
        for op in ops:
            for tensor in op.inputs:
                if tensor.op not in here or tensor in self._fed:
                    reads[Read(tensor, WHOLE)] = None
        gives = [
            tensor
            for tensor in self._made(here)
            if tensor in self._wanted_whole and tensor not in self._fed
        ]
        return Stage(ops, list(reads), gives, _reading_whole)

    def combined(self, level: int) -> list[Tensor]:
        """Results of a stage of chunks that are needed whole."""
        return [tensor for tensor in self.chunks[level].gives if tensor in self._wanted_whole]

    def kept(self, level: int) -> list[Tensor]:
        """Results of a stage of chunks that later stages read, chunk by chunk."""
        return [
            read.tensor
            for stage in self.chunks[level + 1 :]
            for read in stage.reads
            if read.tensor in self.chunks[level].gives and read.part != WHOLE
        ]


def pinned_to(op: Operation) -> int | None:
    """The number of the worker that the device string of an op names, `/job:worker/task:3`."""
    try:
        parts = parse_device(op.device)
    except ValueError:  # a file may contain anything
        return None
    is_worker = parts.get("job") == "worker" and "task" in parts
    return int(parts["task"]) if is_worker else None


def _reading_whole(op: Operation) -> list[Read]:
    return [Read(tensor, WHOLE) for tensor in op.inputs]


def stages_along(
    graph: Graph,
    fetches: Sequence[Tensor | Operation],
    along: str,
    shapes: Mapping[Tensor, Any] | None = None,
    feeds: Iterable[Tensor] | None = None,
    positive: bool = False,
) -> Stages:
    """The stages of a run along a named size; the arguments are those of `Analysis`.

    TensorArrays cannot be sent. If one would have to leave the stage in which chunks made it, all
    of them are computed whole.
    """
    stages = Stages(Analysis(graph, fetches, along, shapes, feeds, positive=positive))
    if stages.torn:
        stages = Stages(
            Analysis(graph, fetches, along, shapes, feeds, arrays=False, positive=positive)
        )
    return stages
