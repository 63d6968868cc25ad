"""Propagation of partitions through the ops of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..graph.node import Operation, Tensor
from ..graph.op_def import OpDef
from ..shape_inference.inference import Inference
from ..shape_inference.protocols import Array
from ..shape_inference.split_parts import (
    OWN,
    WHOLE,
    NotSplittable,
    Part,
    Partition,
    SplitContext,
    fall_apart,
    partial,
    per_row,
)
from ..shape_inference.split_sums import adds_up, is_zero
from ..shape_inference.symbolic.symbolic import DimExpr, Symbol, symbols_of
from ..shape_inference.traits import Bodies
from .bodies import bodies_fall_apart
from .python_functions import falls_as_said

FIRST = partial("first")


class Mixed(NamedTuple):
    """An op that needs all rows at once, and why."""

    op: Operation
    reason: str


class Following:
    """Propagates partitions through the tensors of a graph or a body, op by op.

    Args:
        inference: the inferred shapes and values.
        rows: the symbol of the number of rows.
        bound: the symbols whose values are known once feeds are.

    Attributes:
        arrays: whether each chunk may have arrays of its own, which cannot be sent.
    """

    def __init__(self, inference: Inference, rows: Symbol, bound: set[Symbol]) -> None:
        self.inference = inference
        self.rows = rows
        self.bound = bound
        self.parts: dict[Tensor, Part] = {}
        self.falls: dict[Operation, Partition] = {}
        self.mixed: list[Mixed] = []
        self.values: dict[Tensor, Array] = {}
        self.arrays = True
        self.constant: set[Operation] = set()
        self.zeros: set[Tensor] = set()

    def inside(self, inference: Inference) -> Following:
        """The propagation for a body, starting from the given state."""
        following = FollowingBody(inference, self.rows, self.bound)
        following.arrays = self.arrays
        return following

    def inputs(self, op: Operation) -> Sequence[Tensor]:
        """The inputs of an op."""
        return op.inputs

    def per_row(self, tensor: Tensor, axis: int) -> Any:
        """Elements of an axis per row; None if its size is not a multiple of the rows."""
        sizes = self.inference.shape(tensor).sizes
        return None if sizes is None else per_row(sizes[axis], self.rows)

    def depends(self, size: Any) -> bool:
        """True if a size depends on the number of rows."""
        return isinstance(size, DimExpr) and self.rows in symbols_of(size)

    def follow(self, op: Operation) -> None:
        """Computes the partition of an op from those of its inputs."""
        if op.outputs and all(tensor in self.parts for tensor in op.outputs):
            return  # it is fed
        definition = op.definition
        travels = definition.pure and not definition.traits.calls_python
        if op.outputs and travels and all(map(self.is_constant, self.inputs(op))):
            self.constant.add(op)
        falls = self._settled(op, self._decided(op))
        self.falls[op] = falls
        for tensor, part in zip(op.outputs, falls.gives, strict=True):
            self.parts.setdefault(tensor, part)

    def is_constant(self, tensor: Tensor) -> bool:
        """True if a tensor is the same in every run."""
        return tensor.op in self.constant

    def is_zero(self, tensor: Tensor) -> bool:
        """True if all elements of a tensor are known to be 0."""
        return is_zero(tensor, self.zeros.__contains__)

    def _at_hand(self, tensor: Tensor) -> bool:
        """True if chunks have a whole tensor without being sent it."""
        return self.is_constant(tensor)

    def _settled(self, op: Operation, falls: Partition) -> Partition:
        """The inputs and outputs of an op that runs on chunks."""
        if not any(part.in_chunks for part in falls.gives):
            return falls
        takes = [
            self.parts[tensor] if take == WHOLE and self.parts[tensor] == FIRST else take
            for tensor, take in zip(self.inputs(op), falls.takes, strict=True)
        ]
        return Partition(takes, [FIRST if part == WHOLE else part for part in falls.gives])

    def _decided(self, op: Operation) -> Partition:
        input_parts = [self.parts[tensor] for tensor in self.inputs(op)]
        whole = Partition([WHOLE] * len(input_parts), [WHOLE] * len(op.outputs))
        traits, definition = op.definition.traits, op.definition
        in_chunk = traits.local and self.arrays
        if (all(part == WHOLE for part in input_parts) and not in_chunk) or not op.outputs:
            if any(part.kind == "split" for part in input_parts):
                self.mixed.append(Mixed(op, "it runs once, for its side effect"))
            return whole
        if self._known(op):
            return Partition(whole.takes, [OWN] * len(op.outputs))
        rule = getattr(definition, "split_rule", None)
        if traits.splits == "=":
            return handed_on(input_parts)
        parts = [WHOLE if part.kind == "partial" else part for part in input_parts]
        context = SplitContext(op, self.inference, self.rows, parts)
        if traits.sums:
            added = adds_up(context, input_parts, self.is_zero, self._at_hand)
            if added is not None:
                return added
        is_split = any(part.in_chunks for part in parts)
        sized = OWN in parts and (rule is not None or self._has_steps(op))
        if not (is_split or in_chunk or sized):
            return whole
        try:
            if isinstance(traits, Bodies):
                return bodies_fall_apart(op, self, parts)
            if not (
                definition.pure or in_chunk or (isinstance(definition, OpDef) and traits.splits)
            ):
                calling = "calls a function of the program that " if traits.calls_python else ""
                raise NotSplittable(f"it {calling}has state, so it runs once, on all rows")
            if traits.calls_python:
                return self._checked(op, falls_as_said(context, op))
            return self._checked(op, fall_apart(context, rule))
        except NotSplittable as why:
            in_steps = self._in_steps(op, context) if is_split or sized else None
            if in_steps is not None:
                return in_steps
            if is_split:
                self.mixed.append(Mixed(op, str(why)))
            return whole

    def _has_steps(self, op: Operation) -> bool:
        definition = op.definition
        return isinstance(definition, OpDef) and definition.steps_function is not None

    def _in_steps(self, op: Operation, context: SplitContext) -> Partition | None:
        """Partition of an op that several others replace; None if none do."""
        return None

    def _known(self, op: Operation) -> bool:
        """True if sizes determine all results, for any number of rows."""
        if not op.definition.pure or isinstance(op.definition.traits, Bodies):
            return False
        values = []
        for tensor in op.outputs:
            value = self.inference.value(tensor) if tensor.dtype.is_integer else None
            if value is None or not all(map(self._is_bound, value.ravel().tolist())):
                return False
            values.append(value)
        self.values.update(zip(op.outputs, values, strict=True))
        return True

    def _is_bound(self, item: Any) -> bool:
        return not isinstance(item, DimExpr) or symbols_of(item) <= self.bound

    def _checked(self, op: Operation, falls: Partition) -> Partition:
        """The partition by a rule, if the sizes confirm it.

        Raises:
            NotSplittable: they do not.
        """
        for tensor, part in (
            *zip(self.inputs(op), falls.takes, strict=True),
            *zip(op.outputs, falls.gives, strict=True),
        ):
            if part.kind == "split" and self.per_row(tensor, part.axis) is None:
                shape = self.inference.shape(tensor)
                raise NotSplittable(f"axis {part.axis} of {shape} is not a multiple of the rows")
        for tensor, part in zip(op.outputs, falls.gives, strict=True):
            dtype = tensor.dtype
            numbers = dtype.is_bool or dtype.is_integer or dtype.is_floating or dtype.is_complex
            if part.kind == "partial" and part.how != "first" and not numbers:
                raise NotSplittable(f"{tensor.dtype.name} cannot be combined")
        return falls


class FollowingBody(Following):
    """Propagation through the ops of a body, all of which run with each chunk."""

    def follow(self, op: Operation) -> None:
        """Computes the partition of an op from those of its inputs.

        Raises:
            NotSplittable: it calls a function, which cannot be sent with a body.
        """
        if op.definition.traits.calls_python:
            raise NotSplittable(f"{op.name!r} in it calls a function of the program")
        super().follow(op)

    def _at_hand(self, tensor: Tensor) -> bool:
        return True

    def _settled(self, op: Operation, falls: Partition) -> Partition:
        """Treats tensors that are the same in all chunks as whole."""
        return Partition(falls.takes, [WHOLE if part == FIRST else part for part in falls.gives])


def handed_on(parts: Sequence[Part]) -> Partition:
    """Partition rule of ops that pass on their inputs; what is whole stays whole."""
    if not any(part.in_chunks for part in parts):
        return Partition(parts, parts)
    takes = [WHOLE if part == OWN else part for part in parts]
    return Partition(takes, [FIRST if part == WHOLE else part for part in takes])
