"""Following parts through ops: how each op falls apart, those before it being known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph.node import Operation, Tensor
from ..graph.op_def import OpDef
from ..shape_inference.split_parts import (
    OWN,
    WHOLE,
    Falls,
    Mixes,
    Part,
    SplitContext,
    fall_apart,
    partial,
    per_row,
)
from ..shape_inference.symbolic.symbolic import DimExpr, Symbol, symbols_of
from ..shape_inference.traits import Bodies
from .bodies import bodies_fall_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shape_inference.inference import Inference
    from ..shape_inference.protocols import Array


class Mixed(NamedTuple):
    """An op that needs all rows at once, and why."""

    op: Operation
    reason: str


class Following:
    """What is found of the tensors of a graph, or of a body, op by op.

    Args:
        inference: what is known of shapes and values.
        rows: the symbol of the number of rows.
        bound: the symbols that have numbers as soon as something is fed.
    """

    def __init__(self, inference: Inference, rows: Symbol, bound: set[Symbol]) -> None:
        self.inference = inference
        self.rows = rows
        self.bound = bound
        self.parts: dict[Tensor, Part] = {}
        self.falls: dict[Operation, Falls] = {}
        self.mixed: list[Mixed] = []
        self.values: dict[Tensor, Array] = {}

    def inside(self, inference: Inference) -> Following:
        """What follows the ops of a body, with what is known there."""
        return Following(inference, self.rows, self.bound)

    def per_row(self, tensor: Tensor, axis: int) -> Any:
        """What an axis of a tensor has for each row; None where its size is no multiple of rows."""
        sizes = self.inference.shape(tensor).sizes
        return None if sizes is None else per_row(sizes[axis], self.rows)

    def depends(self, size: Any) -> bool:
        """Whether a size depends on the number of rows."""
        return isinstance(size, DimExpr) and self.rows in symbols_of(size)

    def follow(self, op: Operation) -> None:
        """Finds out how an op falls apart, those before it being known."""
        if op.outputs and all(tensor in self.parts for tensor in op.outputs):
            return  # it is fed
        falls = self._decided(op)
        self.falls[op] = falls
        for tensor, part in zip(op.outputs, falls.gives, strict=True):
            self.parts.setdefault(tensor, part)

    def _decided(self, op: Operation) -> Falls:
        found = [self.parts[tensor] for tensor in op.inputs]
        whole = Falls([WHOLE] * len(found), [WHOLE] * len(op.outputs))
        if all(part == WHOLE for part in found) or not op.outputs:
            if any(part.kind == "split" for part in found):
                self.mixed.append(Mixed(op, "it runs once, for its effect"))
            return whole
        if self._known(op):
            return Falls(whole.takes, [OWN] * len(op.outputs))
        definition = op.definition
        traits, rule = definition.traits, getattr(definition, "split_rule", None)
        if traits.splits == "=":
            return _handed_on(found)
        parts = [WHOLE if part.kind == "partial" else part for part in found]
        is_split = any(part.kind == "split" for part in parts)
        if not is_split and (rule is None or OWN not in parts):
            return whole
        try:
            if isinstance(traits, Bodies):
                return bodies_fall_apart(op, self, parts)
            if traits.calls_python:
                raise Mixes("it calls a function of the program, which does not travel")
            if not definition.pure and not (isinstance(definition, OpDef) and traits.splits):
                raise Mixes("it has state, so it runs once, on all rows")
            context = SplitContext(op, self.inference, self.rows, parts)
            return self._checked(op, fall_apart(context, rule))
        except Mixes as why:
            if is_split:
                self.mixed.append(Mixed(op, str(why)))
            return whole

    def _known(self, op: Operation) -> bool:
        """Whether sizes tell all results, so that they are known for any number of rows."""
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

    def _checked(self, op: Operation, falls: Falls) -> Falls:
        """What a rule says, if the sizes bear it out.

        Raises:
            Mixes: they do not.
        """
        for tensor, part in (
            *zip(op.inputs, falls.takes, strict=True),
            *zip(op.outputs, falls.gives, strict=True),
        ):
            if part.kind == "split" and self.per_row(tensor, part.axis) is None:
                shape = self.inference.shape(tensor)
                raise Mixes(f"axis {part.axis} of {shape} is no multiple of the rows")
        for tensor, part in zip(op.outputs, falls.gives, strict=True):
            dtype = tensor.dtype
            numbers = dtype.is_bool or dtype.is_integer or dtype.is_floating or dtype.is_complex
            if part.kind == "partial" and part.how != "first" and not numbers:
                raise Mixes(f"{tensor.dtype.name} cannot be combined")
        return falls


def _handed_on(parts: Sequence[Part]) -> Falls:
    """What an op does whose results are its inputs: of what chunks have whole, each has all."""
    if not any(part.kind in ("split", "partial") for part in parts):
        return Falls(parts, parts)
    takes = [WHOLE if part == OWN else part for part in parts]
    return Falls(takes, [partial("first") if part == WHOLE else part for part in takes])
