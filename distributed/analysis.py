"""Partitions of the tensors of a graph along a named size, and how parts are combined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..graph.dependencies import needed_ops
from ..graph.describe import add_context
from ..graph.graph import Graph
from ..graph.node import Operation, Tensor
from ..shape_inference.assumptions import CheckingInference
from ..shape_inference.size_facts import positive_shape
from ..shape_inference.split_parts import (
    OWN,
    WHOLE,
    Part,
    Partition,
    SplitContext,
    along as split_along,
)
from ..shape_inference.symbolic.symbolic import DimExpr, Symbol, as_symbol, symbols_of
from ..shape_inference.tensor_shape import TensorShape
from ..shape_inference.traits import Input
from .partition_propagation import FIRST, Following, handed_on
from .steps import StepGraph


class NothingToSplitError(ValueError):
    """No feed has the size to split along."""


class Analysis(Following):
    """Partition of the tensors between feeds and fetches along a named size.

    Args:
        graph: the graph.
        fetches: the tensors and ops to compute.
        along: the name of the size.
        shapes: shapes in addition to those in the graph, by tensor. If neither mentions the
            size, it is taken to be the first of each placeholder whose first size is unknown.
        feeds: the fed tensors; by default the placeholders that are needed.
        arrays: whether each chunk may have TensorArrays of its own.
        positive: whether no size of a feed is 0.

    Attributes:
        ops: the ops that are needed, in an order in which they can run.
        feeds: the fed tensors.
        parts: the part of each tensor.
        falls: the Partition of each op.
        mixed: the ops that could be split if they had a rule.
        values: the elements of `own` tensors: numbers and expressions of sizes.
        in_steps: the ops that other ops compute step by step, and their replacements.
        streams: the ops whose random numbers are drawn by chunks, each from its own range, with
            the placeholders for key and counter of their streams.
        place: the symbols of the position of a chunk.

    Raises:
        ValueError: no feed has such a size, or shapes are incompatible.
    """

    def __init__(
        self,
        graph: Graph,
        fetches: Sequence[Tensor | Operation],
        along: str,
        shapes: Mapping[Tensor, Any] | None = None,
        feeds: Iterable[Tensor] | None = None,
        arrays: bool = True,
        positive: bool = False,
    ) -> None:
        self.graph = graph
        self.fetches = tuple(fetches)
        self.along = along
        self.ops = list(needed_ops(fetches, () if feeds is None else tuple(feeds)))
        self.feeds = self._fed(feeds)
        inference, rows = self._inferred(shapes or {}, positive)
        bound = {
            symbol
            for tensor in self.feeds
            for size in inference.shape(tensor).sizes or ()
            if isinstance(size, DimExpr) and (symbol := as_symbol(size)) is not None
        }
        super().__init__(inference, rows, bound | {rows})
        self.arrays = arrays
        self._steps = StepGraph(graph)
        self.place = self._steps.place
        self.in_steps: dict[Operation, list[Tensor]] = {}
        self.streams: dict[Operation, Sequence[Tensor]] = {}
        self._sources: dict[Tensor, Tensor] = {}
        for tensor in self.feeds:
            self.parts[tensor] = self._part_of_feed(tensor)
        needed, self.ops = self.ops, []
        self._wider = graph.replaced(needed)
        for op in needed:
            if op in self._wider:
                results = self._wider[op].outputs[: len(op.outputs)]
                self._sources.update(zip(op.outputs, results, strict=True))
                self.parts.update((tensor, self.parts[self.made(tensor)]) for tensor in op.outputs)
            else:
                self.follow(op)
                self.ops.append(op)

    # Ops that others replace ---------------------------------------------------------------------

    def inputs(self, op: Operation) -> Sequence[Tensor]:
        """The inputs of an op; for an op that is replaced, the results of its replacements."""
        stand_in = self.in_steps.get(op)
        if stand_in is not None:
            return stand_in
        return [*map(self.made, op.inputs)]

    def made(self, tensor: Tensor) -> Tensor:
        """The tensor that has the value of this one if other ops compute it."""
        return self._sources.get(tensor, tensor)

    def run_for(self, op: Operation) -> Operation:
        """The op that runs for this one."""
        return self._wider.get(op, op)

    def _in_steps(self, op: Operation, context: SplitContext) -> Partition | None:
        steps = self._steps.steps_of(op, context, self.inference)
        if steps is None:
            return None
        already = len(self.mixed)
        self._sources.update(zip(steps.inputs, op.inputs, strict=True))
        self.values.update(steps.sizes)
        self.parts.update(dict.fromkeys(steps.sizes, OWN))
        self.parts.update(dict.fromkeys(steps.stream, WHOLE))
        for step in steps.ops:
            self.follow(step)
        mixing = len(self.mixed) > already
        del self.mixed[already:]
        if mixing or not any(self.parts[tensor].in_chunks for tensor in steps.results):
            return None
        if steps.stream:
            self.streams[op] = steps.stream
        self.ops += steps.ops
        self.in_steps[op] = steps.results
        return handed_on([self.parts[tensor] for tensor in steps.results])

    def _settled(self, op: Operation, falls: Partition) -> Partition:
        if op.graph is not self.graph and op not in self.constant:
            # A step that reads only whole values: each chunk computes it for itself.
            gives = [FIRST if part == WHOLE else part for part in falls.gives]
            falls = Partition(falls.takes, gives)
        return super()._settled(op, falls)

    def _fed(self, feeds: Iterable[Tensor] | None) -> list[Tensor]:
        """The fed tensors: those specified, by default every placeholder that is needed."""
        if feeds is not None:
            return list(feeds)
        return [
            op.outputs[0]
            for op in self.ops
            if isinstance(op.definition.traits, Input) and op.definition.pure
        ]

    # Shapes --------------------------------------------------------------------------------------

    def _inferred(
        self, shapes: Mapping[Tensor, Any], positive: bool
    ) -> tuple[CheckingInference, Symbol]:
        """Inference results for all tensors, with the size under its name."""
        declared = {
            tensor: TensorShape(shapes[tensor]).merge_with(tensor.shape)
            if tensor in shapes
            else tensor.shape
            for tensor in {**dict.fromkeys(self.feeds), **shapes}
        }
        if not any(self._names(shape) for shape in declared.values()):
            declared = {tensor: self._named(shape) for tensor, shape in declared.items()}
        if positive:
            declared = {
                tensor: positive_shape(shape, tensor.op.name) for tensor, shape in declared.items()
            }
        rows = next((found for shape in declared.values() if (found := self._names(shape))), None)
        if rows is None:
            raise NothingToSplitError(
                f"along = {self.along!r}: no feed has a size of that name; specify which "
                f"has, as in shapes={{{_example(self.feeds, self.along)}}}"
            )
        inference = CheckingInference()
        fed = set(self.feeds)
        for tensor in self.feeds:
            inference.declare(tensor, declared[tensor])
        for op in self.ops:
            try:
                if not fed.issuperset(op.outputs) or not op.outputs:
                    inference.infer(op)
                stated = {tensor: declared[tensor] for tensor in op.outputs if tensor in declared}
                if op.definition.traits.calls_python:  # only `set_shape` states its shapes
                    stated = {tensor: tensor.shape for tensor in op.outputs} | stated
                for tensor, shape in stated.items():
                    inference.declare(tensor, shape.merge_with(inference.shape(tensor)))
            except (TypeError, ValueError) as error:
                raise add_context(error, op, inference) from error
        return inference, rows

    def _names(self, shape: TensorShape) -> Symbol | None:
        for size in shape.sizes or ():
            for symbol in symbols_of(size) if isinstance(size, DimExpr) else ():
                if symbol.name == self.along:
                    return symbol
        return None

    def _named(self, shape: TensorShape) -> TensorShape:
        """The shape with the name for its first size, if that is unknown."""
        if not shape.rank or isinstance((shape.sizes or ())[0], int):
            return shape
        return TensorShape([self.along, *(shape.sizes or ())[1:]])

    def _part_of_feed(self, tensor: Tensor) -> Part:
        sizes = self.inference.shape(tensor).sizes
        axes = [i for i, size in enumerate(sizes or ()) if self.depends(size)]
        if not axes:
            return WHOLE
        if len(axes) > 1 or self.per_row(tensor, axes[0]) is None:
            raise ValueError(
                f"{tensor.name!r} of shape {self.inference.shape(tensor)} is fed, and cannot be "
                f"cut along {self.along!r}"
            )
        return split_along(axes[0])


def _example(feeds: Sequence[Tensor], along: str) -> str:
    name = feeds[0].op.name if feeds else "x"
    return f"{name!r}: [{along!r}, …]"
