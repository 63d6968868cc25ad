"""Reverse mode: from the gradients of some tensors to those of tensors that they depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from ...graph.convert import convert_to_tensor
from ...graph.default_graph import get_default_graph
from ...graph.describe import describe_op
from ...graph.gradient_rules import Rule, rule_of
from ...graph.indexed_slices import IndexedSlices
from ...graph.node import Operation, Tensor
from ...ops.array.constants import zeros_like
from ...ops.debugging.group_and_tuple import tuple as gated
from ...protos.dtypes import DType
from .accumulation import Gradient, Part, dense, summation
from .list_items import ListItem


class Options(NamedTuple):
    """Options of `backpropagate`: see `td.gradients`."""

    colocate: bool = False
    gate: bool = False
    aggregation: Any = None


def differentiable(dtype: DType) -> bool:
    """Returns True if gradients pass through tensors of `dtype`."""
    base = dtype.base_dtype
    return base.is_floating or base.is_complex or base.name in ("resource", "variant")


def backpropagate(
    ys: Sequence[Tensor],
    xs: Sequence[Tensor],
    seeds: Sequence[Gradient],
    stops: Iterable[Operation] = (),
    options: Options | None = None,
) -> list[Gradient | None]:
    """The gradients of `xs`, where those of `ys` are `seeds`.

    The ops are made in the default graph, in its scopes. It is the graph of the tensors, or one
    that sees it: a rule of an op with bodies calls this for the graph of a body.

    Args:
        ys: tensors.
        xs: tensors.
        seeds: a gradient for each of `ys`.
        stops: ops that no gradient passes through.
        options: how to build.

    Returns:
        For each of `xs` a gradient, or None where none of `ys` depends on it.

    Raises:
        LookupError: an op in between has no gradient.
        ValueError: a rule gives gradients that do not fit the inputs of its op.
        TypeError: one of another dtype.
    """
    return _Backpropagation(xs, options or Options()).run(
        ys, seeds, frozenset(op.graph.widest(op) for op in stops)
    )


class _Backpropagation:
    """One walk from `ys` back to `xs`."""

    def __init__(self, xs: Sequence[Tensor], options: Options) -> None:
        self.xs = [x.op.graph.in_widest(x) for x in xs]
        self.options = options
        self.total: Callable[[Sequence[Part]], Gradient] = summation(options.aggregation)
        self.reached = set(self.xs)  # what depends on `xs`, and these themselves
        self.pending: dict[Tensor, list[Part]] = {}

    def run(
        self, ys: Sequence[Tensor], seeds: Sequence[Gradient], stops: frozenset[Operation]
    ) -> list[Gradient | None]:
        """The gradients of `xs`."""
        wide = [y.op.graph.in_widest(y) for y in ys]
        between = self._between(wide, stops)
        for y, seed in zip(wide, seeds, strict=True):
            self._send(y, seed)
        wanted = set(self.xs)
        # An op is made after its inputs: backwards, all that reads it has been seen before it.
        for op in reversed(between):
            gradients = [self._collected(out, keep=out in wanted) for out in op.outputs]
            if any(gradient is not None for gradient in gradients):
                self._pass_through(op, gradients)
        return [self._collected(x, keep=True) for x in self.xs]

    def _between(self, ys: Sequence[Tensor], stops: frozenset[Operation]) -> list[Operation]:
        """The ops on the way from `xs` to `ys`, in the order in which they were made."""
        if not self.xs or not ys:
            return []
        graph = ys[0].op.graph
        first = min(graph.place(x.op) for x in self.xs)
        visited: set[Operation] = set()
        waiting = [y.op for y in ys]
        while waiting:
            op = waiting.pop()
            if op not in visited and graph.place(op) >= first:
                visited.add(op)
                waiting += [tensor.op for tensor in inputs_of(op)]
        between = []
        for op in graph.in_order(visited):
            if op not in stops and any(tensor in self.reached for tensor in inputs_of(op)):
                between.append(op)
                self.reached.update(out for out in op.outputs if differentiable(out.dtype))
        return between

    def _send(self, tensor: Tensor, gradient: Part) -> None:
        if tensor in self.reached:
            self.pending.setdefault(tensor, []).append(gradient)

    def _collected(self, tensor: Tensor, keep: bool) -> Gradient | None:
        gradients = self.pending.pop(tensor, None)
        if gradients is None:
            return None
        total = self.total(gradients)
        if keep:
            self.pending[tensor] = [total]
        return total

    def _pass_through(self, op: Operation, gradients: list[Gradient | None]) -> None:
        rule = rule_of(op)
        if rule is None:
            raise LookupError(
                f"No gradient defined for operation {describe_op(op)}: it lies between ys and xs. "
                f"Give it one with td.RegisterGradient({op.type!r}), or say that there is none "
                f"with td.NotDifferentiable({op.type!r})"
            )
        if rule.function is None:
            return
        graph = get_default_graph()
        start = graph.version
        with ExitStack() as stack:
            if self.options.colocate and op.graph is graph:
                stack.enter_context(graph.colocate_with(op))
            stack.enter_context(graph.name_scope(f"{op.graph.narrowest(op).name}_grad"))
            given: list[Any] = [
                _given(rule, out, gradient)
                for out, gradient in zip(op.outputs, gradients, strict=True)
            ]
            if rule.asks:
                given = [[tensor in self.reached for tensor in inputs_of(op)], *given]
            results = self._checked(op, start, rule.function(op, *given))
            if self.options.gate and sum(result is not None for result in results) > 1:
                results = _gated(results)
        for tensor, result in zip(inputs_of(op), results, strict=True):
            if result is not None:
                self._send(tensor, result)

    def _checked(self, op: Operation, start: int, results: Any) -> list[Part | None]:
        """Results of a rule, only for those inputs of `op` that lead to `xs`."""
        if not isinstance(results, (list, tuple)):
            results = [results]
        if len(results) != len(op.inputs):
            raise ValueError(
                f"the gradient of {describe_op(op)} gives {len(results)} gradients for "
                f"{len(op.inputs)} inputs"
            )
        return [
            _fitting(op, i, result, start) if tensor in self.reached else None
            for i, (tensor, result) in enumerate(zip(inputs_of(op), results, strict=True))
        ]


def inputs_of(op: Operation) -> list[Tensor]:
    """The inputs, each as a result of the widest replacement of its op."""
    widest = op.graph.in_widest
    return [widest(tensor) for tensor in op.inputs]


def _given(rule: Rule, out: Tensor, gradient: Gradient | None) -> Gradient | None:
    """The gradient of an output in the form that a rule takes."""
    if gradient is None:
        return zeros_like(out) if rule.fills and differentiable(out.dtype) else None
    if isinstance(gradient, IndexedSlices) and not rule.takes_slices:
        return dense(gradient)
    return gradient


def _fitting(op: Operation, position: int, result: Any, start: int) -> Part | None:
    """The gradient of an input, made if it is yet to be made, if it fits that input.

    Raises:
        TypeError: it is of another dtype.
        ValueError: it is of another shape.
    """
    tensor = op.inputs[position]
    if callable(result):
        result = result()
    if result is None or isinstance(result, ListItem):
        return result
    which = f"the gradient of {describe_op(op)} for input {position}"
    dtype = tensor.dtype.base_dtype
    numeric = dtype.is_floating or dtype.is_complex
    gradient: Gradient = (
        result
        if isinstance(result, (Tensor, IndexedSlices))
        else convert_to_tensor(result, dtype if numeric else None)
    )
    if numeric and gradient.dtype.base_dtype is not dtype:
        raise TypeError(f"{which} is of {gradient.dtype.name}, the input of {dtype.name}")
    if isinstance(gradient, Tensor):
        gradient = get_default_graph().captured(gradient)
    if numeric and isinstance(gradient, Tensor):
        if not gradient.shape.is_compatible_with(tensor.shape):
            raise ValueError(f"{which} has shape {gradient.shape}, the input {tensor.shape}")
        if gradient.op.index >= start:
            gradient.set_shape(tensor.shape)
    return gradient


def _gated(results: Sequence[Part | None]) -> list[Part | None]:
    """Gradients with the same values, none of which is there before all of them are."""
    parts: list[Tensor] = []
    for result in results:
        if isinstance(result, IndexedSlices):
            parts += [result.values, result.indices]
        elif isinstance(result, Tensor):
            parts.append(result)
    after = iter(gated(parts))
    gates: list[Part | None] = []
    for result in results:
        if isinstance(result, IndexedSlices):
            gates.append(IndexedSlices(next(after), next(after), result.dense_shape))
        else:
            gates.append(next(after) if isinstance(result, Tensor) else result)
    return gates
