"""Along a named size: which tensors of a graph fall apart, and how their parts make the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..graph.dependencies import needed_ops
from ..graph.describe import add_context
from ..graph.node import Operation, Tensor
from ..graph.op_def import OpDef
from ..shape_inference.assumptions import CheckingInference
from ..shape_inference.split_parts import (
    OWN,
    WHOLE,
    Falls,
    Mixes,
    Part,
    SplitContext,
    along as split_along,
    fall_apart,
    partial,
    per_row,
)
from ..shape_inference.symbolic.symbolic import (
    DimExpr,
    Symbol,
    as_symbol,
    symbols_of,
)
from ..shape_inference.tensor_shape import TensorShape
from ..shape_inference.traits import Bodies, Input
from .bodies import bodies_fall_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..graph.graph import Graph
    from ..shape_inference.protocols import Array


class Mixed(NamedTuple):
    """An op that needs all rows at once, and why."""

    op: Operation
    reason: str


class NothingToSplitError(ValueError):
    """Nothing that is fed has the size along which is split."""


class Analysis:
    """How the tensors between feeds and fetches fall apart along a named size.

    Args:
        graph: the graph.
        fetches: what is wanted of it.
        along: the name of the size.
        shapes: what is known of shapes beside what the graph states, by tensor. Where neither
            mentions the size, it is taken to be the first of each placeholder whose first size is
            unknown.
        feeds: what is fed; by default the placeholders that are needed.

    Attributes:
        ops: the ops that are needed, in an order in which they can run.
        feeds: what is fed.
        parts: how each tensor falls apart.
        falls: how each op does: what it takes and gives.
        mixed: the ops that would fall apart if they had a rule for it.
        values: of tensors that are `own`, their elements: numbers and expressions of sizes.

    Raises:
        ValueError: nothing that is fed has such a size; or the shapes do not fit together.
    """

    def __init__(
        self,
        graph: Graph,
        fetches: Sequence[Tensor | Operation],
        along: str,
        shapes: Mapping[Tensor, Any] | None = None,
        feeds: Iterable[Tensor] | None = None,
    ) -> None:
        self.graph = graph
        self.fetches = tuple(fetches)
        self.along = along
        self.ops = needed_ops(fetches, () if feeds is None else tuple(feeds))
        self.feeds = self._fed(feeds)
        self.inference, self.rows = self._inferred(shapes or {})
        self.parts: dict[Tensor, Part] = {}
        self.falls: dict[Operation, Falls] = {}
        self.mixed: list[Mixed] = []
        self.values: dict[Tensor, Array] = {}
        self._bound = {
            symbol
            for tensor in self.feeds
            for size in self.inference.shape(tensor).sizes or ()
            if isinstance(size, DimExpr) and (symbol := as_symbol(size)) is not None
        } | {self.rows}
        for tensor in self.feeds:
            self.parts[tensor] = self._part_of_feed(tensor)
        for op in self.ops:
            self._follow(op)

    def _fed(self, feeds: Iterable[Tensor] | None) -> list[Tensor]:
        """What is fed: what is said to be, else every placeholder that is needed."""
        if feeds is not None:
            return list(feeds)
        return [
            op.outputs[0]
            for op in self.ops
            if isinstance(op.definition.traits, Input) and op.definition.pure
        ]

    # Shapes --------------------------------------------------------------------------------------

    def _inferred(self, shapes: Mapping[Tensor, Any]) -> tuple[CheckingInference, Symbol]:
        """What is known of all tensors where the size has its name."""
        declared = {
            tensor: TensorShape(shapes[tensor]).merge_with(tensor.shape)
            if tensor in shapes
            else tensor.shape
            for tensor in {**dict.fromkeys(self.feeds), **shapes}
        }
        if not any(self._names(shape) for shape in declared.values()):
            declared = {tensor: self._named(shape) for tensor, shape in declared.items()}
        rows = next((found for shape in declared.values() if (found := self._names(shape))), None)
        if rows is None:
            raise NothingToSplitError(
                f"along = {self.along!r}: nothing that is fed has a size of that name; say which "
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
                for tensor in op.outputs:
                    if tensor in declared:
                        inference.declare(
                            tensor, declared[tensor].merge_with(inference.shape(tensor))
                        )
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

    def per_row(self, tensor: Tensor, axis: int) -> Any:
        """What an axis of a tensor has for each row; None where its size is no multiple of rows."""
        sizes = self.inference.shape(tensor).sizes
        return None if sizes is None else per_row(sizes[axis], self.rows)

    def _part_of_feed(self, tensor: Tensor) -> Part:
        sizes = self.inference.shape(tensor).sizes
        axes = [i for i, size in enumerate(sizes or ()) if self._depends(size)]
        if not axes:
            return WHOLE
        if len(axes) > 1 or self.per_row(tensor, axes[0]) is None:
            raise ValueError(
                f"{tensor.name!r} of shape {self.inference.shape(tensor)} is fed, and cannot be "
                f"cut along {self.along!r}"
            )
        return split_along(axes[0])

    def _depends(self, size: Any) -> bool:
        return isinstance(size, DimExpr) and self.rows in symbols_of(size)

    # Ops -----------------------------------------------------------------------------------------

    def _follow(self, op: Operation) -> None:
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
        return not isinstance(item, DimExpr) or symbols_of(item) <= self._bound

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


def _example(feeds: Sequence[Tensor], along: str) -> str:
    name = feeds[0].op.name if feeds else "x"
    return f"{name!r}: [{along!r}, …]"
